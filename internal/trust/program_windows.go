package trust

import "os/exec"

// shellPath is the shell of string commands: it is looked for in PATH here.
const shellPath = "\x00"

// programEndings are what the system adds to the name of a program. Each counts: a new guard.exe would run before
// guard.cmd.
var programEndings = []string{".com", ".exe", ".bat", ".cmd"}

func isProgram(path string) bool {
	_, err := exec.LookPath(path)
	return err == nil
}
