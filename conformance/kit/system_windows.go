package kit

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Unsupported says why cases cannot run on this system; "": they can.
const Unsupported = ""

// Limit is how long a program may take for a case, also where Wine starts its processes on a busy machine.
const Limit = 2 * time.Minute

// isThere reports whether this machine meets a need of a case.
func isThere(need string) bool { return need == "no-pwsh" }

// ownSession is that of the caller.
var ownSession *syscall.SysProcAttr

// kill kills the program; the system then kills the hooks.
func kill(p *os.Process) { _ = p.Kill() }

// inPattern is an absolute path as a rule's pattern has it: C:/x is /c/x.
func inPattern(path string) string { return "/" + strings.ToLower(path[:1]) + path[2:] }

// hasProc reports whether hooks can read /proc.
const hasProc = false

// exactTimes reports whether hooks must start and end as soon as in the client: Wine takes long to start a process.
const exactTimes = false

// ownVariables are the folders of the user.
func ownVariables(r *Trial) map[string]string {
	temp := filepath.FromSlash(r.Base + "/tmp")
	return map[string]string{"USERPROFILE": r.Home, "APPDATA": r.Home, "LOCALAPPDATA": r.Home,
		"TEMP": temp, "TMP": temp}
}

func sameVariable(a, b string) bool { return strings.EqualFold(a, b) }

// survivors returns nil: the job of a hook ends all processes; internal/core/process tests this.
func (r *Trial) survivors() []process { return nil }

func (r *Trial) killSurvivors() int { return 0 }
