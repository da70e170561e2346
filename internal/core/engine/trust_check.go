package engine

import (
	"errors"

	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/protocol"
)

// TrustCheck compares the files of a call's hooks with the records of what may run. It returns no files if they could
// not be read, and changes no record. An error blocks the call. With neither Required nor Pin it reads no records, but
// the commands of hooks at all levels.
type TrustCheck func(cfg *hookfile.Config, c *TrustCall) (TrustFiles, Judgment, error)

// TrustCall is what a TrustCheck gets to know of a call.
type TrustCall struct {
	Workspace string                      // absolute
	Dir       string                      // the call's folder, if hooks run there; "": the workspace
	Worktree  string                      // the linked worktree of Dir, without links; "": none
	Hooks     []hook.Hook                 // the hooks that run
	Environ   func(h *hook.Hook) []string // the environment of a hook's process
	StateDir  string                      // Options.StateDir
	Required  bool                        // a project's hooks run only if a person has allowed them
	Pin       bool                        // the session keeps the hooks of its first call
	Session   string
}

// TrustFiles are the files of a call's hooks, as the TrustCheck has read them.
type TrustFiles interface {
	// Pin records the hooks at a session's first call, or compares them with the record of a quicker process.
	Pin(Judgment) (Judgment, error)
	// ChangedBeforeRun returns the path of a file of the hook that has changed since the check, or "".
	ChangedBeforeRun(*hook.Hook) string
	// ChangedDuringRun is ChangedBeforeRun for a hook that has ended and may have made new files.
	ChangedDuringRun(*hook.Hook) string
	// State returns a text that differs once a file that the hook's command runs is another or has changed. An error
	// says why nobody knows these files.
	State(*hook.Hook) (string, error)
	// ChangedWithin returns the Judgment of a call, without its cause, after such a change.
	ChangedWithin(h *hook.Hook, path string) Judgment
}

// Judgment is the result of a TrustCheck. The zero value blocks nothing.
type Judgment struct {
	// Cause and Reason are set if calls are blocked, before any of their hooks run.
	Cause  protocol.Cause
	Reason string
	Why    string // Reason without the remedy; "" in a Judgment of the engine
	Scope  string // the calls that are blocked
	// Held names the hooks that the differences concern: only calls for them are blocked. nil: every tool call is,
	// because the set of hooks may be another.
	Held []string
	// HeldAt returns the Judgment of a call for these hooks alone; nil if Held is.
	HeldAt func(hooks []string) Judgment
	// UserChanged: the user's or the managed file is not that of the session's first call.
	UserChanged bool
	// NotAllowedMessage is a message that the project's hooks do not run because no person has allowed them, or "".
	NotAllowedMessage string
	// Unpinned: this is the first call of the session; see TrustFiles.Pin.
	Unpinned bool
}

// At returns the Judgment of a call for these hooks alone. If no difference concerns them, it blocks nothing.
func (j Judgment) At(hooks []string) Judgment {
	if j.Held == nil {
		return j
	}
	return j.HeldAt(hooks)
}

// errNoTrustCheck is the error of a runner that must check files and was not told how: it blocks every call.
var errNoTrustCheck = errors.New("the hooks must be checked before they run (trust or freeze), and this program has " +
	"no check of trust, so every call is blocked")
