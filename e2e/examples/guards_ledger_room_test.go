//go:build unix

package examples

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// ledgerRoom is a project with the ledger of scripts/examples/guards in .hooks, wired for TENEX and for Claude Code.
type ledgerRoom struct {
	*testing.T
	dir string
	env []string
	way ledgerWay
	out *ledgerLines // of a way that keeps a process
	sql *ledgerLines // asks the database
}

// ledgerCall is a call at one of the moments of a tool, or a prompt. What is not said is in session s.
type ledgerCall struct {
	id, tool, args, session, agent string
	ended, failed, prompt          bool
	result                         string
}

// ledgerAnswer is what came of it, whichever way it went.
type ledgerAnswer struct {
	decision, reason, context, message string
}

type ledgerWay struct {
	name string
	ask  func(*ledgerRoom, ledgerCall) ledgerAnswer
}

const (
	byCommand = iota
	byProcess
	byFire
	byServe
	byStaying
)

var ledgerWays = []ledgerWay{
	{"one command per call", (*ledgerRoom).byCommand},
	{"one process per call, as in Claude Code", (*ledgerRoom).byProcess},
	{"fire, with Claude Code's settings", (*ledgerRoom).byFire},
	{"serve, with a hook that stays", (*ledgerRoom).byServe},
	{"a process that stays", (*ledgerRoom).byStaying},
}

// eachLedgerWay runs a test in a new project for each of these ways. A process for each call is most of what a test
// costs, so that each row has one such way at the most, but for the one row that the ledger is there for.
func eachLedgerWay(t *testing.T, row string, test func(r *ledgerRoom), ways ...int) {
	t.Run(row, func(t *testing.T) {
		for n, i := range ways {
			t.Run(ledgerWays[i].name, func(t *testing.T) {
				if n > 0 {
					testall.Only(t, "one way stands for the others")
				}
				t.Parallel()
				r := newLedgerRoom(t)
				r.way = ledgerWays[i]
				test(r)
			})
		}
	})
}

// stayingLedger does so for the two ways that keep a process, which is quick, and shows that no call leaves anything to
// the next.
func stayingLedger(t *testing.T, row string, test func(r *ledgerRoom)) {
	eachLedgerWay(t, row, test, byServe, byStaying)
}

func newLedgerRoom(t *testing.T, env ...string) *ledgerRoom {
	t.Helper()
	binary.Needs(t, "python3")
	r := &ledgerRoom{T: t, dir: t.TempDir(), way: ledgerWays[byCommand]}
	r.env = append([]string{"UA_RUN_ID=", "UA_RUNTIME_DB_PATH=", "UA_TOOL_POLICIES_PATH=",
		"UA_TOOL_POLICIES_OVERLAY_PATH=",
		"UA_TOOL_POLICIES_OVERLAY_PATHS=", "CURRENT_SESSION_WORKSPACE=", "HOOKRUN_WORKSPACE=" + r.dir}, env...)
	for _, name := range []string{"guards.py", "guards.json", "ledger.py", "ledger_policy.py", "ledger_db.py",
		"ledger.sql"} {
		text, err := os.ReadFile(filepath.Join(binary.Repository(t), "scripts", "examples", "guards", name))
		require.NoError(t, err)
		binary.WriteFile(t, r.dir, filepath.Join(".hooks", name), string(text))
	}
	binary.WriteFile(t, r.dir, ".tenex-hooks.json",
		`{"hooks": [{"name": "ledger", "command": ["python3", "-B", ".hooks/ledger.py"],
		"events": ["pre-execute", "pre-tool", "post-tool"], "on_failure": "block", "persistent": true}]}`)
	hook := `[{"hooks": [{"type": "command", "command": "python3 -B .hooks/ledger.py"}]}]`
	binary.WriteFile(t, r.dir, "settings.json",
		`{"hooks": {"UserPromptSubmit": `+hook+`, "PreToolUse": `+hook+`, "PostToolUse": `+hook+
			`, "PostToolUseFailure": `+hook+`}}`)
	return r
}

// change replaces a text in one of the ledger's files.
func (r *ledgerRoom) change(name, old, to string) {
	r.Helper()
	path := filepath.Join(r.dir, ".hooks", name)
	text, err := os.ReadFile(path)
	require.NoError(r, err)
	require.Contains(r, string(text), old)
	require.NoError(r, os.WriteFile(path, []byte(strings.Replace(string(text), old, to, 1)), 0o644))
}

