package kit

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Unsupported says why cases cannot run on this system; "": they can.
const Unsupported = ""

// hasProc reports whether hooks can note what the system says of their process.
const hasProc = true

// exactTimes reports whether a case must end as soon as in the client.
const exactTimes = true

// survivors are the hooks' processes that are alive, to the last descendant: all of them have the place for the notes
// in their environment.
func (r *Trial) survivors() []process {
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
func (r *Trial) killSurvivors() int {
	alive := r.survivors()
	for _, p := range alive {
		_ = syscall.Kill(p.pid, syscall.SIGKILL)
	}
	return len(alive)
}
