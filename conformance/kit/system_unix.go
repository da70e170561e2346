//go:build !windows

package kit

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// Limit is how long a program may take for a case.
const Limit = 30 * time.Second

// isThere reports whether this machine meets a need of a case.
func isThere(need string) bool {
	switch need {
	case "dash":
		sh, err := filepath.EvalSymlinks("/bin/sh")
		return err == nil && filepath.Base(sh) == "dash"
	case "no-pwsh":
		_, err := exec.LookPath("pwsh")
		return err != nil
	}
	_, err := exec.LookPath(need)
	return err == nil
}

// ownSession keeps the signals of the terminal from the process.
var ownSession = &syscall.SysProcAttr{Setsid: true}

// kill kills a process of ownSession, with its group.
func kill(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

// ownVariables are variables that this system needs.
func ownVariables(*Trial) map[string]string { return nil }

func sameVariable(a, b string) bool { return a == b }

// inPattern is an absolute path as a rule's pattern has it.
func inPattern(path string) string { return path }
