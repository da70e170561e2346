package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// TestProtectPathsInPowerShell runs the script of the preset "paths" in each PowerShell that is there.
func TestProtectPathsInPowerShell(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "project")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "src"), 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".git"), 0o755))
	linked := exec.Command("cmd", "/c", "mklink", "/J", filepath.Join(dir, "ünïon"), os.TempDir()).Run() == nil
	initial := exec.Command(binary.Path, "init", "--preset", "paths")
	initial.Dir = dir
	out, err := initial.CombinedOutput()
	require.NoError(t, err, "%s", out)

	type row struct{ decision, tool, args string }
	rows := []row{
		{"continue", "fs_write", `{"path":"a.txt"}`},
		{"continue", "fs_write", `{"path":"new\\folder\\a.txt"}`},
		{"continue", "fs_write", `{"path":"new/folder/ü b.txt"}`},
		{"continue", "fs_write", `{"path":".gitignore"}`},
		{"continue", "fs_write", `{"path":".claude\\agents\\x.md"}`},
		{"continue", "Write", `{"file_path":` + text(filepath.Join(dir, "src", "a.txt")) + `}`},
		{"continue", "Write", `{"file_path":` + text(strings.ToUpper(dir)+`/A.TXT`) + `}`},
		{"continue", "apply_patch", text("*** Begin Patch\n*** Add File: b/x\n+a")},
		{"continue", "apply_patch", `{"input":"*** Update File: a\r\n*** Move to: b"}`},
		{"block", "apply_patch", `{"input":"*** Update File: a\n*** Move to: C:\\b"}`},
		{"block", "apply_patch", text("*** Begin Patch\n*** Add File: .git/x\n+a")},
		{"block", "fs_write", `{}`},
		{"block", "fs_write", `{"where":"a"}`},
		{"block", "fs_write", `{"path":null}`},
		{"block", "fs_write", `{"path":["a"]}`},
		{"block", "fs_write", `{"path":"a","path":"C:\\x"}`},
		{"block", "fs_write", `{"path":"a","Path":"C:\\x"}`},
		{"block", "fs_write", `{"path":"a","file_path":"C:\\x"}`},
	}
	blocked := []string{
		`C:\Windows\win.ini`, `C:/x`, `/x`, `\x`, `C:x`, `..\x`, `../x`, `a\..\..\x`, `a\.. \x`, `~\x`, "",
		`\\server\share\x`, `\\?\C:\x`, `\\.\C:`, dir, dir + `x\a`, "a\nb", `a|b`,
		`.git\config`, `.GIT/config`, `.git.\config`, `.git \config`, `GIT~1\config`, `.git::$INDEX_ALLOCATION\config`,
		`sub\.git\x`, `.tenex-hooks.json`, `.\.Tenex-hooks.json`, `.tenex-hooks\x`, `.tenex-hooks.json::$DATA`,
		`.claude\settings.json`, `.claude\hooks\x`, `.codex\x`, `.gemini\settings.json`,
		filepath.Join(dir, ".git", "config"),
	}
	if linked {
		blocked = append(blocked, `ünïon\x`, `ünïon`)
	}
	for _, path := range blocked {
		rows = append(rows, row{"block", "fs_write", `{"path":` + text(path) + `}`})
	}
	var tests []map[string]any
	for _, r := range rows {
		tests = append(tests, map[string]any{"name": r.tool + " " + r.args, "event": "pre-tool", "tool": r.tool,
			"args": json.RawMessage(r.args), "expect": map[string]string{"decision": r.decision}})
	}
	file := map[string]any{"tests": tests}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "more.hooktest.json"), []byte(text(file)), 0o600))

	for _, name := range []string{"powershell", "pwsh"} {
		t.Run(name, func(t *testing.T) {
			path, err := exec.LookPath(name)
			if err != nil {
				t.Skipf("no %s on Windows here", name)
			}
			// Wine has a program of this name, which does nothing.
			probe := exec.Command(path, "-NoProfile", "-NonInteractive", "-Command", "exit 7")
			if _ = probe.Run(); probe.ProcessState == nil || probe.ProcessState.ExitCode() != 7 {
				t.Skipf("%s is not PowerShell: Wine on Windows' behalf has only its name", path)
			}
			test := exec.Command(binary.Path, "test", "more.hooktest.json", ".tenex-hooks.hooktest.json")
			test.Dir = dir
			test.Env = append(os.Environ(), "PATH="+filepath.Dir(path))
			out, err := test.CombinedOutput()
			require.NoError(t, err, "%s", out)
		})
	}
}

func text(v any) string {
	doc, err := json.Marshal(v)
	if err != nil {
		panic(err) // of strings and maps of strings
	}
	return string(doc)
}