func (r *ledgerRoom) database() string {
	return filepath.Join(r.dir, "AGENT_RUN_WORKSPACES", "runtime_state.db")
}

// python runs a program beside the ledger's modules.
func (r *ledgerRoom) python(program string, args ...string) binary.Result {
	r.Helper()
	program = "import sys; sys.path.insert(0, sys.argv.pop(1)); import guards, ledger_db, ledger_policy, json, os\n" +
		program
	return binary.Run(r.T, r.dir, "", r.env,
		append([]string{"python3", "-B", "-c", program, filepath.Join(r.dir, ".hooks")}, args...)...)
}

// rows is what a statement finds in the database, a row as its values joined by |.
func (r *ledgerRoom) rows(sql string) []string {
	r.Helper()
	line := r.line(&r.sql, binary.JSON(r.T, sql)+"\n", "python3", "-B", "-c", `import json, sqlite3, sys
for line in sys.stdin:
    db = sqlite3.connect(sys.argv[1], isolation_level=None)
    print(json.dumps(["|".join(map(str, row)) for row in db.execute(json.loads(line)).fetchall()]), flush=True)
    db.close()`, r.database())
	var rows []string
	require.NoError(r, json.Unmarshal([]byte(line), &rows), "%q", line)
	return rows
}

func (r *ledgerRoom) ask(c ledgerCall) ledgerAnswer {
	r.Helper()
	if c.session == "" {
		c.session = "s"
	}
	if c.args == "" {
		c.args = `{"to":"a@example.org","subject":"Report"}`
	}
	if c.tool == "" {
		c.tool = "GMAIL_SEND_EMAIL"
	}
	return r.way.ask(r, c)
}

// goes is a call that may be made.
func (r *ledgerRoom) goes(c ledgerCall) ledgerAnswer {
	r.Helper()
	a := r.ask(c)
	require.Equal(r, "continue", a.decision, "%+v", a)
	return a
}

// denied is a call that must not be made, for this reason.
func (r *ledgerRoom) denied(reason string, c ledgerCall) ledgerAnswer {
	r.Helper()
	a := r.ask(c)
	require.Equal(r, "block", a.decision, "%+v", a)
	require.Contains(r, a.reason, reason)
	return a
}

// ends is the end of a call, of which the ledger takes note without a word.
func (r *ledgerRoom) ends(c ledgerCall) {
	r.Helper()
	c.ended = true
	require.Equal(r, ledgerAnswer{decision: "continue"}, r.ask(c))
}

func ofLedger(o binary.Outcome) ledgerAnswer {
	return ledgerAnswer{o.Decision, o.Reason, strings.Join(o.Texts(), "\n"),
		strings.Join(append(o.SystemMessages, o.Warnings...), "\n")}
}

// flags are the arguments of a firing command, and its name in front.
func (c ledgerCall) flags() []string {
	if c.prompt {
		return []string{"pre-execute", "--session-id", c.session, "--agent-id", c.agent, "--prompt", "go on"}
	}
	flags := []string{"pre-tool", "--session-id", c.session, "--agent-id", c.agent, "--tool-use-id", c.id, "--tool",
		c.tool, "--args", c.args}
	if c.ended {
		flags[0] = "post-tool"
		flags = append(flags, "--result", c.result, fmt.Sprintf("--failed=%t", c.failed))
	}
	return flags
}

// claude is the hook input of Claude Code, on one line. A result that is JSON is there as what it is.
func (c ledgerCall) claude(t *testing.T, dir string) string {
	in := binary.Object{"session_id": c.session, "cwd": dir, "transcript_path": "",
		"hook_event_name": "UserPromptSubmit"}
	if c.agent != "" {
		in["agent_id"] = c.agent
	}
	if c.prompt {
		in["prompt"] = "go on"
		return binary.JSON(t, in) + "\n"
	}
	in["hook_event_name"], in["tool_name"], in["tool_use_id"], in["tool_input"] =
		"PreToolUse", c.tool, c.id, json.RawMessage(c.args)
	switch {
	case c.ended && c.failed:
		in["hook_event_name"], in["error"], in["is_interrupt"] = "PostToolUseFailure", c.result, false
	case c.ended && json.Valid([]byte(c.result)):
		in["hook_event_name"], in["tool_response"] = "PostToolUse", json.RawMessage(c.result)
	case c.ended:
		in["hook_event_name"], in["tool_response"] = "PostToolUse", c.result
	}
	return binary.JSON(t, in) + "\n"
}

