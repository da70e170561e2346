package client

// Shell is the kind of shell that a client uses for commands.
type Shell int

const (
	POSIX      Shell = iota // sh and similar shells; on Windows, Git's sh
	Cmd                     // cmd.exe
	PowerShell              // Windows PowerShell and PowerShell 7
)

// CommandKey is the key of the command in an entry.
const CommandKey = "command"

// JSONForm is the JSON syntax that a client accepts.
type JSONForm int

const (
	PlainJSON    JSONForm = iota // with or without a byte order mark
	WithComments                 // also with comments
	WithoutMark                  // the client drops a file with a byte order mark
)

// SilentReason is the reason of a block if hookrun gave no answer.
const SilentReason = "hookrun gave no answer; is it installed?"

// SilentDeny is the block of an entry in Copilot CLI's files, see Installer.SilentBlock.
const SilentDeny = `{"permissionDecision":"deny","permissionDecisionReason":"` + SilentReason + `",` +
	`"decision":"block","reason":"` + SilentReason + `"}`

// ExitNote is the exit status for "continue, show stderr". A client's own status for this is 1, but a crash exits with
// 1 too. So hookrun exits with ExitNote, and the installed entry maps ExitNote to 1.
const ExitNote = 5
