//go:build linux

package clients

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/conformance/record/clients"
	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// scenario is a subject under each real client.
type scenario struct {
	name, hooks string // no hooks: those of testdata/project
	see         func(*clientRun) string
	want        string
	but         map[string]string // clients that do something else
}

const none = "–" // the client has no such thing

const (
	held     = "not run, the model reads why"
	leaks    = "**the model reads the result**"
	withheld = "the model does not read the result"
)

// redacting has that is a script of the project.
const redacting = `{"hooks": [{"name": "redactor", "events": ["post-tool"], "command": ["sh", "gate.sh"],
"on_failure": "block"}]}`

var scenarios = []scenario{
	{
		name: "a gate that only observes", want: "runs, the log has it",
		hooks: `{"hooks": [{"name": "gate", "mode": "observe", "block": "no", "events": ["pre-tool"]}]}`,
		see: func(r *clientRun) string {
			r.turn([]string{"touch free"})
			require.True(r, r.ran("free"), r.output)
			require.Contains(r, r.run(binary.Path, "log", filepath.Join(r.home, "run.log"), "--would-block"), "gate")
			return "runs, the log has it"
		},
	}, {
		name: "the pack git", hooks: `{"packs": ["git"]}`, want: held,
		but: map[string]string{"cline": "not run, nobody reads why, the turn ends"},
		see: func(r *clientRun) string {
			r.turn([]string{"touch free; git push --force"})
			return r.became("touch free; git push --force", "free", "git/no-force-push")
		},
	}, {
		name:  "approved in another terminal",
		hooks: `{"packs": ["git"], "approvable": ["git"]}`, want: "passes once",
		but: map[string]string{"cline": none},
		see: approved,
	}, {
		name: "nobody has allowed the hooks", want: held, but: map[string]string{"cline": "not run, nobody reads why"},
		see: func(r *clientRun) string {
			r.write(".tenex-hooks.json", `{"hooks": [{"name": "other", "block": "no", "events": ["pre-tool"]}]}`)
			r.turn([]string{"touch free"})
			if r.ran("free") {
				return "**runs**"
			}
			return "not run, " + r.reader("touch free", "hookrun allow", "why")
		},
	}, {
		name: "a session is resumed after a hook changed", want: held,
		hooks: `{"hooks": [{"name": "gate", "events": ["pre-tool"], "command": ["sh", "gate.sh"]}]}`,
		but:   map[string]string{"droid": none, "cline": none},
		see:   resumed,
	}, {
		name: "a command in the background", want: held, but: map[string]string{"codex": none, "cline": none,
			"opencode": none},
		see: func(r *clientRun) string {
			input := map[string]string{"claude": `"run_in_background": true`, "gemini": `"is_background": true`,
				"qwen": `"is_background": true`, "copilot": `"description": "d", "mode": "async"`,
				"kimi": `"description": "d", "run_in_background": true`,
				"droid": `"summary": "Do it in the background now", "riskLevel": "low", "riskLevelReason": "none", ` +
					`"fireAndForget": true`}[r.name]
			if input == "" {
				return none
			}
			call := r.shell + ` {"command": "touch forbidden", ` + input + `}`
			r.turn([]string{call})
			return r.became(call, "forbidden", "not this one")
		},
	}, {
		name: "a subagent's call", want: "not run, the subagent reads why",
		but: map[string]string{"codex": none, "gemini": none, "droid": none, "cline": none},
		see: delegated,
	}, {
		name: "plan mode", want: none, but: map[string]string{"claude": held},
		see: func(r *clientRun) string {
			if r.name != "claude" {
				return none
			}
			r.args = append(r.args, "--permission-mode", "plan")
			r.turn([]string{"touch forbidden"})
			return r.became("touch forbidden", "forbidden", "not this one")
		},
	}, {
		name: "a rule for paths",
		hooks: `{"hooks": [{"name": "locks", "block": "no locks", "events": ["pre-tool"],
"if": "fs_write(**/*.lock)"}]}`,
		want: held + "; another path is free", but: map[string]string{"codex": none, "cline": none}, // TestPatches
		see: func(r *clientRun) string {
			tool, ok := map[string][3]string{"claude": {"Write", "file_path", "content"},
				"gemini": {"write_file", "file_path", "content"}, "qwen": {"write_file", "file_path", "content"},
				"kimi": {"Write", "path", "content"}, "droid": {"Create", "file_path", "content"},
				"copilot": {"create", "path", "file_text"}, "opencode": {"write", "filePath", "content"}}[r.name]
			if !ok {
				return none
			}
			call := func(file string) string {
				return tool[0] + ` ` + toText(binary.Hook{tool[1]: filepath.Join(r.workspace, file), tool[2]: "x"})
			}
			r.turn([]string{call("a.lock")}, []string{call("b.txt")})
			cell := r.became(call("a.lock"), "a.lock", "no locks")
			return cell + map[bool]string{true: "; another path is free", false: "; **nor another**"}[r.ran("b.txt")]
		},
	}, {
		name: "a redactor exits with 3", hooks: redacting, want: withheld,
		but: map[string]string{"kimi": leaks},
		see: func(r *clientRun) string { return r.withholds("cat secret") },
	}, {
		name: "a redactor is changed in the call", hooks: redacting, want: withheld,
		but: map[string]string{"kimi": leaks},
		see: func(r *clientRun) string { return r.withholds("cat secret; echo >gate.sh") },
	}, {
		name: "hookrun is deleted in the call", hooks: redacting, want: withheld,
		but: map[string]string{"claude": leaks, "droid": leaks, "kimi": leaks},
		see: func(r *clientRun) string { return r.withholds("cat secret; rm $HOME/bin/hookrun") },
	},
}

