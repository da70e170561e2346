package dialect

// Shell is a kind of shell that a client gives commands to.
type Shell int

const (
	POSIX      Shell = iota // sh and its kin; on Windows that of Git
	Cmd                     // cmd.exe
	PowerShell              // Windows PowerShell and PowerShell 7
)

// CommandKey is the member of an entry with its command.
const CommandKey = "command"

// JSONForm is which JSON a client reads.
type JSONForm int

const (
	PlainJSON    JSONForm = iota // also behind a byte order mark
	WithComments                 // with comments
	WithoutMark                  // it drops a file that begins with a byte order mark
)

// SilentReason is the reason of a block if hookrun gave no answer.
const SilentReason = "hookrun gave no answer; is it installed?"

// ExitNote is the exit status of an answer that lets the call pass and has a text on stderr, for clients that know 1
// for that. Any program that fails exits with 1, so the entry makes 1 of it.
const ExitNote = 5
