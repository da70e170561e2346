// Package httphook sends one HTTP request for a hook and prints the answer: a process of its own, like any command hook.
//
//	os.Exit(httphook.Run(os.Stdin, os.Stdout, os.Stderr, os.Getenv, nil))
//
//	$ printf '%s\n%s' '{"url":"http://127.0.0.1:8080/guard"}' '{"tool":"shell"}' | hookrun http-hook
//	{"decision":"approve"}
//
// It speaks HTTP/1.1 itself, over package net: net/http and crypto/tls would make every start of hookrun slower, also
// where no hook needs them. TLS comes from whoever has it linked, as a Secure.
//
// Guarantees:
//
//  1. Nothing is written to stdout but the whole body of a 2xx answer. A body that was cut, is more than 1 MiB or is
//     encoded (gzip) is an error. So is a redirect: it is never followed.
//  2. One header stays one header: a name or a value that could start another one, or another request, is refused. Values
//     are looked at after variables were put in.
//  3. Framing is read strictly. A second Content-Length, one beside Transfer-Encoding, any Transfer-Encoding but
//     chunked, one in HTTP/1.0, folded header lines and control characters are errors.
//  4. Memory is bounded by the request and 64 KiB of headers, interim answers and trailers included, and 1 MiB of body.
//  5. An error is one line and has neither the query nor the user of a URL, nor a header value, unless the server itself
//     puts them into its reason or the path of its Location.
//  6. The answer counts as soon as it is complete, even if the server has not read the whole request.
//
// Not guaranteed:
//
//   - that it ends: it has no timeouts. The one who started it ends it at the hook's deadline.
//   - that the path of the URL is kept secret: errors show it.
//   - that a body without Content-Length and chunks is complete: over plain TCP its end is the end of the connection.
//
// No proxy is used, whatever the environment says. Host names are ASCII: others are written in punycode.
package httphook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"unicode"
)

// Request is the first line of stdin, as JSON. The bytes after that line are the body.
type Request struct {
	// URL is http or https. Its path and query are sent as they are. Its user and password become a header
	// Authorization: Basic, unless Headers has an Authorization.
	URL string `json:"url"`

	// Headers are sent besides our own, of which they replace Host, User-Agent, Accept and Content-Type. $NAME and ${NAME} in a
	// value stand for an environment variable if AllowedEnvVars has it, and for nothing if not. Any other $ is itself.
	Headers        map[string]string `json:"headers,omitempty"`
	AllowedEnvVars []string          `json:"allowed_env_vars,omitempty"`
}

// Check returns what is wrong with a request whatever the variables in its headers are, without its address.
func (r Request) Check() error {
	to, err := parseURL(r.URL)
	if err != nil {
		return err
	}
	r.AllowedEnvVars = nil // whatever they hold
	_, err = requestHead(to, r, func(string) string { return "" }, 0)
	return err
}

// Secure makes a connection to host an encrypted one, and has made sure that it is host at the other end.
type Secure func(conn net.Conn, host string) (net.Conn, error)

// Run does the request on stdin. It returns the exit code: 0 for a 2xx answer, with its body on stdout, else 1, with one
// line on stderr that says what is wrong. Without secure, https is an error that names the program to install.
func Run(stdin io.Reader, stdout, stderr io.Writer, getenv func(string) string, secure Secure) int {
	answer, err := post(stdin, getenv, secure)
	if err == nil && len(answer) > 0 {
		_, err = stdout.Write(answer)
	}
	if err != nil {
		fmt.Fprintln(stderr, printable(err.Error()))
		return 1
	}
	return 0
}

func post(stdin io.Reader, getenv func(string) string, secure Secure) ([]byte, error) {
	input, err := io.ReadAll(stdin)
	if err != nil {
		return nil, fmt.Errorf("reading stdin: %w", err)
	}
	line, body, ok := bytes.Cut(input, []byte{'\n'})
	if !ok {
		return nil, errors.New("stdin has no line with the request; hookrun writes it when it runs a hook of type http")
	}
	var request Request
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields() // what another version of hookrun asks for must not be left undone silently
	if err := decoder.Decode(&request); err != nil {
		return nil, fmt.Errorf("the request on stdin: %w; "+
			"if hookrun wrote it, install hookrun and hookrun-https of one version", err)
	}
	to, err := parseURL(request.URL)
	if err != nil {
		return nil, err
	}
	if to.scheme == "https" && secure == nil {
		return nil, fmt.Errorf("%v: https needs the program hookrun-https beside hookrun; "+
			"install it with: go install github.com/hookrun/hookrun/cmd/hookrun-https@latest", to)
	}
	head, err := requestHead(to, request, getenv, len(body))
	if err != nil {
		return nil, fmt.Errorf("%v: %w", to, err)
	}
	conn, err := net.Dial("tcp", net.JoinHostPort(to.host, to.port))
	if err != nil {
		return nil, fmt.Errorf("%v: %w; is the server running, and the address right?", to, err)
	}
	if to.scheme == "https" {
		plain := conn
		if conn, err = secure(plain, to.host); err != nil {
			plain.Close()
			return nil, fmt.Errorf("%v: %w", to, err)
		}
	}
	answer, err := exchange(conn, head, body)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%v: %w", to, err)
	case answer.status/100 == 2:
		return answer.body, nil
	}
	status := strings.TrimSpace(fmt.Sprintf("http %d %s", answer.status, clip(answer.reason)))
	if answer.status/100 == 3 {
		return nil, fmt.Errorf("%s from %v; redirects are not followed, write the address itself: Location is %q",
			status, to, clip(withoutSecrets(answer.location)))
	}
	return nil, fmt.Errorf("%s from %v", status, to)
}

// exchange writes and reads at once: a server may answer, and close, before it has read everything.
func exchange(conn net.Conn, head, body []byte) (*response, error) {
	written := make(chan struct{})
	go func() {
		defer close(written)
		request := net.Buffers{head, body}
		_, _ = request.WriteTo(conn) // where it matters that the rest was not written, there is no answer to read either
	}()
	defer func() {
		conn.Close() // ends the writing too
		<-written
	}()
	return readResponse(conn)
}

// printable makes one line of s that does nothing to a terminal: parts of it may be the server's words.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
}

// clip keeps of the server's words what a message has room for.
func clip(s string) string {
	const most = 200
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}
