package dialect

import (
	"time"

	"github.com/hookrun/hookrun/protocol"
)

// HookResult is what became of a hook's process or request. Err excludes all else.
type HookResult struct {
	Err   error // it could not be started
	Async bool  // it was started and is not waited for
	// WentAsync: it is not waited for since its own first line says so, and not its file.
	WentAsync     bool
	AsyncResult   bool   // it was not waited for, and this is what came of it: no decision counts any more
	ProtocolError string // what is wrong with the line that a persistent hook answered; "" if nothing is
	CallID        string // the id of the call, as JSON, that a persistent hook got; "": it got none
	Line          bool   // it is the line of a persistent hook
	LineObject    bool   // Stdout is the object of that line, and no text in it
	LineNote      bool   // that line has stderr, so Stderr is what it says
	// a shell ran a line of text for it, or env a script: 126 and 127 say that they could not run it
	Shell bool
	// what is wrong with the file that was to run, if it exited with one of these two and that is known
	Fault    string
	HTTP     *HTTPResult // of an HTTP hook, whose answer's body is Stdout; nil: it was a process or a function
	TimedOut bool        // it was killed at its deadline, Limit
	NoLine   bool        // a persistent hook was, which had not printed a line
	Limit    time.Duration
	ExitCode int
	Signal   string // that killed it, as SIGKILL; "" if it exited
	Stdout   Capture
	Stderr   Capture

	LeftRunning []int // processes that it left behind
	Unread      bool  // one of those still held its output when hookrun ended to read it
	Duration    time.Duration
}

// HTTPResult is what became of the request of an HTTP hook. The zero value is a good answer.
type HTTPResult struct {
	// Failure is why there is no good answer: unstarted (no connection), exit (a status that is not 2xx) or output (no
	// whole answer); "" if there is one. Why says it in words.
	Failure protocol.Cause
	Why     string
}

// NotRunByShell reports whether the shell that was to run the hook says that it could not.
func (r *HookResult) NotRunByShell() bool {
	return r.Shell && r.Signal == "" && (r.ExitCode == 126 || r.ExitCode == 127)
}
