package dialect

// Shell is a kind of shell that a client gives commands to.
type Shell int

const (
	POSIX      Shell = iota // sh and its kin; on Windows that of Git
	Cmd                     // cmd.exe
	PowerShell              // Windows PowerShell and PowerShell 7
)

// CommandForm is how the command of an entry is written on Windows, where each client has a shell of its own.
type CommandForm struct {
	Shell Shell
	Key   string // of the entry's member that has the command; "" is command
	Extra string // members of the entry that choose the shell, as JSON
}

// NoAnswer is a block that does not come from hookrun, for clients that exit 2 does not stop at every event.
type NoAnswer struct {
	JSON string // on stdout, without a single quote
	Exit int
}

// SilentReason is the reason of a block if hookrun gave no answer.
const SilentReason = "hookrun gave no answer; is it installed?"

// ExitNote is the exit status of an answer that lets the call pass and has a text on stderr, for clients that know 1
// for that. Any program that fails exits with 1, so the entry makes 1 of it.
const ExitNote = 5
