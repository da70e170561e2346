package clients_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/clients/install"
	"github.com/hookrun/hookrun/internal/clients/settings"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/doors/cli"
	"github.com/hookrun/hookrun/internal/lib/strictjson/document"
	"github.com/hookrun/hookrun/protocol"
)

// toy is a dialect that is like no other: its hooks get the name of the tool and say "no: " and why, and its client
// reads one line and exit 7. All that hookrun knows about it stands here.
var toy = &dialect.Dialect{
	Name:   "toy",
	Events: dialect.Events{{Name: "PreToolUse", Subject: "tool_name"}},
	Run:    dialect.Schedule{Timeout: time.Minute},
	Hooks:  toyHooks{},
	Files: &dialect.Files{
		Client: "Toy", Folder: ".toy", Base: "toys.json", Extensions: []string{".toy"},
		Drops:   "; Toy breaks",
		Reader:  toyReader{},
		Timeout: dialect.Unit(time.Minute),
	},
}

var toyClient = &client.Client{
	Dialect: toy,
	Detect:  func(c *dialect.Call) bool { return c.Field("toy") != "" },
	Answer: func(o protocol.Outcome) (client.Reply, error) {
		if o.Decision == protocol.Continue {
			return client.Reply{Stdout: []byte("play")}, nil
		}
		return client.Reply{Stdout: []byte("stop, " + o.Reason), Stderr: o.Reason, Exit: 7}, nil
	},
	Install: &client.Installation{Events: []string{"PreToolUse"}, Installer: toyInstaller{}},
}

type toyReader struct{}

func (toyReader) Normalize(doc *dialect.Document) {
	d := settings.Open(doc)
	if strings.HasSuffix(d.File, ".toy") {
		d.Entries = []dialect.Entry{{Name: "line", Event: "PreToolUse",
			Command: dialect.Command{Shell: d.Text}, Position: document.Position{Line: 1, Column: 1}}}
		return
	}
	for e := range d.Events(d.Top([]dialect.Field{"hooks object"}, 1)["hooks"]) {
		for g := range e.Groups([]dialect.Field{"matcher string", "hooks any"}, "") {
			handlers := []settings.HandlerFields{{Type: "command", Fields: []dialect.Field{"command string!"}}}
			for h := range g.Handlers(handlers, []dialect.Field{"type string", "timeout number"}) {
				h.Timeout = h.Time("timeout")
				h.ReadCommand()
			}
		}
	}
}

func (toyReader) Pattern(text, _ string) dialect.Pattern {
	return dialect.Pattern{Text: text, Word: text, Names: strings.Split(text, "+")}
}

type toyInstaller struct{ client.BaseInstaller }

func (toyInstaller) SilentBlock() (json string, exit int) { return `{"no":true}`, 7 }

type toyHooks struct{ dialect.Base }

func (toyHooks) Event(c *dialect.Call) protocol.Event { return dialect.ClaudeEvent(c) }

func (toyHooks) Encode(c *dialect.Call) (dialect.Payload, []string, error) {
	return dialect.Payload{[]byte("may I " + c.Tool + "?\n")}, nil, nil
}

func (toyHooks) Decode(_ *dialect.Call, _ string, r *dialect.HookResult) dialect.Verdict {
	v := dialect.OK()
	if reason, no := strings.CutPrefix(r.Stdout.Text(), "no: "); no {
		v.Decide(protocol.Block, strings.TrimSpace(reason))
	}
	return v
}

// TestNewDialect adds a dialect by one value and one line, and uses it by the command line alone.
func TestNewDialect(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its hook is a line for sh")
	}
	t.Cleanup(clients.Add(toyClient))
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(path(name)), 0o777))
		require.NoError(t, os.WriteFile(path(name), []byte(text), 0o666))
	}
	run := func(exit int, stdin string, args ...string) (stdout, stderr string) {
		t.Helper()
		var out, err bytes.Buffer
		require.Equal(t, exit, cli.Run(args, cli.Streams{In: strings.NewReader(stdin), Out: &out, Err: &err}),
			err.String())
		return out.String(), err.String()
	}
	const guard = `read -r question; echo \"no: not before $question\"`
	const hooks = `{"hooks":{"PreToolUse":[{"matcher":"Dig+Build","hooks":[` +
		`{"type":"command","command":"` + guard + `","timeout":2}]}]}}`
	write(".toy/toys.json", hooks)
	call := func(tool string) string {
		return `{"hook_event_name":"PreToolUse","toy":"yes","tool_name":"` + tool + `","tool_input":{}}`
	}

	// The hook runs by its settings file, gets its own input, and its client reads its own output.
	out, _ := run(7, call("Dig"), "fire", "-C", dir, "-c", path(".toy/toys.json"))
	require.Equal(t, "stop, not before may I Dig?\n", out)
	out, _ = run(0, call("Paint"), "fire", "-C", dir, "-c", path(".toy/toys.json"))
	require.Equal(t, "play\n", out)
	// The same hook in the client's other format.
	write("x.toy", strings.ReplaceAll(guard, `\`, ""))
	out, _ = run(7, call("Paint"), "fire", "-C", dir, "-c", path("x.toy"))
	require.Equal(t, "stop, not before may I Paint?\n", out)

	// Its faults are told by its own rules.
	write("other/.toy/toys.json", strings.Replace(strings.Replace(hooks, `2}`, `90}`, 1), `"type"`, `"game":1,"type"`,
		1))
	_, warnings := run(0, "", "check", path("other/.toy/toys.json"))
	require.Contains(t, warnings, `"timeout" is in minutes, and 90 of them are more than an hour; were these seconds?`)
	write("other/.toy/toys.json", strings.Replace(hooks, `"PreToolUse":[`, `"PreToolUse":[3,`, 1))
	_, faults := run(1, "", "check", path("other/.toy/toys.json"))
	require.Contains(t, faults, "PreToolUse 1 must be an object, not a number; Toy breaks")

	// hookrun can be installed in the client, and its hooks can be imported.
	diff, _ := run(0, "", "install", "toy", "-C", dir, "--dry-run")
	require.Contains(t, diff, "$(hookrun fire --output toy --trust required --pin --before-allow block --entry mark)")
	require.Contains(t, diff, `{\"no\":true}'\\''; exit 7'`)
	require.Contains(t, diff, `"timeout":1`)
	// There they stay its hooks, and run as such.
	entries, _ := run(0, "", "import", path(".toy/toys.json"))
	require.Contains(t, entries, `"matcher": "Dig+Build"`)
	write("kept.json", entries)
	out, _ = run(7, call("Dig"), "fire", "-C", dir, "-c", path("kept.json"))
	require.Equal(t, "stop, not before may I Dig?\n", out)
	_, unknown := run(1, "", "install", "boy")
	require.Contains(t, unknown, "; give one of "+strings.Join(install.Names(), ", ")+`; did you mean "toy"?`)
	require.Contains(t, install.Names(), "toy")
}
