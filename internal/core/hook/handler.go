package hook

import (
	"context"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/protocol"
)

// Handler is what a hook does at a call: a *Process, *Request, *Rule, *Function or Unsupported.
type Handler interface {
	// String returns the handler as a person would write it: the command, the URL, or the rule's message.
	String() string
}

// Starts reports whether the hook starts a program.
func (h *Hook) Starts() bool { _, is := h.Handler.(*Process); return is }

// Process returns the hook's process, or an empty one if the hook starts no program.
func (h *Hook) Process() *Process {
	if p, is := h.Handler.(*Process); is {
		return p
	}
	return &Process{}
}

// FollowsDir reports whether the hook runs in the session's current directory. A persistent hook does not: a process
// for many calls has one directory, and the process for a call that nobody else answers must have the same.
func (h *Hook) FollowsDir() bool { return h.Dialect.Run.FollowsDir && h.Process().Workers == 0 }

// A hook has one handler: the others of these are nil or "".

func (h *Hook) Request() *Request   { r, _ := h.Handler.(*Request); return r }
func (h *Hook) Rule() *Rule         { r, _ := h.Handler.(*Rule); return r }
func (h *Hook) Unsupported() string { u, _ := h.Handler.(Unsupported); return string(u) }

// PackRule returns the pack's rule if the hook is from a pack; otherwise nil.
func (h *Hook) PackRule() PackRule {
	if r := h.Rule(); r != nil {
		return r.Pack
	}
	return nil
}

// Process is a handler that runs a command.
type Process struct {
	Command
	// Workers is the maximum number of processes that live as long as the Runner, and answer many calls with a line for
	// each line of input; 0: each call has its own process.
	Workers int
	// Keep is how long these processes stay without a call, between the calls of several programs; 0: not at all.
	Keep time.Duration
}

// DefaultKeep is the default of Process.Keep in a hooks file.
const DefaultKeep = 10 * time.Minute

// Command is the command of a hook: either Argv, spawned directly, or Shell, run by `sh -c`.
type Command dialect.Command

func (c Command) String() string {
	if c.Argv == nil {
		return c.Shell + c.Script + c.Callable
	}
	quoted := make([]string, len(c.Argv))
	for i, a := range c.Argv {
		quoted[i] = a
		if a == "" || strings.ContainsAny(a, " \t\n\"'\\$`|&;<>()*?[]#~") {
			quoted[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
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

// Function is a handler that is a Go function.
type Function struct {
	OnFailure protocol.Decision // of each failure: Block or Continue
	// Run returns the verdict on the call as the hook sees it, after limit at the latest. The verdict includes the
	// policy for failures.
	Run func(ctx context.Context, c *dialect.Call, limit time.Duration) dialect.Verdict
}

// String names no function, because Go functions have no text.
func (*Function) String() string { return "" }

// Unsupported is the type of a handler that hookrun cannot run, because the type needs a model or a client.
type Unsupported string

// String returns the type in words.
func (u Unsupported) String() string { return "a hook of type " + string(u) }
