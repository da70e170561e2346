package install

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

func TestDiff(t *testing.T) {
	testall.NotOnWindows(t, "the paths of its data are those of Unix")
	claude, _ := Lookup("claude")
	p := inProject(t, claude, "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3,\n  \"d\": 4\n}")
	e := entry(claude)
	e.Events = []string{"PreToolUse"}
	change, err := claude.Install(p, e)
	require.NoError(t, err)
	change.Path = "settings.json"
	command, err := claude.Command(e.Binary, e.Args, true)
	require.NoError(t, err)
	command = strings.ReplaceAll(command, `"`, `\"`)
	require.Equal(t, strings.ReplaceAll(`--- settings.json
+++ settings.json
@@ -2,5 +2,18 @@
   "a": 1,
   "b": 2,
   "c": 3,
-  "d": 4
+  "d": 4,
+  "hooks": {
+    "PreToolUse": [
+      {
+        "hooks": [
+          {
+            "type": "command",
+            "command": "COMMAND",
+            "timeout": 70
+          }
+        ]
+      }
+    ]
+  }
 }
\ No newline at end of file
`, "COMMAND", command), change.Diff())
	change.Old = change.New
	require.Empty(t, change.Diff())
}

// What patch makes of the old text and the diff is the new text.
func TestPatch(t *testing.T) {
	patch, err := exec.LookPath("patch")
	if err != nil {
		t.Skip("no patch")
	}
	dir := t.TempDir()
	check := func(before, after string) {
		t.Helper()
		change := Change{Path: "x", Old: before, New: after, Existed: true, Exists: true}
		if change.Empty() {
			return
		}
		path := filepath.Join(dir, "x")
		require.NoError(t, os.WriteFile(path, []byte(before), 0o644))
		cmd := exec.Command(patch, "--binary", "--force", "--no-backup-if-mismatch", path)
		cmd.Stdin = strings.NewReader(change.Diff())
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s\n%s", out, change.Diff())
		require.NotContains(t, string(out), "offset")
		require.NotContains(t, string(out), "fuzz")
		require.Equal(t, after, content(t, dialect.Place{Path: path}), change.Diff())
	}
	for path, text := range settings(t) {
		c := clientOf(t, path)
		change, err := c.Install(inProject(t, c, text), entry(c))
		require.NoError(t, err)
		check(text, change.New)
		check(change.New, text)
	}
	lines := func(s string) string { return strings.ReplaceAll(s, "", "\n")[1:] }
	for _, two := range [][2]string{{"abcdefghijklmnop", "aXcdefghijklmnoY"}, {"abcdefghijklmnop", "bcdefghijklmnopq"},
		{"abcabba", "cbabac"}, {"aaaa", "aa"}} {
		check(lines(two[0]), lines(two[1]))
		check(strings.TrimSpace(lines(two[0])), lines(two[1]))
	}
	many := func(s string) string { return "first\n" + strings.Repeat(s+"\n", 2000) + "last\n" }
	check(many("a"), many("b"))
}

// patch finds the file by its name in the diff, whatever the name is.
func TestPatchFindsTheFile(t *testing.T) {
	patch, err := exec.LookPath("patch")
	if err != nil {
		t.Skip("no patch")
	}
	t.Chdir(t.TempDir())
	for _, path := range []string{"a", "a b", "a  b", "a ", " a", "é", `"a"`, "a\nb", "a\tb", `a\b`,
		"a 2020-01-01 00:00:00"} {
		require.NoError(t, os.WriteFile(path, []byte("{}\n"), 0o644))
		cmd := exec.Command(patch, "-p0", "--binary", "--force", "--no-backup-if-mismatch")
		change := Change{Path: path, Old: "{}\n", New: "[]\n", Existed: true, Exists: true}
		cmd.Stdin = strings.NewReader(change.Diff())
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s\n%s", out, change.Diff())
		require.Equal(t, "[]\n", content(t, dialect.Place{Path: path}))
	}
}

func TestDiffOfAFileThatComesOrGoes(t *testing.T) {
	come := Change{Path: "x", New: "a\nb\n", Exists: true}
	require.Equal(t, "--- /dev/null\n+++ x\n@@ -0,0 +1,2 @@\n+a\n+b\n", come.Diff())
	goes := Change{Path: "x", Old: "a\nb\n", Existed: true}
	require.Equal(t, "--- x\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n", goes.Diff())
}
