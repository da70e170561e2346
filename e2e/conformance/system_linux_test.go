package conformance

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hookrun/hookrun/e2e/binary"
)

// callLimit is how long one `hookrun fire` may take.
const callLimit = 30 * time.Second

// isThere says whether this machine has what a case needs.
func isThere(t *testing.T, need string) bool {
	found := func(program string) bool {
		_, err := exec.LookPath(program)
		return err == nil
	}
	switch need {
	case "dash":
		sh, err := filepath.EvalSymlinks("/bin/sh")
		return err == nil && filepath.Base(sh) == "dash"
	case "no-pwsh":
		return !found("pwsh")
	case "python3":
		binary.Needs(t, need)
		return true
	}
	return false
}

// ownSession keeps the signals of the test from the process.
var ownSession = &syscall.SysProcAttr{Setsid: true}

// kill kills what was started with ownSession.
func kill(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

// ownVariables adds what the shell of the hooks needs on this system.
func (r *trial) ownVariables(*testing.T, map[string]string) {}

// inPattern is an absolute path as a rule's pattern has it.
func inPattern(path string) string { return path }

// hasProc reports whether hooks can note what the system says of their process.
const hasProc = true

// exactTimes reports whether a case must end as soon as in the client.
const exactTimes = true

// leftOut is what a case's hooks need and this system does not have.
func (r *trial) leftOut() string { return "" }

type process struct {
	pid     int
	command string
}

// survivors are the hooks' processes that are alive, to the last descendant: all of them have the place for the notes
// in their environment.
func (r *trial) survivors() []process {
	var found []process
	own := []byte("ORACLE_REC=" + r.notes + "\x00")
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		// A process can end at any time, and others are not for us to read.
		env, err := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		if err != nil || !bytes.Contains(append(env, 0), own) {
			continue
		}
		if line, err := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline")); err == nil {
			found = append(found, process{pid, strings.TrimSpace(strings.ReplaceAll(string(line), "\x00", " "))})
		}
	}
	return found
}

// killSurvivors says how many there were.
func (r *trial) killSurvivors() int {
	alive := r.survivors()
	for _, p := range alive {
		_ = syscall.Kill(p.pid, syscall.SIGKILL)
	}
	return len(alive)
}
