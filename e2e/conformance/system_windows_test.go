package conformance

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// callLimit is how long one `hookrun fire` may take, also where Wine starts its processes on a busy machine.
const callLimit = 2 * time.Minute

// isThere says whether this machine has what a case needs.
func isThere(_ *testing.T, need string) bool { return need == "no-pwsh" }

// ownSession is that of the test.
var ownSession *syscall.SysProcAttr

// kill kills hookrun, and the system its hooks with it.
func kill(p *os.Process) { _ = p.Kill() }

// inPattern is an absolute path as a rule's pattern has it: C:/x is /c/x.
func inPattern(path string) string { return "/" + strings.ToLower(path[:1]) + path[2:] }

// hasProc reports whether hooks can note what the system says of their process.
const hasProc = false

// exactTimes reports whether hooks must start and end as soon as in the client: Wine takes long to start a process.
const exactTimes = false

// ownVariables adds what the shell of the hooks needs on this system, and the folders of the user.
func (r *trial) ownVariables(t *testing.T, env map[string]string) {
	t.Helper()
	sh, err := exec.LookPath("sh") // that of the tests
	require.NoError(t, err)
	temp := filepath.FromSlash(r.base + "/tmp")
	for name, value := range map[string]string{
		binary.LacksVariable: filepath.FromSlash(r.base + "/missing"),
		"PATH":               filepath.Dir(sh), "ProgramFiles": temp, // no Git with a sh of its own
		"USERPROFILE": r.home, "APPDATA": r.home, "LOCALAPPDATA": r.home, "TEMP": temp, "TMP": temp,
	} {
		maps.DeleteFunc(env, func(n, _ string) bool { return strings.EqualFold(n, name) })
		env[name] = value
	}
}

// leftOut is what a case's hooks need and this system does not have.
func (r *trial) leftOut() string {
	if what, err := os.ReadFile(r.base + "/missing"); err == nil {
		return string(what)
	}
	switch {
	case strings.Contains(r.stdout, "could not run: sh: Internal error."):
		return "more processes at once than Wine starts"
	case bytes.Contains(r.Config, []byte("BASH_VERSION")):
		return "bash itself"
	case bytes.Contains(r.Config, []byte("/proc/")):
		return "/proc"
	}
	for _, f := range r.Files {
		switch {
		case strings.Contains(f.Content, "/proc/"), strings.Contains(f.Content, "/parent"):
			return "/proc"
		case strings.HasPrefix(f.Content, "#!") && f.Mode != "0755" && strings.Contains(r.ID, "executable"):
			return "modes of files"
		}
	}
	return ""
}

type process struct {
	pid     int
	command string
}

// survivors are none: the job of a hook ends them, which the tests of internal/process show.
func (r *trial) survivors() []process { return nil }

func (r *trial) killSurvivors() int { return 0 }
