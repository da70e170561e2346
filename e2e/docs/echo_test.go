//go:build unix

package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// echoes matches a variable that echo writes into a pipe. The echo of dash ends at \c and replaces \n, and every echo
// takes a first word -n for an option, so the program behind the pipe sees another text than the shell would run. So it
// is for a variable that is the format of printf.
var echoes = regexp.MustCompile(`\becho\b[^|;&\n]*\$[^|;&\n]*\|[^|]|\bprintf (-- )?\\?"?\$`)

// TestNoEchoIntoAPipe: no hook that people copy shows a program the text of a call by echo.
func TestNoEchoIntoAPipe(t *testing.T) {
	for _, line := range []string{`echo "$c" | grep -q x`, `echo \"$c\" | grep`, `echo -E $c|sed`, `echo "${c}" | jq .`,
		`echo "$(cat)" | grep`, `printf "$c" | grep`, `printf $c`, `printf -- \"$c\"`} {
		require.Regexp(t, echoes, line)
	}
	for _, line := range []string{`printf '%s\n' "$c" | grep -q x`, `echo "$c"`, `echo "$c" || exit 2`,
		`echo x >&2; printf '%s' "$c" | jq`} {
		require.NotRegexp(t, echoes, line)
	}
	looked := 0
	for _, root := range []string{"README.md", ".tenex-hooks.example.json", "docs", "scripts/examples", "packages",
		"internal/doors/cli", "internal/core", "internal/clients", "conformance", "bridges"} {
		read := func(path string, d fs.DirEntry, err error) error {
			name, data := filepath.ToSlash(path), strings.HasSuffix(path, ".jsonl")
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".venv")):
				return fs.SkipDir
			case d.IsDir() || data || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			looked++
			require.Empty(t, echoes.FindString(string(text)), name)
			return nil
		}
		require.NoError(t, filepath.WalkDir(filepath.Join("../..", root), read))
	}
	require.Greater(t, looked, 200)
}

// TestGuardsSeeEveryCommand: the guards of the pages hold what they are for, also behind words that change what echo
// prints, and hold nothing else.
func TestGuardsSeeEveryCommand(t *testing.T) {
	for _, guard := range []struct{ page, file, tool, held string }{
		{"docs/reference/hooks-file.md", "kept.json", "shell", "git push"},
		{"docs/start/first-hour.md", ".tenex-hooks.json", "shell", "pip install x"},
		{"docs/clients/crush.md", "crush.json", "bash", "git push"},
	} {
		path := []string{"PATH=" + filepath.Dir(binary.Path) + ":" + os.Getenv("PATH")}
		t.Run(guard.page, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for _, b := range blocksOf(t, guard.page) {
				if b.name != "" {
					b.write(t, dir)
				}
				if strings.HasPrefix(b.text, "#!") {
					require.NoError(t, os.Chmod(filepath.Join(dir, b.name), 0o755))
				}
			}
			code := func(command string) int {
				return binary.Run(t, dir, "", path, binary.Path, "pre-tool", "-c", guard.file, "--tool", guard.tool,
					"--args", binary.JSON(t, map[string]string{"command": command})).Code
			}
			for _, before := range []string{"", `printf "\c"; `, `\c; `, `x='\c'; `, `-n; `, `-e "\c"; `,
				`-ne '\c'; `, `a\nb; `, `\0; `, `\0000; `, `\b; `, "ls\n", "x \\\n", "-n\n", `%s%c; `, `\\c; `} {
				require.Equal(t, 2, code(before+guard.held), "%q", before)
				require.Equal(t, 0, code(before+"ls"), "%q", before)
			}
		})
	}
}
