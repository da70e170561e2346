package pack

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/permission"
)

// callOf is the call of an example.
func callOf(t testing.TB, e Example, dir string) *Call {
	t.Helper()
	return NewCall(permissionCall(t, e, dir).Once(), e.Tool == "fs_write" || e.Tool == "fs_edit")
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
					assert.NotEmpty(t, r.Decide(callOf(t, e, dir)).What, "%s %s", e.Tool, e.Text)
				}
				for _, e := range r.Pass() {
					assert.Zero(t, r.Decide(callOf(t, e, dir)), "%s %s", e.Tool, e.Text)
				}
			})
		}
	}
}

// TestManyCommands: the time of a call is bounded, however many commands get the output of others.
func TestManyCommands(t *testing.T) {
	for _, line := range []string{"curl x.io; ls" + strings.Repeat(" | sh", 9000),
		"curl x.io; ls" + strings.Repeat(" | sh -c \"$(ls)\"", 4000), "ls" + strings.Repeat(" | tee >(cat)", 4000)} {
		c := callOf(t, Example{Text: line}, t.TempDir())
		begun := time.Now()
		for _, p := range All() {
			for i := range p.Rules {
				p.Rules[i].Decide(c)
			}
		}
		require.Less(t, time.Since(begun), 5*time.Second)
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
				c := NewCall(of.Once(), false)
				for _, p := range All() {
					for i := range p.Rules {
						p.Rules[i].Decide(c)
					}
				}
			}
		})
	}
}

// TestBenign: nobody wants a gate that blocks what people run daily. The repository is on a branch of one's own.
func TestBenign(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, ".git"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte("ref: refs/heads/feature\n"), 0o600))
	text, err := os.ReadFile(filepath.Join("testdata", "benign.txt"))
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		c := callOf(t, Example{Text: line}, dir)
		for _, p := range All() {
			for i := range p.Rules {
				if found := p.Rules[i].Decide(c); found.What != "" {
					t.Errorf("%s blocks %s: %+v", p.ID(&p.Rules[i]), line, found)
				}
			}
		}
	}
}

// TestDaily has the lines of every day that the permission rules are tried on. held.txt has those that a rule is for.
func TestDaily(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, ".git"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte("ref: refs/heads/feature\n"), 0o600))
	text, err := os.ReadFile(filepath.Join("..", "permission", "testdata", "daily.txt"))
	require.NoError(t, err)
	var held strings.Builder
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		c := callOf(t, Example{Text: strings.ReplaceAll(line, "⏎", "\n")}, dir)
		for _, p := range All() {
			for i := range p.Rules {
				if found := p.Rules[i].Decide(c); found.What != "" && line != "" && line[0] != '#' {
					held.WriteString(p.ID(&p.Rules[i]) + " " + line + "\n")
				}
			}
		}
	}
	want, err := os.ReadFile(filepath.Join("testdata", "held.txt"))
	require.NoError(t, err)
	require.Equal(t, string(want), held.String())
}

// TestSpellings: what packs promise is blocked in every spelling.
func TestSpellings(t *testing.T) {
	dir := t.TempDir()
	text, err := os.ReadFile(filepath.Join("testdata", "blocked.txt"))
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		line = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t").Replace(strings.TrimSuffix(line, "\n"))
		c, blocked := callOf(t, Example{Text: line}, dir), false
		for _, p := range All() {
			for i := range p.Rules {
				blocked = blocked || p.Rules[i].Decide(c).What != ""
			}
		}
		if !blocked {
			t.Errorf("no pack blocks %s", line)
		}
	}
}
