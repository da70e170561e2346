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
	Shell   Shell
	OrBlock string // as Installation.OrBlock, for that shell
	Key     string // of the entry's member that has the command; "" is command
	Extra   string // members of the entry that choose the shell, as JSON
}

// Ends of commands for PowerShell. $? is false if the program ended with anything but 0, and if it is missing.
const (
	PowerShellOrBlock       = ` ; if (-not $?) { exit 2 }`
	PowerShellOrBlockAndSay = ` ; if (-not $?) { [Console]::Error.WriteLine('hookrun gave no answer'); exit 2 }`
)
