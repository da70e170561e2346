package hook

import (
	"context"
	"fmt"
	"slices"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/endpoint"
	"github.com/hookrun/hookrun/protocol"
)

// Request is a handler that posts the hook input, and reads the body of the answer.
type Request struct {
	endpoint.Endpoint
	By      Requests
	FilesAt [2]Diagnostic // positions of the CA file and the client certificate
}

// String returns the address.
func (r *Request) String() string { return "POST " + r.Endpoint.String() }

// Requests send the requests of hooks. Who loads hooks files hands them in; package httphook sends hookrun's.
type Requests interface {
	NewClient() RequestClient
	// CheckFiles returns the faults of an endpoint's CA file and client certificate.
	CheckFiles(e *endpoint.Endpoint) (caFile, clientCert error)
}

// RequestClient keeps connections between requests. It is safe for concurrent use.
type RequestClient interface {
	// Post posts a body, given in pieces, and returns the answer's body. The error is an *endpoint.Error, or the
	// context's cause.
	Post(ctx context.Context, e *endpoint.Endpoint, getenv func(string) string, body [][]byte) ([]byte, error)
	CloseIdleConnections()
	Close() // closes all connections and waits until all are closed; later requests fail
}

// Endpoint returns the hook's endpoint, with only the variables allowed by the client's settings. It returns an error
// if the settings do not allow the address. The hook must
// have a Request.
func (h *Hook) Endpoint() (endpoint.Endpoint, error) {
	e := h.Request().Endpoint
	if !h.Settings.allowsURL(e.URL) {
		return endpoint.Endpoint{}, fmt.Errorf("%s is not among the \"allowedHttpHookUrls\" of the settings", &e)
	}
	if h.Settings != nil && h.Settings.Variables != nil {
		e.AllowedEnvVars = slices.DeleteFunc(slices.Clone(e.AllowedEnvVars), func(n string) bool {
			return !h.Settings.allowsVariable(n)
		})
	}
	return e, nil
}

// FailureDecision decides whether the hook fails open or closed at the call after a failure with this cause. The first
// policy with the cause decides, else the dialect. A function decides for itself.
func (h *Hook) FailureDecision(c *dialect.Call, cause protocol.Cause,
	policies ...dialect.FailurePolicy) protocol.Decision {
	if f, is := h.Handler.(*Function); is {
		return f.OnFailure
	}
	return h.Dialect.FailureDecision(c, dialect.Fault{Cause: cause, HTTP: h.Request() != nil}, policies...)
}

// Causes are the kinds of failure that the hook can have.
func (h *Hook) Causes() []protocol.Cause {
	if h.Request() == nil || h.Form != nil {
		return h.Dialect.Causes()
	}
	return slices.DeleteFunc(h.Dialect.Causes(), func(c protocol.Cause) bool {
		return c == protocol.CauseSignal
	})
}
