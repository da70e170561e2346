package binary

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"
)

// prepared returns copies of scripts that compare without regard to the separators of paths, in which files that are
// missing are missing in the system's words, and in which the home folder is that of Windows.
func prepared(t *testing.T, files []string) (copies []string) {
	dir := t.TempDir()
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitAfter(string(archive.Comment), "\n")
		for i, line := range lines {
			switch {
			case home.MatchString(line):
				lines[i] = line + home.ReplaceAllString(line, "env USERPROFILE=")
			case expects.MatchString(line):
				line = absent.ReplaceAllString(line, ".*")
				lines[i] = separator.ReplaceAllString(line, `$1[/\\]+`)
			case compares.MatchString(line):
				lines[i] = compares.ReplaceAllString(line, "${1}same$2 ")
			}
		}
		archive.Comment = []byte(strings.Join(lines, ""))
		path := filepath.Join(dir, filepath.Base(file))
		if err := os.WriteFile(path, txtar.Format(archive), 0o600); err != nil {
			t.Fatal(err)
		}
		copies = append(copies, path)
	}
	return copies
}

var (
	home      = regexp.MustCompile(`^env HOME=`)
	expects   = regexp.MustCompile(`^(! )?(stdout|stderr|grep) `)
	separator = regexp.MustCompile(`(\A|[^\[<])/`) // not in a class, nor of an end tag
	compares  = regexp.MustCompile(`^(! )?cmp(env)? `)
	absent    = regexp.MustCompile(`no such file( or directory)?`)
	missing   = regexp.MustCompile(`no such file or directory|File not found\.|The system cannot find the ` +
		`(file|path) specified\.`)
	slashes = regexp.MustCompile(`[/\\]+`)
)

var ownCommands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"same":    same(func(_ *testscript.TestScript, text string) string { return text }),
	"sameenv": same(func(ts *testscript.TestScript, text string) string { return os.Expand(text, ts.Getenv) }),
}

// same is `same FILE FILE` and `sameenv FILE FILE`: cmp and cmpenv for files with paths.
func same(expand func(*testscript.TestScript, string) string) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if len(args) != 2 {
			ts.Fatalf("usage: same FILE FILE")
		}
		got, want := alike(ts.ReadFile(args[0])), alike(expand(ts, ts.ReadFile(args[1])))
		if (got == want) == neg {
			ts.Fatalf("%s and %s: got\n%swant\n%s", args[0], args[1], got, want)
		}
	}
}

func alike(text string) string {
	text = strings.ReplaceAll(missing.ReplaceAllString(text, "missing"), "\r\n", "\n")
	return slashes.ReplaceAllString(text, "/")
}
