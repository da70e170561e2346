package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/testsupport/testhome"
)

// Nothing of these tests starts a process: the hooks are rules, and commands run in this process with streams in
// memory.

func TestMain(m *testing.M) { testhome.Main(m) }

// ran is what became of a command.
type ran struct {
	exit     int
	out, err string
}

// run runs a command with a text for stdin.
func run(stdin string, args ...string) ran {
	var out, err strings.Builder
	exit := Run(args, Streams{In: strings.NewReader(stdin), Out: &out, Err: &err})
	return ran{exit, out.String(), err.String()}
}

// rules are hooks that start no process.
const rules = `{"hooks": [
	{"name": "guard", "block": "Ask first.", "events": ["pre-tool"], "matcher": "shell"},
	{"name": "context", "inject": "Mind the gap.", "events": ["pre-tool", "post-tool", "pre-execute"], "matcher": "fs"},
	{"name": "redact", "block": "There is a secret in it.", "events": ["post-tool"], "matcher": "vault"}],
	"tools": {"fs": null, "vault": null}}`

// project makes a folder with a hooks file.
func workspace(t *testing.T, hooks string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	if hooks != "" {
		file(t, filepath.Join(dir, hookfile.FileName), hooks)
	}
	return dir
}

// file writes a file, and returns its path.
func file(t *testing.T, path, text string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}
