package httphook

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Endpoint is where an HTTP hook posts to, and how.
type Endpoint struct {
	// URL is http or https. Its user and password become a header Authorization: Basic, unless Headers has one.
	URL string

	// Headers are sent besides our own, of which they replace Host, User-Agent, Accept and Content-Type. $NAME and
	// ${NAME} in a value stand for an environment variable if AllowedEnvVars has it, and for nothing if not. Any other
	// $ is itself.
	Headers        []Header
	AllowedEnvVars []string

	// CAFile has the certificates, in PEM, of those that may sign the server's, in the place of the system's roots.
	// ClientCert and ClientKey are the certificate that we show, in PEM. All are paths; "" is none.
	CAFile, ClientCert, ClientKey string

	// Proxy is the URL of a proxy (http, https, socks5, socks5h), "" for none. The environment never names one.
	Proxy string
}

// Header is one header of a request as it stands in the file: $NAME stands for a variable.
type Header struct{ Name, Value string }

// String is the address without what may be secret in it: the user and the query. Reports and reasons have it.
func (e *Endpoint) String() string { return withoutSecrets(e.URL) }

// Check returns what is wrong with an endpoint whatever the variables in its headers are, without its address. It reads
// no file.
func (e *Endpoint) Check() error {
	if err := CheckURL(e.URL); err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, h := range e.Headers {
		if err := CheckHeader(h, seen); err != nil {
			return err
		}
	}
	return nil
}

// CheckURL returns what is wrong with the address of a hook. An error quotes nothing of it: a password with a slash in
// it can end up in any piece.
func CheckURL(s string) error {
	_, err := parseURL(s, "http", "https")
	return err
}

// CheckProxy returns what is wrong with the address of a proxy.
func CheckProxy(s string) error {
	u, err := parseURL(s, "http", "https", "socks5", "socks5h")
	if err == nil && (strings.Trim(u.Path, "/") != "" || u.RawQuery != "") {
		return errors.New("the url of a proxy has no path and no query; leave them out")
	}
	return err
}

// parseURL reads a URL of one of the schemes.
func parseURL(s string, schemes ...string) (*url.URL, error) {
	if strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return nil, errors.New("a blank or a control character in the url; write it percent-encoded, a blank as %20")
	}
	scheme, _, ok := strings.Cut(s, "://")
	if !ok || !slices.Contains(schemes, strings.ToLower(scheme)) {
		return nil, fmt.Errorf("the url must start with %s://", strings.Join(schemes, ":// or "))
	}
	u, err := url.Parse(s)
	switch {
	case errors.As(err, new(url.EscapeError)):
		return nil, errors.New("the url has a % that is no escape; write it as %25")
	case err != nil:
		return nil, errors.New("the url's user, host or port is not valid; " +
			"odd characters of a user or a password are written percent-encoded, a / as %2F")
	}
	return u, checkHost(u)
}

const (
	alphanumeric     = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	hostCharacters   = alphanumeric + "-._"
	headerCharacters = alphanumeric + "!#$%&'*+-.^_`|~" // of a name, by RFC 9110
)

func checkHost(u *url.URL) error {
	host := u.Hostname()
	if strings.HasPrefix(u.Host, "[") {
		if ip, err := netip.ParseAddr(host); err != nil || !ip.Is6() || ip.Zone() != "" {
			return errors.New("what the url has in brackets is no IPv6 address without zone")
		}
	} else if host == "" || strings.Trim(host, hostCharacters) != "" {
		return errors.New("the url has no valid host; ASCII letters, digits and -._ make one, " +
			"others are written in punycode")
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return errors.New("the url's port is not a number from 1 to 65535")
		}
	}
	return nil
}

// withoutSecrets returns a URL without query, fragment and user. It need not be a valid one.
func withoutSecrets(s string) string {
	s, _, _ = strings.Cut(s, "#")
	s, _, _ = strings.Cut(s, "?")
	if before, rest, ok := strings.Cut(s, "//"); ok {
		host, path, slash := strings.Cut(rest, "/")
		if slash {
			path = "/" + path
		}
		s = before + "//" + host[strings.LastIndexByte(host, '@')+1:] + path
	}
	return s
}

// belongsToSending are headers that say how a request is sent, which is not the hook's to say.
var belongsToSending = []string{"content-length", "transfer-encoding", "connection"}

// CheckHeader returns what is wrong with a header, without its value. seen are the names before it, in lower case, and
// gets its own.
func CheckHeader(h Header, seen map[string]bool) error {
	lower := strings.ToLower(h.Name)
	twice := seen[lower]
	seen[lower] = true
	switch {
	case h.Name == "" || strings.Trim(h.Name, headerCharacters) != "":
		return fmt.Errorf("%q is no header name", h.Name)
	case slices.Contains(belongsToSending, lower):
		return fmt.Errorf("the header %s cannot be set: it belongs to the sending itself", h.Name)
	case twice:
		return fmt.Errorf("the header %s is there twice, in different letters", h.Name)
	}
	return checkValue(h.Name, h.Value)
}

func checkValue(name, value string) error {
	if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		return fmt.Errorf("the value of the header %s has a line break or another control character; "+
			"look at the environment variables in it, too", name)
	}
	return nil
}

// header returns the headers of a request, and its Host, which is "" if none is set. Values are looked at after
// variables were put in: one header stays one header.
func (e *Endpoint) header(getenv func(string) string) (all http.Header, host string, err error) {
	all = http.Header{"User-Agent": {"hookrun"}, "Accept": {"*/*"}, "Content-Type": {"application/json"}}
	seen := map[string]bool{}
	for _, h := range e.Headers {
		if err := CheckHeader(h, seen); err != nil {
			return nil, "", err
		}
		value := expand(h.Value, e.AllowedEnvVars, getenv)
		if err := checkValue(h.Name, value); err != nil {
			return nil, "", err
		}
		if strings.EqualFold(h.Name, "Host") {
			host = value
			continue
		}
		all.Set(h.Name, value)
	}
	return all, host, nil
}

var (
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*\z`)
	variable     = regexp.MustCompile(`\$[A-Za-z_][A-Za-z0-9_]*|\$\{[A-Za-z_][A-Za-z0-9_]*\}`)
)

// IsVariable reports whether a header can name a variable of that name.
func IsVariable(name string) bool { return variableName.MatchString(name) }

// Variables are the names of variables that the value of a header has.
func (h Header) Variables() (names []string) {
	for _, v := range variable.FindAllString(h.Value, -1) {
		names = append(names, strings.Trim(v, "${}"))
	}
	return names
}

// expand puts variables in for $NAME and ${NAME}. What it has put in is not looked at again.
func expand(s string, allowed []string, getenv func(string) string) string {
	return variable.ReplaceAllStringFunc(s, func(v string) string {
		if name := strings.Trim(v, "${}"); slices.Contains(allowed, name) {
			return getenv(name)
		}
		return ""
	})
}
