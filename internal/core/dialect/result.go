package dialect

import (
	"time"

	"github.com/hookrun/hookrun/protocol"
)

// HookResult is the result of a hook's process or request. If Err is set, all other fields but Sent are empty.
type HookResult struct {
	Sent  Payload // the hook's input
	Err   error   // the hook could not start
	Async bool    // the hook started, and hookrun does not wait
	// WentAsync: hookrun does not wait because of the hook's first line, not because of the file.
	WentAsync     bool
	AsyncResult   bool   // the late result of an async hook: decisions no longer count
	ProtocolError string // the fault of a persistent hook's line; "": the line is valid
	CallID        string // the JSON id of the call for a persistent hook; "": the call had no id
	Line          bool   // the result is from a persistent hook's line
	LineObject    bool   // Stdout is the object of the line, and not a text from the line
	LineNote      bool   // Stderr is from the line
	// a shell ran a command line, or env ran a script: 126 and 127 mean that the command could not run
	Shell bool
	// the fault of the file to run, if the exit code was 126 or 127 and the fault is known
	Fault    string
	HTTP     *HTTPResult // of an HTTP hook, whose response body is Stdout; nil: a process or a function
	TimedOut bool        // killed at the deadline, Limit
	Warm     bool        // an earlier call had started the persistent process
	NoLine   bool        // a persistent hook timed out before printing a line
	Limit    time.Duration
	ExitCode int
	Signal   string // the signal that killed the process, as SIGKILL; "": the process exited
	Stdout   Capture
	Stderr   Capture

	LeftRunning []int // processes left behind by the hook
	Unread      bool  // one of these still held the output when hookrun stopped reading
	Duration    time.Duration
}

// HTTPResult is the result of an HTTP hook's request. The zero value is a valid response.
type HTTPResult struct {
	// Failure is the cause if the response is not valid: unstarted (no connection), exit (a status other than 2xx) or
	// output (an incomplete response). Why describes the failure.
	Failure protocol.Cause
	Why     string
}

// NotRunByShell reports whether the shell says that the hook's command could not run.
func (r *HookResult) NotRunByShell() bool {
	return r.Shell && r.Signal == "" && (r.ExitCode == 126 || r.ExitCode == 127)
}