func (r *ledgerRoom) byCommand(c ledgerCall) ledgerAnswer {
	r.Helper()
	flags := c.flags()
	return r.outcome(binary.Run(r.T, r.dir, "", r.env,
		append([]string{binary.Path, flags[0], "-o", "json"}, flags[1:]...)...).Stdout)
}

func (r *ledgerRoom) byFire(c ledgerCall) ledgerAnswer {
	r.Helper()
	return r.outcome(binary.Run(r.T, r.dir, c.claude(r.T, r.dir), r.env, binary.Path, "fire", "-c", "settings.json",
		"-o", "json").Stdout)
}

func (r *ledgerRoom) outcome(text string) ledgerAnswer {
	r.Helper()
	var o binary.Outcome
	require.NoError(r, json.Unmarshal([]byte(text), &o), "%q", text)
	return ofLedger(o)
}

func (r *ledgerRoom) byProcess(c ledgerCall) ledgerAnswer {
	r.Helper()
	done := binary.Run(r.T, r.dir, c.claude(r.T, r.dir), r.env, "python3", "-B", ".hooks/ledger.py")
	require.Equal(r, 0, done.Code, done.Stderr)
	return r.answer(done.Stdout)
}

// answer reads what the hook itself printed.
func (r *ledgerRoom) answer(line string) ledgerAnswer {
	r.Helper()
	var a struct {
		binary.Answer
		SystemMessage string
	}
	require.NoError(r, json.Unmarshal([]byte(line), &a), "%q", line)
	if a.Specific.Permission == "deny" {
		require.Equal(r, "block", a.Decision)
		return ledgerAnswer{"block", a.Specific.Why, a.Specific.Context, a.SystemMessage}
	}
	require.Empty(r, a.Decision)
	return ledgerAnswer{"continue", "", a.Specific.Context, a.SystemMessage}
}

// ledgerLines is a process that answers each line with one.
type ledgerLines struct {
	in  io.Writer
	out *bufio.Reader
}

// line asks a process, which is started if it is nil. It ends with the test.
func (r *ledgerRoom) line(p **ledgerLines, text string, argv ...string) string {
	r.Helper()
	if *p == nil {
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Dir, cmd.Env = r.dir, append(binary.Environment(r.dir), r.env...)
		in, err := cmd.StdinPipe()
		require.NoError(r, err)
		out, err := cmd.StdoutPipe()
		require.NoError(r, err)
		require.NoError(r, cmd.Start())
		*p = &ledgerLines{in, bufio.NewReader(out)}
		r.Cleanup(func() {
			in.Close()
			_ = cmd.Wait()
		})
	}
	_, err := io.WriteString((*p).in, text)
	require.NoError(r, err)
	line, err := (*p).out.ReadString('\n')
	require.NoError(r, err)
	return line
}

func (r *ledgerRoom) byStaying(c ledgerCall) ledgerAnswer {
	r.Helper()
	return r.answer(r.line(&r.out, c.claude(r.T, r.dir), "python3", "-B", ".hooks/ledger.py"))
}

func (r *ledgerRoom) byServe(c ledgerCall) ledgerAnswer {
	r.Helper()
	method, params := "pre-tool", binary.Object{"session_id": c.session, "agent_id": c.agent}
	if c.prompt {
		method, params["prompt"] = "pre-execute", "go on"
	} else {
		params["tool"], params["tool_use_id"], params["args"] = c.tool, c.id, json.RawMessage(c.args)
	}
	if c.ended {
		method, params["result"], params["failed"] = "post-tool", c.result, c.failed
	}
	var answer struct{ Result binary.Outcome }
	line := r.line(&r.out, binary.JSON(r.T, binary.Object{"jsonrpc": "2.0", "id": 1, "method": method,
		"params": params})+"\n", binary.Path, "serve")
	require.NoError(r, json.Unmarshal([]byte(line), &answer), "%q", line)
	return ofLedger(answer.Result)
}

const (
	callsInLedger = "SELECT tool_call_id, status, attempt FROM tool_calls ORDER BY rowid"
	stillRuns     = "has no end in the ledger"
	madeAlready   = "Idempotent tool call detected."
)
