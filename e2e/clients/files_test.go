//go:build linux

package clients

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// TestCommandsInFiles: these clients run a command of a file without a hook, though the project blocks it, and doctor
// says so. The rule of the pack asks before an agent writes the file, and lets a file without a command be.
func TestCommandsInFiles(t *testing.T) {
	for client, c := range map[string]struct{ file, text, honest, prompt, flag string }{
		"gemini":   {".gemini/commands/dep.toml", `prompt = "a !{touch forbidden}"`, `prompt = "a"`, "/dep", ""},
		"qwen":     {".qwen/commands/dep.md", "a !{touch forbidden}\n", "a\n", "/dep", ""},
		"opencode": {".opencode/command/dep.md", "a !`touch forbidden`\n", "a `b`!\n", "dep", "--command"},
		"droid":    {".factory/commands/dep", "#!/bin/sh\ntouch forbidden\n", "touch\n", "/dep", ""},
	} {
		t.Run(client, func(t *testing.T) {
			t.Setenv("PATH", pathOf(t, client))
			r := newClientRun(t, clientNamed(client))
			r.install()
			file := filepath.Join(r.workspace, c.file)
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
			require.NoError(t, os.WriteFile(file, []byte(c.text), 0o700))
			r.turn([]string{"touch forbidden"})
			require.False(t, r.ran("forbidden"), "as a call of the model: %s", r.output)
			i := slices.Index(r.args, "go")
			r.args = slices.Concat(r.args[:i], []string{c.prompt}, r.args[i+1:])
			if c.flag != "" {
				r.args = slices.Insert(r.args, i, c.flag)
			}
			r.turn()
			require.True(t, r.ran("forbidden"), "from the file: %s", r.output)
			out, _ := r.command(binary.Path, "doctor", client).CombinedOutput()
			require.Contains(t, string(out), "custom command")

			pack := filepath.Join(t.TempDir(), ".tenex-hooks.json")
			require.NoError(t, os.WriteFile(pack, []byte(`{"packs": ["agents"]}`), 0o600))
			require.NoError(t, os.Remove(file))
			for text, held := range map[string]bool{c.text: true, c.honest: false} {
				out, err := r.command(binary.Path, "pre-tool", "-c", pack, "--tool", "fs_write", "--args",
					toText(binary.Hook{"file_path": c.file, "content": text})).CombinedOutput()
				require.Equal(t, held, err != nil, "%s", out)
				if held {
					require.Contains(t, string(out), "a client runs without asking a hook (")
				}
			}
		})
	}
}