// withholds is whether the model reads the result of a command.
func (r *clientRun) withholds(command string) string {
	command += "; touch free"
	r.turn([]string{command})
	require.True(r, r.ran("free"), r.output)
	if r.modelReads(command, "the launch code") {
		return leaks
	}
	return withheld
}

// approved has a person approve a call while the model waits for its result.
func approved(r *clientRun) string {
	if r.name == "cline" { // a block ends its run
		return none
	}
	const push = "touch free; git push --force"
	says, passed := r.says, []bool{}
	r.says = func(n int, commands ...string) string {
		if n > 0 {
			passed = append(passed, r.ran("free"))
		}
		if n == 1 {
			found := regexp.MustCompile(`hookrun approve ([0-9a-v]{8})`).FindStringSubmatch(r.requests[1])
			require.NotNil(r, found, r.requests[1])
			code, screen := binary.AtTerminal(r.T, r.command(binary.Path, "approve", found[1]), "y\n")
			if strings.Contains(screen, "this is below ") {
				r.Skip(screen) // an agent runs the tests
			}
			require.Zero(r, code, screen)
		}
		return says(n, commands...)
	}
	r.turn([]string{push}, []string{push}, []string{push})
	require.Equal(r, []bool{false, true, false}, passed, r.output)
	return "passes once"
}

// resumed begins a session, changes the hook, and goes on with the session.
func resumed(r *clientRun) string {
	flags := map[string][]string{"claude": {"--continue"}, "codex": {"resume", "--last"}, "copilot": {"--continue"},
		"gemini": {"--resume", "latest"}, "kimi": {"--continue"}, "opencode": {"--continue"}, "qwen": {"--continue"}}
	if flags[r.name] == nil {
		return none
	}
	r.turn()
	r.write("gate.sh", "exit 0\n")
	// Copilot CLI has --trust-folder for new sessions alone.
	r.args = slices.DeleteFunc(slices.Clone(r.args), func(arg string) bool { return arg == "--trust-folder" })
	r.env = append(r.env, "GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS=true")
	at := len(r.args)
	if r.name == "codex" || r.name == "opencode" {
		at--
	}
	r.args = slices.Insert(r.args, at, flags[r.name]...)
	r.turn([]string{"touch free"})
	if len(r.requests) == 0 {
		who := map[bool]string{true: "the user", false: "nobody"}[r.userReads("changed")]
		return "no request, " + who + " reads why"
	}
	return r.became("touch free", "free", "was changed")
}

