package serve

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/lib/jsonrpc"
)

const (
	// headTime is how long a client may take for the head of a request, and idleTime how long a connection may be
	// without a request.
	headTime = 10 * time.Second
	idleTime = 2 * time.Minute
	// bodyTime is how long a body may take, beside a second for each bodyPart.
	bodyTime = 10 * time.Second
	bodyPart = 1 << 20
	maxHead  = 32 << 10
	// smallBody is the length up to which a body does not count for maxBytes, so most calls do not wait for clients
	// that announce long bodies and send them slowly.
	smallBody = 16 << 10
)

// HTTP are the settings of ListenHTTP.
type HTTP struct {
	Address   string // HOST:PORT; the system chooses a port instead of 0
	TokenFile string // with the token that each request needs; "": none
	// CertFile and KeyFile are PEM files; "": no TLS.
	CertFile, KeyFile string
	// TransferTime is how long a body may take, beside a second for each bodyPart; 0: bodyTime.
	TransferTime time.Duration
	// Ready is called with the address, once clients can connect.
	Ready func(address string) error
}

// ListenHTTP serves HTTP until a client requests a shutdown or ctx ends. In the second case the error is the cause of
// ctx. A POST to / is a request, and a POST to /hook/CLIENT the input of a client's HTTP hook.
func (s *Server) ListenHTTP(ctx context.Context, o HTTP) error {
	l, address, err := o.listen()
	if err == nil {
		if err = o.Ready(address); err != nil {
			l.Close()
		}
	}
	if err != nil {
		_ = s.options.Runner.Close()
		return fmt.Errorf("--listen %s: %w", o.Address, err)
	}
	o.TransferTime = cmp.Or(o.TransferTime, bodyTime)
	door := &httpDoor{server: s, HTTP: o,
		calls: jsonrpc.NewSingles(jsonrpc.Limits{Calls: maxCalls, Waiting: maxWaiting})}
	web := &http.Server{Handler: door, ReadHeaderTimeout: headTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHead,
		ErrorLog: log.New(io.Discard, "", 0), Protocols: new(http.Protocols)}
	web.Protocols.SetHTTP1(true)
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(l) }()
	select {
	case err = <-ended:
		err = fmt.Errorf("--listen %s: %w", o.Address, err)
	case <-s.shutdown:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	l.Close()
	s.end()
	last, cancel := context.WithTimeout(context.Background(), lastWords)
	defer cancel()
	if web.Shutdown(last) != nil {
		web.Close()
	}
	return err
}

// listen checks the settings before it listens.
func (o *HTTP) listen() (l net.Listener, address string, err error) {
	host, port, err := net.SplitHostPort(o.Address)
	local := isLoopback(host)
	switch {
	case err != nil:
		return nil, "", errors.New("no address; write HOST:PORT, as in 127.0.0.1:8080")
	case (o.CertFile == "") != (o.KeyFile == ""):
		return nil, "", errors.New("--tls-cert and --tls-key belong together; give both")
	case !local && (o.TokenFile == "" || o.CertFile == ""):
		return nil, "", errors.New("other machines could reach this address; give --token-file, --tls-cert and " +
			"--tls-key, or listen on 127.0.0.1")
	}
	if o.TokenFile != "" {
		if _, err := readToken(o.TokenFile); err != nil {
			return nil, "", fmt.Errorf("--token-file %w", err)
		}
	}
	certificate := &certificate{cert: o.CertFile, key: o.KeyFile}
	if o.CertFile != "" {
		if err := certificate.load(); err != nil {
			return nil, "", err
		}
	}
	l, err = net.Listen("tcp", o.Address)
	if failed, ok := errors.AsType[*net.OpError](err); ok {
		err = failed.Err // the caller names the address
	}
	if err != nil {
		return nil, "", err
	}
	bound := l.Addr().(*net.TCPAddr)
	if local && !bound.IP.IsLoopback() {
		l.Close()
		return nil, "", fmt.Errorf("%s is %s here, which is not loopback; write 127.0.0.1", host, bound.IP)
	}
	if port == "0" {
		_, port, _ = net.SplitHostPort(bound.String())
	}
	if o.CertFile != "" {
		l = tls.NewListener(l, &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: certificate.get})
	}
	return l, net.JoinHostPort(host, port), nil
}

