package pack

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/rules/permission"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// callOf is the call of an example.
func callOf(t testing.TB, e Example, dir string) *Call {
	t.Helper()
	return NewCall(permissionCall(t, e, dir).WithCache(), e.Tool == "fs_write" || e.Tool == "fs_edit")
}

func permissionCall(t testing.TB, e Example, dir string) permission.Call {
	t.Helper()
	tool, key := e.Tool, "file_path"
	if tool == "" {
		tool, key = "shell", "command"
	}
	input, err := json.Marshal(map[string]string{key: e.Text})
	require.NoError(t, err)
	return permission.Call{Tool: tool, Kind: permission.KindOf(tool), Input: string(input), Dir: dir, Root: dir,
		Home: "/home/user"}
}

// onBranch returns the folder of a repository that is on a branch of one's own.
func onBranch(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, ".git"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte("ref: refs/heads/feature\n"), 0o600))
	return dir
}

// held returns the rules of all packs that block a call.
func held(c *Call) (ids []string) {
	for _, p := range All() {
		for i := range p.Rules {
			if p.Rules[i].Decide(c).Subject != "" {
				ids = append(ids, p.ID(&p.Rules[i]))
			}
		}
	}
	return ids
}

// linesOf returns the lines of a file of test data, in which ⏎ is a line end.
func linesOf(t testing.TB, path ...string) (lines []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			lines = append(lines, strings.ReplaceAll(line, "⏎", "\n"))
		}
	}
	return lines
}

// TestExamples: every rule blocks its own examples, and lets those through that it says it does.
func TestExamples(t *testing.T) {
	dir := t.TempDir()
	for _, p := range All() {
		for i := range p.Rules {
			r := &p.Rules[i]
			t.Run(p.ID(r), func(t *testing.T) {
				require.NotEmpty(t, r.Block())
				require.NotEmpty(t, r.Pass())
				for _, e := range r.Block() {
					assert.NotEmpty(t, r.Decide(callOf(t, e, dir)).Subject, "%s %s", e.Tool, e.Text)
				}
				for _, e := range r.Pass() {
					assert.Zero(t, r.Decide(callOf(t, e, dir)), "%s %s", e.Tool, e.Text)
				}
			})
		}
	}
}

// TestMoreExamples has calls that a rule blocks and lets through beyond its examples: shell lines, and [tool] before
// what another tool gets.
func TestMoreExamples(t *testing.T) {
	dir := t.TempDir()
	ofTool := regexp.MustCompile(`^\[(\w+)\] (.*)$`)
	for _, p := range All() {
		for name, blocks := range map[string]bool{"block": true, "pass": false} {
			for _, text := range linesOf(t, "testdata", p.Name+"-"+name+".txt") {
				rule, line, _ := strings.Cut(text, " ")
				e := Example{Text: line}
				if parts := ofTool.FindStringSubmatch(line); parts != nil {
					e = Example{parts[1], parts[2]}
				}
				found := p.Rule(rule).Decide(callOf(t, e, dir))
				assert.Equal(t, blocks, found.Subject != "", text)
			}
		}
	}
}

// TestManyCommands: the time of a call is bounded, however many commands get the output of others.
func TestManyCommands(t *testing.T) {
	testall.Alone(t)
	for _, line := range []string{"curl x.io; ls" + strings.Repeat(" | sh", 9000),
		"curl x.io; ls" + strings.Repeat(" | sh -c \"$(ls)\"", 4000), "ls" + strings.Repeat(" | tee >(cat)", 4000),
		strings.Repeat("A=$A; ", 30) + "rm -rf $A"} {
		dir := t.TempDir()
		begun := time.Now()
		c := callOf(t, Example{Text: line}, dir)
		floor := time.Since(begun)
		held(c)
		require.Less(t, time.Since(begun), 100*floor+time.Second)
	}
}

// BenchmarkAll has every rule look at one call.
func BenchmarkAll(b *testing.B) {
	for name, e := range map[string]Example{
		"line":  {Text: "cd sub && npm run build -- --mode production | tee build.log"},
		"other": {Tool: "web_search", Text: "how to push"},
	} {
		b.Run(name, func(b *testing.B) {
			of := permissionCall(b, e, "/tmp")
			for b.Loop() {
				held(NewCall(of.WithCache(), false))
			}
		})
	}
}

// TestBenign: nobody wants a gate that blocks what people run daily.
func TestBenign(t *testing.T) {
	dir := onBranch(t)
	for _, line := range linesOf(t, "testdata", "benign.txt") {
		assert.Empty(t, held(callOf(t, Example{Text: line}, dir)), line)
	}
}

// TestDaily has the lines of every day that the permission rules are tried on. held.txt has those that a rule is for.
func TestDaily(t *testing.T) {
	dir := onBranch(t)
	var got []string
	for _, line := range linesOf(t, "..", "permission", "testdata", "daily.txt") {
		for _, id := range held(callOf(t, Example{Text: line}, dir)) {
			got = append(got, id+" "+line)
		}
	}
	require.Equal(t, linesOf(t, "testdata", "held.txt"), got)
}

// TestSpellings: what packs promise is blocked in every spelling.
func TestSpellings(t *testing.T) {
	dir := t.TempDir()
	for _, line := range linesOf(t, "testdata", "blocked.txt") {
		assert.NotEmpty(t, held(callOf(t, Example{Text: line}, dir)), line)
	}
}

// FuzzRules: no line breaks a rule, and a forbidden command is found among others, whatever these are.
func FuzzRules(f *testing.F) {
	for _, p := range All() {
		for i := range p.Rules {
			for n, e := range p.Rules[i].Block() {
				f.Add(e.Text, uint64(n))
			}
		}
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, line string, seed uint64) {
		held(callOf(t, Example{Text: line}, dir))
		held(callOf(t, Example{Tool: "fs_write", Text: line}, dir))

		random := rand.New(rand.NewPCG(seed, 0))
		others := []string{"a", "git status", "x=1", "echo 'b c'", "rm -f x", "if", "$X", `a "$(d)"`, "`e`", "{g,h}",
			">f", "cd sub", "done", "[", "!", "(a; b)", "cat <<E\nc\nE", "f() { a; }", "sudo a", "a | b", "# c", "a &"}
		lines := make([]string, 6)
		for i := range lines {
			lines[i] = others[random.IntN(len(others))]
		}
		lines[random.IntN(len(lines))] = "git push --force"
		line = strings.Join(lines, "\n")
		require.Contains(t, held(callOf(t, Example{Text: line}, dir)), "git/no-force-push", line)
	})
}
