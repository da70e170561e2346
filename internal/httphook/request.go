package httphook

import (
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// endpoint is a URL in the pieces that a request needs.
type endpoint struct {
	scheme     string
	host, port string // to connect to; an IPv6 address has no brackets
	authority  string // host, and port if the URL has one: the Host header
	basic      string // the value of an Authorization header, or ""
	target     string // path and query, as written
}

// String is the URL as messages show it: its query and its user may be secrets.
func (e *endpoint) String() string {
	path, _, _ := strings.Cut(e.target, "?")
	return e.scheme + "://" + e.authority + path
}

// withoutSecrets returns a URL without query, fragment and user. It need not be a valid one.
func withoutSecrets(s string) string {
	if i := strings.IndexAny(s, "?#"); i >= 0 {
		s = s[:i]
	}
	if i := strings.Index(s, "//"); i >= 0 {
		start, rest := s[:i+2], s[i+2:]
		end := len(rest)
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			end = i
		}
		return start + rest[strings.LastIndexByte(rest[:end], '@')+1:]
	}
	return s
}

// parseURL reads a URL by hand: package url would write path and query anew. Its errors quote nothing, since a password
// with a slash in it can end up in any piece.
func parseURL(s string) (*endpoint, error) {
	if strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return nil, errors.New("a blank or a control character in the url; write it percent-encoded, a blank as %20")
	}
	scheme, rest, _ := strings.Cut(s, "://")
	e := &endpoint{scheme: strings.ToLower(scheme)}
	switch e.scheme {
	case "http":
		e.port = "80"
	case "https":
		e.port = "443"
	default:
		return nil, errors.New("the url must start with http:// or https://")
	}
	rest, _, _ = strings.Cut(rest, "#")
	authority := rest
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		authority, e.target = rest[:i], rest[i:]
	}
	if !strings.HasPrefix(e.target, "/") {
		e.target = "/" + e.target
	}
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		user, password, _ := strings.Cut(authority[:i], ":")
		authority = authority[i+1:]
		user, err1 := url.PathUnescape(user)
		password, err2 := url.PathUnescape(password)
		if err1 != nil || err2 != nil {
			return nil, errors.New("the user or password of the url has a % that is no escape; write it as %25")
		}
		if user != "" || password != "" {
			e.basic = "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
		}
	}
	return e, e.setAuthority(authority)
}

func (e *endpoint) setAuthority(s string) error {
	var port string
	if strings.HasPrefix(s, "[") {
		end := strings.IndexByte(s, ']')
		if end < 0 || s[end+1:] != "" && s[end+1] != ':' {
			return errors.New("the url's IPv6 address is not of the form [address] or [address]:port")
		}
		e.host, port = s[1:end], strings.TrimPrefix(s[end+1:], ":")
		if ip, err := netip.ParseAddr(e.host); err != nil || !ip.Is6() || ip.Zone() != "" {
			return errors.New("what the url has in brackets is no IPv6 address without zone")
		}
		e.authority = "[" + e.host + "]"
	} else {
		e.host, port, _ = strings.Cut(s, ":")
		if e.host == "" || strings.Trim(e.host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._") != "" {
			return errors.New("the url has no valid host; ASCII letters, digits and -._ make one, others are written in punycode")
		}
		e.authority = e.host
	}
	if port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return errors.New("the url's port is not a number from 1 to 65535")
		}
		e.port = port
		e.authority += ":" + port
	}
	return nil
}

type header struct{ name, value string }

// requestHead returns all of the request that comes before the body.
func requestHead(to *endpoint, request Request, getenv func(string) string, length int) ([]byte, error) {
	headers := []header{
		{"Host", to.authority},
		{"User-Agent", "hookrun"},
		{"Accept", "*/*"},
		{"Content-Type", "application/json"},
	}
	if to.basic != "" {
		headers = append(headers, header{"Authorization", to.basic})
	}
	defaults := len(headers) // the others differ from each other
	seen := make(map[string]bool, len(request.Headers))
	for _, name := range slices.Sorted(maps.Keys(request.Headers)) {
		lower := strings.ToLower(name)
		switch {
		case !isToken(name):
			return nil, fmt.Errorf("%q is no header name", name)
		case lower == "content-length" || lower == "transfer-encoding" || lower == "connection":
			return nil, fmt.Errorf("the header %s cannot be set: it belongs to the sending itself", name)
		case seen[lower]:
			return nil, fmt.Errorf("the header %s is there twice, in different letters", name)
		}
		seen[lower] = true
		value := expand(request.Headers[name], request.AllowedEnvVars, getenv)
		if hasControl(value) {
			return nil, fmt.Errorf("the value of the header %s has a line break or another control character; "+
				"look at the environment variables in it, too", name)
		}
		set := header{name, value}
		if i := slices.IndexFunc(headers[:defaults], func(h header) bool { return strings.EqualFold(h.name, name) }); i >= 0 {
			headers[i] = set
		} else {
			headers = append(headers, set)
		}
	}
	headers = append(headers, header{"Content-Length", strconv.Itoa(length)}, header{"Connection", "close"})

	head := []byte("POST " + to.target + " HTTP/1.1\r\n")
	for _, h := range headers {
		head = append(head, h.name+": "+h.value+"\r\n"...)
	}
	return append(head, "\r\n"...), nil
}

// expand puts variables in for $NAME and ${NAME}. What it has put in is not looked at again.
func expand(s string, allowed []string, getenv func(string) string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, "$")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		inner, braced := strings.CutPrefix(after, "{")
		name := inner[:nameLength(inner)]
		rest := inner[len(name):]
		if braced {
			rest, found = strings.CutPrefix(rest, "}")
		}
		if name == "" || !found {
			b.WriteByte('$')
			s = after
			continue
		}
		if slices.Contains(allowed, name) {
			b.WriteString(getenv(name))
		}
		s = rest
	}
}

// nameLength returns how much of the start of s is the name of a variable.
func nameLength(s string) int {
	for i := range len(s) {
		c := s[i]
		if c != '_' && !('a' <= c|0x20 && c|0x20 <= 'z') && !(i > 0 && '0' <= c && c <= '9') {
			return i
		}
	}
	return len(s)
}

// isToken reports whether s can be the name of a header, by RFC 9110.
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !('a' <= c|0x20 && c|0x20 <= 'z') && !('0' <= c && c <= '9') && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return s != ""
}

// hasControl reports whether s has a character that no line of a head may have.
func hasControl(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\t' || c == 0x7f {
			return true
		}
	}
	return false
}
