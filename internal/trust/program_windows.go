package trust

import "os/exec"

// shellPath is the shell of string commands: it is looked for in PATH here.
const shellPath = "\x00"

func isProgram(path string) bool {
	_, err := exec.LookPath(path)
	return err == nil
}
