// Package endpoint describes where the input of a hook is posted, and how: address, headers, certificates and proxy,
// and what is wrong with them. Package httphook posts it.
package endpoint

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/hookrun/hookrun/internal/lib/lazy"
	"github.com/hookrun/hookrun/protocol"
)

// Endpoint is the server that an HTTP hook posts to, with the settings of the request.
type Endpoint struct {
	// URL is http or https. User and password become an Authorization: Basic header, unless Headers has that header.
	URL string

	// Headers are sent in addition to our own; they replace our Host, User-Agent, Accept and Content-Type. In a value
	// $NAME and ${NAME} are replaced by the environment variable if AllowedEnvVars has the name, otherwise by "". Any
	// other $ stays.
	Headers        []Header
	AllowedEnvVars []string

	// CAFile has the certificates, in PEM, that may sign the server's, instead of the system's roots. ClientCert and
	// ClientKey are our own certificate, in PEM. All are paths; "" means no file.
	CAFile, ClientCert, ClientKey string

	// Proxy is the URL of a proxy (http, https, socks5, socks5h); "": no proxy. Proxies in the environment are ignored.
	Proxy string
}

// Header is one header of a request as in the hooks file: $NAME stands for a variable.
type Header struct{ Name, Value string }

// String returns the URL without the user and the query, which may be secret. It is for reports and reasons.
func (e *Endpoint) String() string { return WithoutSecrets(e.URL) }

// Check returns the faults of an endpoint, without quoting its address. It does not look at variables or read files.
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

// CheckURL returns the fault of a hook's URL. The error quotes no part of the URL, because any part may contain a
// password with a slash.
func CheckURL(s string) error {
	_, err := parseURL(s, "http", "https")
	return err
}

// CheckProxy returns the fault of a proxy's URL.
func CheckProxy(s string) error {
	u, err := parseURL(s, "http", "https", "socks5", "socks5h")
	if err == nil && (strings.Trim(u.Path, "/") != "" || u.RawQuery != "") {
		return errors.New("the url of a proxy has no path and no query; leave them out")
	}
	return err
}

// parseURL parses a URL with one of the schemes.
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
	headerCharacters = alphanumeric + "!#$%&'*+-.^_`|~" // of a name (RFC 9110)
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

// WithoutSecrets returns a URL without query, fragment and user. The URL may be invalid.
func WithoutSecrets(s string) string {
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

// reservedHeaders say how the request is sent. A hook cannot set them.
var reservedHeaders = []string{"content-length", "transfer-encoding", "connection"}

// CheckHeader returns the fault of a header, without quoting its value. seen has the previous names in lower case;
// CheckHeader adds the header's name.
func CheckHeader(h Header, seen map[string]bool) error {
	lower := strings.ToLower(h.Name)
	twice := seen[lower]
	seen[lower] = true
	switch {
	case h.Name == "" || strings.Trim(h.Name, headerCharacters) != "":
		return fmt.Errorf("%q is no header name", h.Name)
	case slices.Contains(reservedHeaders, lower):
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

// Expanded returns the headers with the values of variables. Values are checked after variables are expanded, so one
// header stays one header.
func (e *Endpoint) Expanded(getenv func(string) string) ([]Header, error) {
	all := slices.Clone(e.Headers)
	seen := map[string]bool{}
	for i, h := range all {
		if err := CheckHeader(h, seen); err != nil {
			return nil, err
		}
		all[i].Value = expand(h.Value, e.AllowedEnvVars, getenv)
		if err := checkValue(h.Name, all[i].Value); err != nil {
			return nil, err
		}
	}
	return all, nil
}

var (
	variableName = lazy.Regexp{Text: `^[A-Za-z_][A-Za-z0-9_]*\z`}
	variable     = lazy.Regexp{Text: `\$[A-Za-z_][A-Za-z0-9_]*|\$\{[A-Za-z_][A-Za-z0-9_]*\}`}
)

// IsVariable reports whether a header can refer to a variable of that name.
func IsVariable(name string) bool { return variableName.Get().MatchString(name) }

// Variables returns the names of the variables in the header's value.
func (h Header) Variables() (names []string) {
	for _, v := range variable.Get().FindAllString(h.Value, -1) {
		names = append(names, strings.Trim(v, "${}"))
	}
	return names
}

// expand replaces $NAME and ${NAME} by variables. Inserted values are not expanded again.
func expand(s string, allowed []string, getenv func(string) string) string {
	return variable.Get().ReplaceAllStringFunc(s, func(v string) string {
		if name := strings.Trim(v, "${}"); slices.Contains(allowed, name) {
			return getenv(name)
		}
		return ""
	})
}

// Error says why no usable answer came.
type Error struct {
	// Cause is unstarted without a trusted connection, exit if the status is not 2xx, output if the answer is not
	// whole, not HTTP or too large.
	Cause protocol.Cause
	Text  string // one line
	Err   error  // of the system or net/http
}

func (e *Error) Error() string { return e.Text }
func (e *Error) Unwrap() error { return e.Err }
