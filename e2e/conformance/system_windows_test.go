package conformance

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// prepare does nothing: no case that needs more runs here.
func prepare(*testing.T, []string) {}

// ownVariables are those that the shell of the hooks needs.
func (r *trial) ownVariables(t *testing.T) map[string]string {
	t.Helper()
	sh, err := exec.LookPath("sh") // that of the tests
	require.NoError(t, err)
	return map[string]string{
		binary.LacksVariable: filepath.FromSlash(r.Base + "/missing"),
		"PATH":               filepath.Dir(sh),
		"ProgramFiles":       filepath.FromSlash(r.Base + "/tmp"), // no Git with a sh of its own
	}
}

// leftOut is what a case's hooks need and this system does not have.
func (r *trial) leftOut() string {
	if what, err := os.ReadFile(r.Base + "/missing"); err == nil {
		return string(what)
	}
	switch {
	case strings.Contains(r.Stdout, "could not run: sh: Internal error."):
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
