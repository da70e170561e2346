package binary

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hookrun/hookrun/internal/clients"
)

// Scripts runs the *.txtar of a folder, in which hookrun is the real binary. They have three commands more than
// testscript's own: see exits, outcome and answers. $CLIENTS, $CLIENTS_OR and $CLIENTS_WORDS are the names of all
// programs, as texts of hookrun have them, for cmpenv.
func Scripts(t *testing.T, folder string) {
	found, err := filepath.Glob(filepath.Join(folder, "*.txtar"))
	if err != nil || len(found) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	var files []string
	for _, file := range found {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if why := cannotRun(string(text)); why != "" {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { t.Skip(why) })
			continue
		}
		files = append(files, file)
	}
	if len(files) == 0 {
		return
	}
	var programs []string
	for _, c := range clients.All().Clients() {
		if c.Install != nil {
			programs = append(programs, c.Install.Program)
		}
	}
	path, err := pathWithout(programs, os.Getenv("PATH"), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	commands := map[string]func(*testscript.TestScript, bool, []string){
		"exits": exits, "outcome": outcome, "answers": answers,
	}
	maps.Copy(commands, ownCommands)
	testscript.Run(t, testscript.Params{
		Files:               prepared(t, files),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                commands,
		Setup: func(env *testscript.Env) error {
			for _, name := range ownFolders {
				env.Setenv(name, env.WorkDir+"-"+name) // the workspace must not have the state
			}
			env.Setenv("XDG_STATE_HOME", env.WorkDir+"-state")
			names := clients.All().ClientNames()
			env.Setenv("CLIENTS", strings.Join(names, ", "))
			env.Setenv("CLIENTS_OR", strings.Join(names, "|"))
			env.Setenv("CLIENTS_WORDS", "["+strings.Join(names, "] [")+"]")
			env.Setenv("PATH", filepath.Dir(Path)+string(os.PathListSeparator)+path)
			return nil
		},
	})
}

// exits is `exits CODE program [args...]`: exec for a program that must end with this exit code and no other. What it
// printed is there for stdout, stderr, cmp and stdin as after exec.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE program [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	err = ts.Exec(args[1], args[2:]...)
	for Busy(err) {
		err = ts.Exec(args[1], args[2:]...)
	}
	if err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode() // -1: killed
	}
	if got != want {
		ts.Fatalf("%s exited with %d, not %d", args[1], got, want)
	}
}

// outcome is `outcome FILE`: the last stdout is one line of JSON, and that of FILE. Of FILE white space does not count
// and variables are expanded. A duration may be any number: in FILE it is 0. Start and limit of a hook are not looked
// at.
func outcome(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: outcome FILE")
	}
	got := timeless(ts.ReadFile("stdout"))
	file := os.Expand(ts.ReadFile(args[0]), ts.Getenv)
	var want bytes.Buffer
	if err := json.Compact(&want, []byte(file)); err != nil {
		ts.Fatalf("%s: %v", args[0], err)
	}
	want.WriteByte('\n')
	if got != want.String() {
		ts.Fatalf("the outcome is not that of %s:\ngot  %swant %s", args[0], got, want.String())
	}
}

// answers is `answers FILE`: the last stdout is FILE, but for durations, which may be any number: in FILE they are 0.
func answers(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: answers FILE")
	}
	got, want := timeless(ts.ReadFile("stdout")), ts.ReadFile(args[0])
	// Calls may overtake each other.
	if !slices.Equal(slices.Sorted(strings.Lines(got)), slices.Sorted(strings.Lines(want))) {
		ts.Fatalf("the answers are not those of %s:\ngot  %swant %s", args[0], got, want)
	}
}

var (
	duration = regexp.MustCompile(`"duration_ms":[0-9]+(\.[0-9]+)?\b`)
	bounds   = regexp.MustCompile(`"(start|limit)_ms":[0-9]+(\.[0-9]+)?,`)
)

func timeless(outcome string) string {
	return bounds.ReplaceAllString(duration.ReplaceAllString(outcome, `"duration_ms":0`), "")
}