// delegated has a subagent make a call that is forbidden.
func delegated(r *clientRun) string {
	const about = `"description": "DESCRIBED", "prompt": "THE-BRIEF", `
	call := map[string]string{
		"claude":   `Agent {` + about + `"subagent_type": "general-purpose", "run_in_background": false}`,
		"copilot":  `task {` + about + `"agent_type": "general-purpose", "name": "sub", "mode": "sync"}`,
		"kimi":     `Agent {` + about + `"subagent_type": "coder", "run_in_background": false}`,
		"opencode": `task {` + about + `"subagent_type": "general"}`,
		"qwen":     `agent {` + about + `"subagent_type": "general-purpose", "run_in_background": false}`}[r.name]
	if call == "" {
		return none
	}
	r.turn([]string{call})
	if r.below == "" {
		return "**no subagent**"
	}
	if r.ran("forbidden") {
		return "**runs**"
	}
	return "not run, " + map[bool]string{true: "the subagent", false: "nobody"}[strings.Contains(r.below,
		"not this one")] + " reads why"
}

// withSubagents is the model, also of a subagent, which makes a call that is forbidden.
func (r *clientRun) withSubagents(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	if !bytes.Contains(body, []byte("THE-BRIEF")) || bytes.Contains(body, []byte("DESCRIBED")) {
		req.Body = io.NopCloser(bytes.NewReader(body))
		r.ServeHTTP(w, req)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.below = string(body)
	n := len(results.FindAll(body, -1))
	var commands []string
	if n == 0 {
		commands = []string{"touch forbidden"}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, r.says(n, commands...))
}

// TestScenarios has the real clients go through the scenarios.
func TestScenarios(t *testing.T) {
	testall.Only(t, "it installs the clients")
	for i, c := range realClients {
		t.Run(c.name, func(t *testing.T) {
			if alone(t, pathOf(t, c.name)) {
				return
			}
			c.says = func(n int, commands ...string) string { // a command may be a tool and its input
				var calls []clients.Call
				for _, command := range commands {
					if tool, input, is := strings.Cut(command, " {"); is {
						calls = append(calls, clients.Call{Tool: tool, Input: []byte("{" + input)})
					} else {
						calls = append(calls, clients.All[i].Run(command))
					}
				}
				return clients.All[i].Says(n, calls...)
			}
			if c.name == "claude" {
				c.args = slices.Clone(c.args)
				c.args[slices.Index(c.args, "Bash")] = "Bash,Write,Agent"
			}
			for _, s := range scenarios {
				t.Run(s.name, func(t *testing.T) { s.test(t, c) })
			}
		})
	}
}

func (s scenario) test(t *testing.T, c client) {
	want := s.want
	if other, is := s.but[c.name]; is {
		want = other
	}
	if want == none {
		t.Skip("the client has no such thing, or another test has it")
	}
	r := &clientRun{T: t, client: c}
	r.prepare(http.HandlerFunc(r.withSubagents))
	require.NoError(t, os.CopyFS(r.workspace, os.DirFS("testdata/project")))
	r.ownHookrun()
	r.env = append(r.env, "HOOKRUN_LOG="+filepath.Join(r.home, "run.log"))
	if s.hooks != "" {
		r.write(".tenex-hooks.json", s.hooks)
	}
	r.write("gate.sh", "cat >/dev/null; exit 3\n")
	r.install()
	if r.trust != nil {
		r.trust(r)
	}
	got := s.see(r)
	t.Log("cell: " + got)
	require.Equal(t, want, got, r.output)
}
