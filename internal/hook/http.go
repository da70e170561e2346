package hook

import (
	"fmt"
	"slices"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/httphook"
	"github.com/hookrun/hookrun/protocol"
)

// Endpoint is where the hook posts to, with the variables alone that the settings of its client admit; or an error,
// where they do not allow the address. Only a hook with HTTP has one.
func (h *Hook) Endpoint() (httphook.Endpoint, error) {
	if !h.Settings.allowsURL(h.HTTP.URL) {
		return httphook.Endpoint{}, fmt.Errorf("%s is not among the \"allowedHttpHookUrls\" of the settings", h.HTTP)
	}
	e := *h.HTTP
	if h.Settings != nil && h.Settings.Variables != nil {
		e.AllowedEnvVars = slices.DeleteFunc(slices.Clone(e.AllowedEnvVars), func(n string) bool {
			return !h.Settings.allowsVariable(n)
		})
	}
	return e, nil
}

// FailureDecision decides whether the hook fails open or closed at the call if it gave no answer for that cause: by the
// first of the policies that names the cause, else by its dialect.
func (h *Hook) FailureDecision(c *dialect.Call, cause protocol.Cause,
	policies ...dialect.FailurePolicy) protocol.Decision {
	return h.Dialect.FailureDecision(c, dialect.Fault{Cause: cause, HTTP: h.HTTP != nil}, policies...)
}

// ApplyFailurePolicy decides for the hook as FailureDecision does, where its verdict is that of one without an answer.
func (h *Hook) ApplyFailurePolicy(c *dialect.Call, v dialect.Verdict,
	policies ...dialect.FailurePolicy) dialect.Verdict {
	v.HTTP = h.HTTP != nil
	return h.Dialect.ApplyFailurePolicy(c, v, policies...)
}

// Causes are the kinds of failure that the hook can have.
func (h *Hook) Causes() []protocol.Cause {
	if h.HTTP == nil || h.Form != nil {
		return h.Dialect.Causes
	}
	return slices.DeleteFunc(slices.Clone(h.Dialect.Causes), func(c protocol.Cause) bool {
		return c == protocol.CauseSignal
	})
}
