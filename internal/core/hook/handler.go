package hook

import (
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/protocol"
)

// Handler is what a hook does at a call.
type Handler interface {
	// String returns the handler for a person: the message of a rule.
	String() string
}

// Rule is a handler that starts nothing: the hook has this verdict on each call that the hook is for.
type Rule struct {
	dialect.Verdict
	Pack PackRule // of a pack, whose condition must hold too; nil: the rule is the project's own
}

// String returns the rule's message.
func (r *Rule) String() string {
	if r.Injects() {
		return "inject " + spelling.Quote(r.Context)
	}
	return r.Decision.String() + " " + spelling.Quote(r.Reason)
}

// Injects reports whether the rule only has a text for the model.
func (r *Rule) Injects() bool { return r != nil && r.Decision == protocol.Continue }

// Decide returns the verdict of a hook with this rule on a call.
func (r *Rule) Decide(h *Hook, c *dialect.Call) dialect.Verdict {
	v := r.Verdict
	if r.Pack != nil {
		v.Reason = r.Pack.Reason(NewMatchContext(c).Found(h))
	} else if v.Decision == protocol.Block {
		if doubt := NewMatchContext(c).Doubt(h); doubt != "" {
			v.Reason += " (" + doubt + ")"
		}
	}
	return v
}

// Rule returns the hook's rule, or nil if another handler must run.
func (h *Hook) Rule() *Rule {
	r, _ := h.Handler.(*Rule)
	return r
}

// PackRule returns the pack's rule if the hook is from a pack; otherwise nil.
func (h *Hook) PackRule() PackRule {
	if r := h.Rule(); r != nil {
		return r.Pack
	}
	return nil
}