// isLoopback reports whether a host is this machine alone, by its name.
func isLoopback(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// httpDoor answers the requests of a ListenHTTP.
type httpDoor struct {
	HTTP
	server *Server
	calls  *jsonrpc.Singles
}

// hookPath is the path of clients' HTTP hooks, before the client's name.
const hookPath = "/hook/"

func (d *httpDoor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.limitBody(w, r)
	if name, isHook := strings.CutPrefix(r.URL.Path, hookPath); isHook {
		d.hook(w, r, strings.TrimSuffix(name, "/"))
		return
	}
	d.request(w, r)
}

// hookClients returns the names of the clients with HTTP hooks.
func hookClients() (names []string) {
	for _, client := range clients.All().Clients() {
		if client.Hooks.Posts() {
			names = append(names, client.Name)
		}
	}
	return names
}

// request answers a JSON-RPC request.
func (d *httpDoor) request(w http.ResponseWriter, r *http.Request) {
	text, give, no := d.read(w, r)
	if no == nil {
		defer give()
		if isHookInput(text) {
			d.write(w, http.StatusOK, refuseStray(text))
			return
		}
		if r.URL.Path != "/" {
			no = &refusal{status: http.StatusNotFound, text: "no such path; post to / or to " + hookPath + "CLIENT"}
		}
	}
	if no != nil {
		d.refuse(w, no)
		return
	}
	answer := func(method, params string, silent bool) (result jsonrpc.Result, later laterResult, err error) {
		switch {
		case method == "$/cancel":
			result.JSON = []byte("false")
			return result, nil, nil
		case method == "shutdown" && d.TokenFile == "":
			return result, nil, jsonrpc.Errorf(jsonrpc.InvalidRequest,
				"without --token-file anybody on this machine could end the server; end it with a signal")
		}
		return d.server.answer(r.Context(), method, params, silent)
	}
	reply := d.calls.Reply(r.Context(), text, answer)
	if reply.Text == nil {
		w.WriteHeader(http.StatusNoContent)
	}
	reply.Written(reply.Text != nil && d.write(w, http.StatusOK, reply.Text))
}

// refuse answers a request that was not served.
func (d *httpDoor) refuse(w http.ResponseWriter, no *refusal) {
	w.Header().Set("Connection", "close") // otherwise net/http waits for the body before it answers
	switch no.status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", "Bearer")
	case http.StatusMethodNotAllowed:
		w.Header().Set("Allow", http.MethodPost)
	}
	d.write(w, no.status, jsonrpc.ErrorReply(jsonrpc.Errorf(jsonrpc.InvalidRequest, "%s", no.text)))
}

// write writes an answer, and reports whether the system took it for the client.
func (d *httpDoor) write(w http.ResponseWriter, status int, body []byte) bool {
	conn := http.NewResponseController(w)
	_ = conn.SetWriteDeadline(time.Now().Add(d.timeFor(len(body))))
	defer func() { _ = conn.SetWriteDeadline(time.Time{}) }()
	head := w.Header()
	head.Set("Content-Length", fmt.Sprint(len(body)))
	if head.Get("Content-Type") == "" {
		head.Set("Content-Type", "application/json")
	}
	w.WriteHeader(status)
	_, err := w.Write(body)
	return err == nil && conn.Flush() == nil
}

// timeFor returns how long the transfer of a body may take.
func (d *httpDoor) timeFor(bytes int) time.Duration {
	return d.TransferTime + time.Duration(bytes/bodyPart)*time.Second
}
