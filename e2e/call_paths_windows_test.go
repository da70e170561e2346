package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/process/processtest"
)

// at moves the workspace of a call to another folder, in which the hook is "./bin dir/guard.exe".
func (c *call) at(workspace string, edit func(doc string) string) {
	c.Helper()
	program := filepath.Join(workspace, "bin dir", "guard.exe")
	require.NoError(c, os.MkdirAll(filepath.Dir(program), 0o700))
	text, err := os.ReadFile(c.Self())
	require.NoError(c, err)
	require.NoError(c, os.WriteFile(program, text, 0o700))
	doc := `{"hooks": [{"name": "h", "command": ["./bin dir/guard.exe", "folder"], "events": ["pre-tool"]}]}`
	require.NoError(c, os.WriteFile(filepath.Join(workspace, ".tenex-hooks.json"), []byte(edit(doc)), 0o600))
}

func plain(doc string) string { return doc }

// runs runs hookrun and returns its stdout.
func (c *call) runs(workspace string) string {
	c.Helper()
	c.cmd.Args[len(c.cmd.Args)-1] = workspace
	require.NoError(c, c.cmd.Start())
	c.exits(0)
	return strings.TrimSpace(c.out.String())
}

func sameFolder(t *testing.T, want, got string) {
	t.Helper()
	a, err := os.Stat(want)
	require.NoError(t, err)
	b, err := os.Stat(got)
	require.NoError(t, err)
	require.True(t, os.SameFile(a, b), got)
}

func TestWorkspacePaths(t *testing.T) {
	for name, write := range map[string]func(path string) string{
		"blanks":          plain,
		"slashes":         filepath.ToSlash,
		"lower-case":      strings.ToLower,
		"verbatim":        func(path string) string { return `\\?\` + path },
		"ends in a slash": func(path string) string { return path + `\` },
	} {
		t.Run(name, func(t *testing.T) {
			c := newCall(t, role("print"))
			workspace := filepath.Join(c.Dir, "my work")
			c.at(workspace, plain)
			sameFolder(t, workspace, c.runs(write(workspace)))
		})
	}
}

// Paths of more than 260 characters: of the program and the hooks file, and of the workspace.
func TestLongPaths(t *testing.T) {
	c := newCall(t, role("print"))
	deep := filepath.Join(c.Dir, strings.Repeat("long ", 20)+"1", strings.Repeat("long ", 20)+"2",
		strings.Repeat("long ", 20)+"3")
	c.at(deep, func(doc string) string {
		return strings.Replace(doc, "./bin", filepath.ToSlash(deep)+"/bin", 1)
	})
	c.cmd.Args = append(c.cmd.Args, "-c", filepath.Join(deep, ".tenex-hooks.json"))
	require.NoError(t, c.cmd.Start())
	_ = c.cmd.Wait()
	if processtest.UnderWine() { // it starts no such program
		require.Equal(t, 2, c.cmd.ProcessState.ExitCode())
		require.Contains(t, c.err.String(), "its path has more than 260 characters")
	} else {
		require.Equal(t, 0, c.cmd.ProcessState.ExitCode(), "%s%s", &c.out, &c.err)
		sameFolder(t, c.Dir, strings.TrimSpace(c.out.String()))
	}

	c = newCall(t, role("print"))
	c.cmd.Args[len(c.cmd.Args)-1] = deep
	require.NoError(t, c.cmd.Start())
	c.exits(2)
	require.Contains(t, c.err.String(), "Windows starts no program in one of more than 258")
}

// What Windows' editors and shells write: a byte order mark, CR LF.
func TestHooksFileOfAWindowsEditor(t *testing.T) {
	c := newCall(t, role("print"))
	c.at(filepath.Join(c.Dir, "sub"), func(doc string) string {
		return "\ufeff" + strings.Replace(doc, `", "`, "\",\r\n\"", 1) + "\r\n"
	})
	sameFolder(t, filepath.Join(c.Dir, "sub"), c.runs(filepath.Join(c.Dir, "sub")))

	c = newCall(t, role("print"))
	c.at(filepath.Join(c.Dir, "sub"), func(doc string) string { return string(utf16le(doc)) })
	c.cmd.Args[len(c.cmd.Args)-1] = filepath.Join(c.Dir, "sub")
	require.NoError(t, c.cmd.Start())
	c.exits(1)
	require.Contains(t, c.err.String(), "1:1: parsing: not UTF-8; save the file as UTF-8")
}

// utf16le is what Windows PowerShell's > makes of a text.
func utf16le(text string) (b []byte) {
	for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
		b = append(b, byte(unit), byte(unit>>8))
	}
	return b
}

// A byte order mark and CR LF are no part of an answer. One in UTF-16 cannot be read, and blocks.
func TestAnswersOfWindows(t *testing.T) {
	const deny = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",` +
		`"permissionDecisionReason":"no"}}` + "\r\n"
	for name, test := range map[string]struct{ answer, cause, reason string }{
		"byte order mark": {"\ufeff" + deny, "policy", "no"},
		"lines":           {strings.ReplaceAll(deny, ",", ",\r\n"), "policy", "no"},
		"UTF-16":          {string(utf16le(deny)), "output", "print it in UTF-8, not UTF-16"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCall(t, role("show", "answer"), "-o", "json")
			require.NoError(t, os.WriteFile(filepath.Join(c.Dir, "answer"), []byte(test.answer), 0o600))
			require.NoError(t, c.cmd.Start())
			c.exits(2)
			o := c.outcome()
			require.Equal(t, test.cause, o.Cause)
			require.Contains(t, o.Reason, test.reason)
		})
	}
}

// A path that no program of Windows understands is an error that says what to write.
func TestProgramPaths(t *testing.T) {
	for name, want := range map[string]string{
		"C:guard.exe":  "C:guard.exe: it starts in the current folder of drive C:; write C:/guard.exe",
		"/c/guard.exe": "/c/guard.exe: a path of Git's sh, which other programs do not know; write C:/guard.exe",
		"/bin/guard":   "/bin/guard: a path without a drive; write one, such as C:/bin/guard",
	} {
		c := newCall(t, role("print"))
		doc, err := json.Marshal(map[string]any{"hooks": []any{
			map[string]any{"name": "h", "command": []string{name}, "events": []string{"pre-tool"}}}})
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(c.Dir, ".tenex-hooks.json"), doc, 0o600))
		require.NoError(t, c.cmd.Start())
		c.exits(2)
		require.Equal(t, "pre-tool hook 'h' could not run: "+want+"\n", c.err.String())
	}
}
