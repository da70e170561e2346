//go:build unix

package guards

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/testall"
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

func TestLedgerSchema(t *testing.T) {
	t.Run("U37 columns", func(t *testing.T) {
		t.Parallel()
		r := newLedgerRoom(t)
		r.goes(ledgerCall{id: "t1"})
		columns := func(table string) string {
			return strings.Join(r.rows(`SELECT name || CASE WHEN pk THEN ' PK' ELSE '' END || CASE WHEN "notnull" `+
				`THEN '!' ELSE '' END || coalesce(' = ' || dflt_value, '') FROM pragma_table_info('`+table+`')`), ", ")
		}
		require.Equal(t,
			"tool_call_id PK, run_id!, step_id!, created_at!, updated_at!, raw_tool_name, tool_name!, "+
				"tool_namespace!, side_effect_class!, "+
				"replay_policy! = 'REPLAY_EXACT', replay_status, policy_matched, policy_rule_id, "+
				"normalized_args_hash!, "+
				"idempotency_key!, status!, "+
				"attempt! = 0, request_ref, response_ref, external_correlation_id, error_code, error_detail",
			columns("tool_calls"))
		require.Equal(t,
			"tool_call_id PK, run_id!, tool_name!, tool_namespace!, idempotency_key!, created_at!, response_ref, "+
				"external_correlation_id", columns("tool_receipts"))
		require.Equal(t,
			"run_id PK, created_at!, updated_at!, status!, entrypoint!, run_spec_json!, workspace_dir, "+
				"cancel_requested_at, cancel_reason", columns("runs"))
		require.Equal(t,
			"step_id PK, run_id!, step_index!, created_at!, updated_at!, status!, phase!, error_code, error_detail",
			columns("run_steps"))
		require.Equal(t,
			"checkpoint_id PK, run_id!, step_id!, created_at!, checkpoint_type!, state_snapshot_json!, cursor_json",
			columns("checkpoints"))
		require.ElementsMatch(t, []string{"run_id|runs|run_id", "step_id|run_steps|step_id"},
			r.rows(`SELECT "from", "table", "to" FROM pragma_foreign_key_list('tool_calls')`))
		require.Equal(t, []string{"run_id", "step_id"},
			r.rows("SELECT name FROM pragma_index_info('idx_tool_calls_run_step')"))
		require.Contains(t,
			r.rows(`SELECT i.name FROM pragma_index_list('tool_calls') l, pragma_index_info(l.name) i WHERE `+
				`l."unique"`), "idempotency_key")
		require.Equal(t,
			[]string{`s|["s","s",""]|GMAIL_SEND_EMAIL|composio|external|REPLAY_EXACT|0|{"subject":"Report",` +
				`"to":"a@example.org"}|1`},
			r.rows("SELECT run_id, step_id, tool_name, tool_namespace, side_effect_class, replay_policy, "+
				"policy_matched, request_ref, attempt FROM tool_calls"))
		info, err := os.Stat(r.database())
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	})
	t.Run("U37 place", func(t *testing.T) {
		t.Parallel()
		elsewhere := filepath.Join(t.TempDir(), "new", "l.db")
		r := newLedgerRoom(t, "UA_RUNTIME_DB_PATH="+elsewhere, "UA_RUN_ID=r1")
		r.goes(ledgerCall{id: "t1", session: "s1"})
		r.denied(stillRuns, ledgerCall{id: "t2", session: "s2"})
		require.FileExists(t, elsewhere)
		require.NoFileExists(t, r.database())
		require.NoError(t, os.MkdirAll(filepath.Dir(r.database()), 0o755))
		require.NoError(t, os.Rename(elsewhere, r.database()))
		require.Equal(t, []string{`t1|r1|["r1","s1",""]`},
			r.rows("SELECT tool_call_id, run_id, step_id FROM tool_calls"))

		parent := t.TempDir()
		r = newLedgerRoom(t, "CURRENT_SESSION_WORKSPACE="+filepath.Join(parent, "AGENT_RUN_WORKSPACES", "session_1"))
		r.goes(ledgerCall{id: "t1"})
		require.FileExists(t, filepath.Join(parent, "AGENT_RUN_WORKSPACES", "runtime_state.db"))
	})
}

func TestLedgerStatuses(t *testing.T) {
	stayingLedger(t, "U38 prepared, running, succeeded, failed", func(r *ledgerRoom) {
		r.goes(ledgerCall{id: "t0", session: "before"}) // makes the tables
		for _, moment := range []string{"INSERT", "UPDATE"} {
			r.rows("CREATE TRIGGER seen_" + moment + " AFTER " + moment +
				" ON tool_calls WHEN new.tool_call_id LIKE 't%' BEGIN UPDATE runs SET cancel_reason = " +
				"coalesce(cancel_reason, '') || new.tool_call_id || ' ' || new.status || ', ' WHERE run_id = " +
				"new.run_id; END")
		}
		r.goes(ledgerCall{id: "t1"})
		r.ends(ledgerCall{id: "t1", result: "sent"})
		r.goes(ledgerCall{id: "t2", args: `{"to":"b@example.org"}`})
		r.ends(ledgerCall{id: "t2", args: `{"to":"b@example.org"}`, result: "no network", failed: true})
		require.Equal(r, []string{"t1 prepared, t1 running, t1 succeeded, t2 prepared, t2 running, t2 failed, "},
			r.rows("SELECT cancel_reason FROM runs WHERE run_id = 's'"))
	})
	eachLedgerWay(t, "U38 abandoned_on_resume at the next prompt", func(r *ledgerRoom) {
		r.goes(ledgerCall{prompt: true})
		require.NoFileExists(r, r.database(), "a prompt has nothing to note")
		r.goes(ledgerCall{id: "t1"})
		r.goes(ledgerCall{id: "t2", agent: "sub", args: `{"to":"b@example.org"}`})
		r.goes(ledgerCall{id: "t3", session: "other", args: `{}`})
		r.denied(stillRuns, ledgerCall{id: "t4"})
		require.Equal(r, ledgerAnswer{decision: "continue"}, r.ask(ledgerCall{prompt: true}))
		require.Equal(r, []string{"t1|abandoned_on_resume|1", "t2|running|1", "t3|running|1"}, r.rows(callsInLedger),
			"what other agents and sessions do goes on")
		a := r.goes(ledgerCall{id: "t5"})
		require.Contains(r, a.context, "nobody knows how it ended")
		r.denied(stillRuns, ledgerCall{id: "t6"})
		r.ends(ledgerCall{id: "t1", result: "sent at last"})
		require.Equal(r, []string{"t1|succeeded|1", "t2|running|1", "t3|running|1", "t5|running|2"},
			r.rows(callsInLedger))
		r.denied("sent at last", ledgerCall{id: "t7"})
	}, byFire, byServe)
	t.Run("U38 abandoned_on_resume by command", func(t *testing.T) {
		t.Parallel()
		r := newLedgerRoom(t)
		r.goes(ledgerCall{id: "t1"})
		r.goes(ledgerCall{id: "t2", agent: "sub", args: `{}`})
		r.goes(ledgerCall{id: "t3", session: "other"})
		resume := func() binary.Result {
			return binary.Run(t, r.dir, "", r.env, "python3", "-B", ".hooks/ledger_db.py", "resume", "s")
		}
		require.Equal(t, binary.Result{Stdout: "calls given up: 2\n"}, resume())
		require.Equal(t, []string{"t1|abandoned_on_resume|1", "t2|abandoned_on_resume|1", "t3|running|1"},
			r.rows(callsInLedger))
		require.Equal(t, binary.Result{Stdout: "calls given up: 0\n"}, resume())
		r.goes(ledgerCall{id: "t4"})
	})
	t.Run("U38 a hook that is killed on the way leaves nothing", func(t *testing.T) {
		t.Parallel()
		r := newLedgerRoom(t)
		r.goes(ledgerCall{id: "t0", args: `{}`})
		done := r.python(
			`call = {"tool_name": "GMAIL_SEND_EMAIL", "session_id": "s", "tool_input": {"to": "a@example.org", "subject": "Report"}}
with ledger_db.transaction(ledger_db.path(call)) as db:
    assert ledger_db.prepare(db, ledger_policy.describe(call), "t1", "", 1)
    db.execute("PRAGMA cache_spill = 1"); os.kill(os.getpid(), 9)`)
		require.Equal(t, -1, done.Code, done.Stderr)
		r.goes(ledgerCall{id: "t2"})
		require.Equal(t, []string{"t0|running|1", "t2|running|1"}, r.rows(callsInLedger))
	})
}

func TestLedgerKeys(t *testing.T) {
	t.Parallel()
	r := newLedgerRoom(t)
	// keys prints the idempotency key of each call on a line.
	keys := func(calls ...string) []string {
		done := r.python(`for call in sys.argv[1:]: `+
			`print(ledger_policy.key(ledger_policy.describe(json.loads(call))))`, calls...)
		require.Equal(t, 0, done.Code, done.Stderr)
		return strings.Fields(done.Stdout)
	}
	call := func(tool, args string) string {
		return fmt.Sprintf(`{"session_id": "r", "tool_name": %q, "tool_input": %s}`, tool, args)
	}
	t.Run("U39 of what it is made", func(t *testing.T) {
		done := r.python(`import hashlib
sha = lambda text: hashlib.sha256(text.encode()).hexdigest()
row = ledger_policy.describe(json.loads(sys.argv[1]))
args = sha('{"a":[1,{"c":null}],"b":"\\u00fc"}')
assert row["normalized_args_hash"] == args, row
assert ledger_policy.key(row) == sha("r|composio|SLACK_POST|%s|%s" % (args, args)), row
assert ledger_policy.key(row, "t1") == sha("r|composio|SLACK_POST|%s|%s|t1" % (args, args)), row
`, call("SLACK_POST", `{"b": "ü", "idempotency_key": 1, "a": [1, {"client_request_id": {}, "c": null}]}`))
		require.Equal(t, binary.Result{}, done)
	})
	t.Run("U39 the same and not the same", func(t *testing.T) {
		multi := `{"tools":[{"tool_slug":"X","arguments":{}}]%s}`
		tests := []struct {
			name, tool, args, otherTool, otherArgs string
			same                                   bool
		}{
			{"order", "A", `{"a":1,"b":{"c":2,"d":3}}`, "A", `{"b":{"d":3,"c":2},"a":1}`, true},
			{"order of a list", "A", `[1,2]`, "A", `[2,1]`, false},
			{"value", "A", `{"a":1}`, "A", `{"a":2}`, false},
			{"type", "A", `{"a":1}`, "A", `{"a":"1"}`, false},
			{"a yes", "A", `{"a":1}`, "A", `{"a":true}`, false},
			{"number", "A", `{"a":1,"b":[-0.0]}`, "A", `{"a":1.0,"b":[0]}`, true},
			{"number with a fraction", "A", `{"a":1}`, "A", `{"a":1.5}`, false},
			{"number that is none", "A", `{"a":1e999}`, "A", `{"a":-1e999}`, false},
			{"case", "SEND", `{}`, "send", `{}`, false},
			{"tool", "A", `{}`, "B", `{}`, false},
			{"keys of the provider", "A", `{"a":[{}]}`, "A", `{"a":[{"idempotency_key":"x"}],"client_request_id":"y"}`,
				true},
			{"suffix", "COMPOSIO_MULTI_EXECUTE_TOOL", `{}`, "COMPOSIO_MULTI_EXECUTE_TOOLtools", `{}`, true},
			{"suffix that belongs there", "COMPOSIO_SEARCH_TOOLS", `{}`, "COMPOSIO_SEARCH_", `{}`, false},
			{"a short name", "mytools", `{}`, "my", `{}`, false},
			{"what is said about many", "COMPOSIO_MULTI_EXECUTE_TOOL", fmt.Sprintf(multi, ""),
				"COMPOSIO_MULTI_EXECUTE_TOOL",
				fmt.Sprintf(multi,
					`,"session_id":"x","current_step":"y","current_step_metric":"1",`+
						`"sync_response_to_workbench":true,"thought":"z"`), true},
			{"thought of another tool", "A", `{"thought":"a"}`, "A", `{"thought":"b"}`, false},
			{"server", "mcp__slack__send", `{}`, "mcp__mail__send", `{}`, false},
			{"server and none", "mcp__slack__send", `{}`, "send", `{}`, false},
		}
		var calls []string
		for _, test := range tests {
			calls = append(calls, call(test.tool, test.args), call(test.otherTool, test.otherArgs))
		}
		both := keys(calls...)
		for i, test := range tests {
			require.Regexp(t, `^[0-9a-f]{64}$`, both[2*i], test.name)
			require.Equal(t, test.same, both[2*i] == both[2*i+1], test.name)
		}
	})
	t.Run("U39 a relaunch has its own", func(t *testing.T) {
		r := newLedgerRoom(t)
		for _, id := range []string{"t1", "t2"} {
			r.goes(ledgerCall{id: id, tool: "Task", args: `{"prompt":"x"}`})
		}
		require.Len(t, r.rows("SELECT DISTINCT idempotency_key FROM tool_calls"), 2)
		require.Equal(t, []string{"task|claude_code|RELAUNCH"},
			r.rows("SELECT DISTINCT tool_name, tool_namespace, replay_policy FROM tool_calls"))
	})
	t.Run("U40 scope", func(t *testing.T) {
		var calls []string
		want := ""
		for _, test := range [][3]string{
			{"GMAIL_SEND_EMAIL", `{"to":"a@b","subject":"s","attachment":{"s3key":"k"}}`, "email:a@b:s:k"},
			{"GMAIL_SEND_EMAIL", `{"recipient_email":"a@b","attachment":"x"}`, "email:a@b::"},
			{"upload_to_composio", `{"path":"p","destination":"d"}`, "upload:p:d"},
			{"workbench_upload", `{"file_path":"p","bucket":"b"}`, "upload:p:b"},
			{"core_memory_append", `{"content":"c"}`,
				"memory:879923da020d1533f4d8e921ea7bac61e8ba41d3c89d17a4d14e3a89c6780d5d"},
			{"SLACK_POST", `{"a":1}`, "hash"},
			{"GMAIL_SEND_EMAIL", `"text"`, "hash"},
		} {
			calls, want = append(calls, test[0], test[1]), want+test[2]+"\n"
		}
		done := r.python(`for name, given in zip(sys.argv[1::2], sys.argv[2::2]): print(ledger_policy.scope(name, `+
			`json.loads(given), "hash"))`, calls...)
		require.Equal(t, binary.Result{Stdout: want}, done)
	})
}

func TestLedgerClassification(t *testing.T) {
	t.Parallel()
	classify := func(r *ledgerRoom, tools ...string) binary.Result {
		r.Helper()
		return binary.Run(r.T, r.dir, "", r.env,
			append([]string{"python3", "-B", ".hooks/ledger_policy.py"}, tools...)...)
	}
	t.Run("U41 the table, MCP's tools, words", func(t *testing.T) {
		var tools []string
		want := ""
		for _, line := range []string{
			"Read read_only REPLAY_IDEMPOTENT reads", "fs_read read_only REPLAY_IDEMPOTENT reads",
			"COMPOSIO_SEARCH_WEB read_only REPLAY_IDEMPOTENT composio_reads", "Write local REPLAY_IDEMPOTENT files",
			"Bash local REPLAY_IDEMPOTENT shell", "shell local REPLAY_IDEMPOTENT shell",
			"TodoWrite memory REPLAY_IDEMPOTENT todo",
			"Task external RELAUNCH None", "mcp__x__TaskOutput local RELAUNCH None",
			"mcp__x__core_memory_append memory REPLAY_EXACT None",
			"mcp__x__upload_to_composio external REPLAY_EXACT None",
			"mcp__x__crawl_parallel read_only REPLAY_IDEMPOTENT None", "mcp__x__something local REPLAY_EXACT None",
			"mcp__github__list_labels read_only REPLAY_IDEMPOTENT None",
			"mcp__github__create_issue external REPLAY_EXACT None",
			"GMAIL_SEND_EMAIL external REPLAY_EXACT None", "GMAIL_FETCH_EMAILS read_only REPLAY_IDEMPOTENT None",
			"list_unsubscribe external REPLAY_EXACT None", "mcp__x__read_and_wipe external REPLAY_EXACT None",
			"getUser read_only REPLAY_IDEMPOTENT None", "getOrCreate external REPLAY_EXACT None",
			"widget_press external REPLAY_EXACT None",
			"Replicate external REPLAY_EXACT None", "anything external REPLAY_EXACT None",
		} {
			tools, want = append(tools, strings.Fields(line)[0]), want+line+"\n"
		}
		require.Equal(t, binary.Result{Stdout: want}, classify(newLedgerRoom(t), tools...))
	})
	t.Run("U41 overlays go before the base", func(t *testing.T) {
		rule := `{"policies": [{"name": %q, "patterns": [%q], "side_effect_class": %q, "replay_policy": ` +
			`"REPLAY_EXACT"}]}`
		r := newLedgerRoom(t, "UA_TOOL_POLICIES_OVERLAY_PATHS=one.json, two.json", "UA_TOOL_POLICIES_PATH=base.json")
		binary.WriteFile(t, r.dir, "one.json", fmt.Sprintf(rule, "one", "^shell$", "external"))
		binary.WriteFile(t, r.dir, "two.json", fmt.Sprintf(rule, "two", "SHELL|pay", "memory"))
		binary.WriteFile(t, r.dir, "base.json", fmt.Sprintf(rule, "base", "pay|read", "local"))
		require.Equal(t,
			binary.Result{Stdout: "shell external REPLAY_EXACT one\npay memory REPLAY_EXACT two\nRead local " +
				"REPLAY_EXACT base\nfs_glob external REPLAY_EXACT None\n"},
			classify(r, "shell", "pay", "Read", "fs_glob"))
		r.goes(ledgerCall{id: "t1", tool: "shell", args: `{}`})
		r.denied(stillRuns, ledgerCall{id: "t2", tool: "shell", args: `{}`})
		require.Equal(t, []string{"1|one"}, r.rows("SELECT policy_matched, policy_rule_id FROM tool_calls"))
	})
	t.Run("U41 a class that does not exist", func(t *testing.T) {
		r := newLedgerRoom(t, "UA_TOOL_POLICIES_OVERLAY_PATH=o.json")
		binary.WriteFile(t, r.dir, "o.json",
			`{"policies": [{"name": "o", "tool_namespace": "COMPOSIO", "patterns": ["^Read$"], "side_effect_class": `+
				`"harmless"}]}`)
		done := classify(r, "Read", "Read", "mcp__x__Read")
		require.Equal(t,
			"Read external REPLAY_EXACT o\nRead external REPLAY_EXACT o\nmcp__x__Read read_only REPLAY_IDEMPOTENT "+
				"reads\n", done.Stdout)
		require.Equal(t, 1, strings.Count(done.Stderr, "'harmless'"), done.Stderr)
	})
	t.Run("U41 a policy that nobody can read", func(t *testing.T) {
		for _, text := range []string{"", "policies:\n- name: yaml\n",
			`{"policies": [{"name": "o", "patterns": ["("]}]}`, `{}`} {
			r := newLedgerRoom(t, "UA_TOOL_POLICIES_OVERLAY_PATH=o.json")
			if text != "" {
				binary.WriteFile(t, r.dir, "o.json", text)
			}
			r.denied("Ledger prepare failed.", ledgerCall{id: "t1"})
		}
	})
}

func TestLedgerDenies(t *testing.T) {
	eachLedgerWay(t, "U42 the second of two calls, with the result of the first", func(r *ledgerRoom) {
		r.goes(ledgerCall{id: "t1"})
		r.denied(stillRuns, ledgerCall{id: "t2", args: `{"subject":"Report","to":"a@example.org"}`})
		r.denied(stillRuns, ledgerCall{id: "t1"})
		r.ends(ledgerCall{id: "t1", result: `{"message_id":"m7","error":null}`})
		a := r.denied(madeAlready, ledgerCall{id: "t2"})
		require.Contains(r, a.reason, `"m7"`)
		require.Empty(r, a.message)
		r.denied(madeAlready, ledgerCall{id: "t1"})
		r.goes(ledgerCall{id: "t3", args: `{"to":"b@example.org"}`})
		r.goes(ledgerCall{id: "t1", session: "another run"})
		require.Len(r, r.rows(callsInLedger), 3)
		require.Equal(r, []string{"t1|s", "t3|s"},
			r.rows("SELECT tool_call_id, run_id FROM tool_calls WHERE run_id = 's' ORDER BY rowid"))
	}, byProcess, byFire, byServe, byStaying)
	stayingLedger(t, "U42 not after an error", func(r *ledgerRoom) {
		r.goes(ledgerCall{id: "t1"})
		r.ends(ledgerCall{id: "t1", result: "no network", failed: true})
		r.goes(ledgerCall{id: "t2"})
		r.denied(stillRuns, ledgerCall{id: "t3"})
		r.ends(ledgerCall{id: "t2", result: "Error: no network"}) // a success that tells of an error
		r.goes(ledgerCall{id: "t4"})
		r.ends(ledgerCall{id: "t4", result: "sent, see the log for an error"})
		r.goes(ledgerCall{id: "t5"})
		r.ends(ledgerCall{id: "t5", result: "sent, and of the ten recipients none has reported back an error"})
		r.denied("sent, and of the ten", ledgerCall{id: "t6"})
		require.Equal(r, []string{"t1|failed|1", "t2|succeeded|2", "t4|succeeded|3", "t5|succeeded|4"},
			r.rows(callsInLedger))
		require.Len(r, r.rows("SELECT DISTINCT idempotency_key FROM tool_calls"), 4)
	})
	stayingLedger(t, "U42 what may be repeated", func(r *ledgerRoom) {
		for _, tool := range []string{"Read", "shell", "Bash", "Write", "Task", "GMAIL_FETCH_EMAILS",
			"mcp__github__list_issues"} {
			args := `{"file_path":"a","content":"b"}`
			for _, id := range []string{"1", "2"} {
				require.Empty(r, r.goes(ledgerCall{id: tool + id, tool: tool, args: args}).message)
			}
			r.ends(ledgerCall{id: tool + "1", tool: tool, args: args, result: "ok"})
			r.goes(ledgerCall{id: tool + "3", tool: tool, args: args})
			require.Equal(r, []string{tool + "1|succeeded|1", tool + "2|running|2", tool + "3|running|3"},
				r.rows("SELECT tool_call_id, status, attempt FROM tool_calls WHERE raw_tool_name = '"+tool+
					"' ORDER BY rowid"))
		}
	})
	t.Run("U42 the form of the answer", func(t *testing.T) {
		t.Parallel()
		r := newLedgerRoom(t)
		r.way = ledgerWays[byServe]
		r.goes(ledgerCall{id: "t1"})
		result := strings.Repeat("ü", 499) + "😀" + "the rest"
		r.ends(ledgerCall{id: "t1", result: result})
		done := binary.Run(t, r.dir, ledgerCall{id: "t2", session: "s", tool: "GMAIL_SEND_EMAIL",
			args: `{"to":"a@example.org","subject":"Report"}`}.claude(t, r.dir), r.env, "python3", "-B",
			".hooks/ledger.py")
		var a binary.Answer
		require.NoError(t, json.Unmarshal([]byte(done.Stdout), &a))
		require.Equal(t, "block", a.Decision)
		require.Equal(t, strings.Repeat("ü", 499)+"😀", a.Reason)
		require.Equal(t, "PreToolUse", a.Specific.Event)
		require.Equal(t, "deny", a.Specific.Permission)
		require.Regexp(t, `^Idempotent tool call detected\. .*ü😀$`, a.Specific.Why)
	})
	t.Run("U42 a success without a word is one", func(t *testing.T) {
		t.Parallel()
		r := newLedgerRoom(t)
		r.way = ledgerWays[byServe]
		for _, result := range []string{"", "none", "null", "{}",
			`{"error":null,"data":"` + strings.Repeat("x", 30_000) + `"}`} {
			args := binary.JSON(t, binary.Object{"for": result})
			r.goes(ledgerCall{id: "t1" + args, args: args})
			r.ends(ledgerCall{id: "t1" + args, args: args, result: result})
			r.denied(madeAlready, ledgerCall{id: "t2" + args, args: args})
		}
	})
	t.Run("U42 eight at the same moment", func(t *testing.T) {
		t.Parallel()
		r, next := newLedgerRoom(t), 0
		// Eight processes that stay: of those that only start, one would often be ready long before the next.
		var processes [8]ledgerRoom
		for i := range processes {
			processes[i] = *r
			processes[i].way = ledgerWays[byStaying]
			// it runs now, and makes no database
			require.Equal(t, "continue", processes[i].ask(ledgerCall{prompt: true}).decision)
		}
		// allAtOnce returns the ids of those that went on. It makes the database, too.
		allAtOnce := func(reason string) (went []string) {
			t.Helper()
			answers, ids := make([]ledgerAnswer, 8), make([]string, 8)
			var all sync.WaitGroup
			for i := range answers {
				next++
				ids[i] = fmt.Sprint("t", next)
				all.Go(func() { answers[i] = processes[i].ask(ledgerCall{id: ids[i]}) })
			}
			all.Wait()
			for i, a := range answers {
				if a.decision == "continue" {
					went = append(went, ids[i])
				} else {
					require.Contains(t, a.reason, reason)
				}
			}
			return went
		}
		went := allAtOnce(stillRuns)
		require.Len(t, went, 1)
		r.ends(ledgerCall{id: went[0], result: "no network", failed: true})
		went = allAtOnce(stillRuns)
		require.Len(t, went, 1, "after the first has failed the next may")
		r.ends(ledgerCall{id: went[0], result: "sent"})
		require.Empty(t, allAtOnce(madeAlready))
		require.Len(t, r.rows(callsInLedger), 2)
	})
	t.Run("U42 clients that count their calls from 0", func(t *testing.T) {
		t.Parallel()
		r := newLedgerRoom(t)
		r.way = ledgerWays[byServe]
		for _, session := range []string{"a", "b"} {
			r.goes(ledgerCall{id: "0", session: session})
			r.ends(ledgerCall{id: "0", session: session, result: "sent in " + session})
			r.denied("sent in "+session, ledgerCall{id: "1", session: session})
			r.goes(ledgerCall{id: "0", session: session, args: `{}`})
			r.ends(ledgerCall{id: "0", session: session, args: `{}`, result: "sent again"})
		}
		require.Equal(t, []string{"succeeded"}, r.rows("SELECT DISTINCT status FROM tool_calls"))
	})
	t.Run("U42 calls without an id", func(t *testing.T) {
		t.Parallel()
		r := newLedgerRoom(t)
		r.way = ledgerWays[byServe]
		r.goes(ledgerCall{})
		r.denied(stillRuns, ledgerCall{})
		r.goes(ledgerCall{args: `{"to":"b@example.org"}`})
		r.ends(ledgerCall{result: "sent"})
		r.denied("sent", ledgerCall{})
		r.denied(stillRuns, ledgerCall{args: `{"to":"b@example.org"}`})
		r.ends(ledgerCall{args: `{"to":"b@example.org"}`, result: "full", failed: true})
		r.goes(ledgerCall{args: `{"to":"b@example.org"}`})

		r.goes(ledgerCall{args: `{"to":"c@example.org"}`})
		r.goes(ledgerCall{prompt: true})
		r.goes(ledgerCall{args: `{"to":"c@example.org"}`})
		r.ends(ledgerCall{args: `{"to":"nobody"}`, result: "sent"})
		r.denied(stillRuns, ledgerCall{args: `{"to":"c@example.org"}`})
		r.ends(ledgerCall{args: `{"to":"c@example.org"}`, result: "sent"})
		require.Equal(t, []string{"abandoned_on_resume", "succeeded"},
			r.rows(`SELECT status FROM tool_calls WHERE request_ref LIKE '%c@example.org%' ORDER BY rowid`))
	})
	t.Run("U42 the end of a denied call changes nothing", func(t *testing.T) {
		t.Parallel()
		r := newLedgerRoom(t)
		r.way = ledgerWays[byServe]
		r.goes(ledgerCall{id: "t1"})
		r.denied(stillRuns, ledgerCall{id: "t2"})
		r.ends(ledgerCall{id: "t2", result: "blocked", failed: true})
		r.denied(stillRuns, ledgerCall{id: "t3"})
	})
}

func TestLedgerPrepareFailure(t *testing.T) {
	// Each makes the database useless. What it returns has to run until the end.
	broken := map[string]func(r *ledgerRoom){
		"no database": func(r *ledgerRoom) {
			binary.WriteFile(r.T, filepath.Dir(r.database()), "runtime_state.db", strings.Repeat("no database\n", 100))
		},
		"a folder":          func(r *ledgerRoom) { require.NoError(r, os.MkdirAll(r.database(), 0o755)) },
		"a file on the way": func(r *ledgerRoom) { binary.WriteFile(r.T, r.dir, "AGENT_RUN_WORKSPACES", "") },
		"other tables": func(r *ledgerRoom) {
			done := r.python(`import sqlite3; os.makedirs(os.path.dirname(ledger_db.path({}))); ` +
				`sqlite3.connect(ledger_db.path({})).execute("CREATE TABLE tool_calls(x)")`)
			require.Equal(r, 0, done.Code, done.Stderr)
		},
		"cut off": func(r *ledgerRoom) {
			r.goes(ledgerCall{id: "t0", session: "before"})
			require.NoError(r, os.Truncate(r.database(), 5000))
		},
		"no sqlite3": func(r *ledgerRoom) {
			binary.WriteFile(r.T, r.dir, "path/sqlite3.py", `raise ImportError("this Python has no sqlite3")`)
			r.env = append(r.env, "PYTHONPATH="+filepath.Join(r.dir, "path"))
		},
		"no guards.json": func(r *ledgerRoom) { binary.WriteFile(r.T, r.dir, ".hooks/guards.json", "{") },
		"no schema": func(r *ledgerRoom) {
			require.NoError(r, os.Remove(filepath.Join(r.dir, ".hooks", "ledger.sql")))
		},
		"locked": func(r *ledgerRoom) {
			r.change("guards.json", `"busy_seconds": 5`, `"busy_seconds": 0.2`)
			r.goes(ledgerCall{id: "t0", session: "before"})
			holder := exec.Command("python3", "-c",
				"import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.execute('BEGIN EXCLUSIVE'); "+
					"print(flush=True); sys.stdin.read()", r.database())
			in, err := holder.StdinPipe()
			require.NoError(r, err)
			out, err := holder.StdoutPipe()
			require.NoError(r, err)
			require.NoError(r, holder.Start())
			r.Cleanup(func() {
				in.Close()
				_ = holder.Wait()
			})
			_, err = out.Read(make([]byte, 1))
			require.NoError(r, err)
		},
	}
	for name, spoil := range broken {
		eachLedgerWay(t, "U43 "+name, func(r *ledgerRoom) {
			spoil(r)
			r.denied("Ledger prepare failed.", ledgerCall{id: "t1"})
			r.denied("Ledger prepare failed.", ledgerCall{id: "t2", tool: "shell", args: `{"command":"ls"}`})
			if name != "no guards.json" { // then nobody knows which tools only read
				a := r.goes(ledgerCall{id: "t3", tool: "Read", args: `{"file_path":"a"}`})
				require.Contains(r, a.message, "Ledger prepare failed.")
			}
			a := r.goes(ledgerCall{id: "t1", ended: true, result: "sent"})
			require.Contains(r, a.message, "The ledger could not record this",
				"the tool has run: no block, but no silence")
			if _, err := os.Stat(r.database()); err == nil && !strings.HasPrefix(name, "no ") || name == "no database" {
				require.Contains(r, r.goes(ledgerCall{prompt: true}).message, "The ledger could not record this")
			}
		}, byServe)
	}
	t.Run("U43 a read-only file", func(t *testing.T) {
		t.Parallel()
		r := newLedgerRoom(t)
		r.goes(ledgerCall{id: "t0", session: "before"})
		require.NoError(t, os.Chmod(r.database(), 0o400))
		argv := []string{"python3", "-B", ".hooks/ledger.py"}
		if os.Geteuid() == 0 { // who may write what root says is read-only, if it is not told to leave that
			binary.Needs(t, "setpriv")
			argv = append([]string{"setpriv", "--bounding-set=-dac_override"}, argv...)
		}
		for tool, decision := range map[string]string{"GMAIL_SEND_EMAIL": "block", "Read": "continue"} {
			done := binary.Run(t, r.dir, ledgerCall{id: "t1", session: "s", tool: tool, args: `{}`}.claude(t, r.dir),
				r.env, argv...)
			require.Equal(t, 0, done.Code, done.Stderr)
			a := r.answer(done.Stdout)
			require.Equal(t, decision, a.decision)
			require.Contains(t, a.reason+a.message, "Ledger prepare failed.")
		}
	})
	eachLedgerWay(t, "U43 the row is gone before it runs", func(r *ledgerRoom) {
		r.goes(ledgerCall{id: "t0", session: "before"})
		r.rows("CREATE TRIGGER thief AFTER INSERT ON tool_calls BEGIN DELETE FROM tool_calls WHERE tool_call_id = " +
			"new.tool_call_id; END")
		r.denied("Prepared ledger row missing.", ledgerCall{id: "t1"})
		require.Equal(r, []string{"t0|running|1"}, r.rows(callsInLedger))
	}, byProcess, byServe)
	t.Run("U43 input that is no call", func(t *testing.T) {
		t.Parallel()
		r := newLedgerRoom(t)
		calls := []string{`{}`, `{"tool_name":7}`, `{"tool_name":null,"tool_input":{}}`,
			`{"tool_name":"SEND","session_id":7}`, `{"tool_name":"SEND","tool_use_id":{"a":1}}`}
		for _, last := range []string{"", "\xff",
			`{"tool_name":"SEND","tool_input":` + strings.Repeat("[", 200_000) + strings.Repeat("]", 200_000) + `}`} {
			stdin := last // alone, and after calls that can be read
			if last != "" {
				stdin = strings.Join(calls, "\n") + "\n" + last
			}
			done := binary.Run(t, r.dir, stdin, r.env, "python3", "-B", ".hooks/ledger.py")
			require.Equal(t, 0, done.Code, "%.60q: %s", last, done.Stderr)
			answers := strings.Split(strings.TrimSuffix(done.Stdout, "\n"), "\n")
			require.Len(t, answers, 1+strings.Count(stdin, "\n"))
			for i, line := range answers {
				require.Equal(t, "block", r.answer(line).decision, "%d, %.60q", i, last)
			}
		}
	})
	stayingLedger(t, "U43 strange arguments", func(r *ledgerRoom) {
		for i, args := range []string{`"text"`, `["a", 1]`, `7`, `null`,
			`{"a":` + strings.Repeat(`{"a":`, 60) + `1` + strings.Repeat(`}`, 61),
			`{"a":"\ud800","b":"\u0000"}`, `{"a":1e400}`, `{"text":"` + strings.Repeat("é", 100_000) + `"}`} {
			if strings.Contains(args, "ud800") && r.way.name == ledgerWays[byServe].name {
				continue // hookrun has made it a character by then
			}
			r.goes(ledgerCall{id: fmt.Sprint("a", i), tool: "SEND", args: args})
			r.denied(stillRuns, ledgerCall{id: fmt.Sprint("b", i), tool: "SEND", args: args})
			r.ends(ledgerCall{id: fmt.Sprint("a", i), tool: "SEND", args: args,
				result: strings.Repeat("r\u2028", 50_000)})
			r.denied(madeAlready, ledgerCall{id: fmt.Sprint("b", i), tool: "SEND", args: args})
		}
		require.Equal(r, []string{"20000|20000"},
			r.rows("SELECT max(length(request_ref)), max(length(response_ref)) FROM tool_calls"))
	})
	t.Run("U43 half a character", func(t *testing.T) {
		t.Parallel()
		r := newLedgerRoom(t)
		call := func(event, id string) ledgerAnswer {
			line := fmt.Sprintf(`{"hook_event_name":%q,"session_id":"\ud800s","tool_use_id":"\udc00%s",`+
				`"agent_id":"\ud800","tool_name":"SEND\ud83d","tool_input":{"\ud800":"\ud800"},`+
				`"tool_response":"\ud800 sent"}`, event, id)
			return r.answer(r.line(&r.out, line+"\n", "python3", "-B", ".hooks/ledger.py"))
		}
		require.Equal(t, "continue", call("PreToolUse", "1").decision)
		require.Contains(t, call("PreToolUse", "2").reason, stillRuns)
		require.Equal(t, ledgerAnswer{decision: "continue"}, call("PostToolUse", "1"))
		require.Contains(t, call("PreToolUse", "3").reason, "? sent")
	})
}

func TestLedgerCompletion(t *testing.T) {
	const ended = "SELECT status, response_ref, external_correlation_id, error_detail FROM tool_calls"
	stayingLedger(t, "U44 success", func(r *ledgerRoom) {
		for _, test := range []struct{ result, id string }{
			{`{"id":"i1","message_id":"m1"}`, "i1"}, {`{"message_id":"m1"}`, "m1"}, {`{"id":"","request_id":7}`, "7"},
			{`{"a":1}`, "None"}, {`text`, "None"},
			{`{"error":null,"is_error":false}`, "None"}, {`[{"type":"text","text":"x"}]`, "None"},
		} {
			args := binary.JSON(r.T, binary.Object{"for": test.result})
			r.goes(ledgerCall{id: test.result, args: args})
			r.ends(ledgerCall{id: test.result, args: args, result: test.result})
			row := strings.Split(r.rows(ended + " ORDER BY rowid DESC LIMIT 1")[0], "|")
			require.Equal(r, "succeeded", row[0])
			if json.Valid([]byte(test.result)) {
				require.JSONEq(r, test.result, row[1])
			} else {
				require.Equal(r, test.result, row[1])
			}
			require.Equal(r, []string{test.id, "None"}, row[2:])
		}
		require.Empty(r, r.rows("SELECT * FROM tool_receipts"))
		require.Equal(r, []string{"running"}, r.rows("SELECT status FROM runs"))
	})
	stayingLedger(t, "U44 failure", func(r *ledgerRoom) {
		r.goes(ledgerCall{id: "t1", tool: "Read", args: `{}`})
		r.ends(ledgerCall{id: "t1", tool: "Read", args: `{}`, result: "no such file", failed: true})
		require.Equal(r, []string{"failed|None|None|no such file"}, r.rows(ended))
		require.Equal(r, []string{"running"}, r.rows("SELECT status FROM runs"), "a read that failed does no harm")
		for i, c := range []ledgerCall{
			{result: "no network", failed: true}, {failed: true}, {result: `{"error":"quota"}`},
			{result: `{"is_error":true,"content":"x"}`},
		} {
			c.id, c.args = fmt.Sprint("f", i), fmt.Sprintf(`{"n":%d}`, i)
			r.goes(ledgerCall{id: c.id, args: c.args})
			r.ends(c)
			detail := c.result
			if detail == "" {
				detail = "tool error"
			}
			row := strings.Split(r.rows(ended + " ORDER BY rowid DESC LIMIT 1")[0], "|")
			require.Equal(r, []string{"failed", "None", "None"}, row[:3])
			require.Equal(r, detail, strings.ReplaceAll(strings.ReplaceAll(row[3], ": ", ":"), ", ", ","))
			r.goes(ledgerCall{id: c.id + " again", args: c.args})
		}
		require.Equal(r, []string{"waiting_for_human"}, r.rows("SELECT status FROM runs"))
		r.goes(ledgerCall{prompt: true})
		require.Equal(r, []string{"running"}, r.rows("SELECT status FROM runs"), "there the human is")
	})
	eachLedgerWay(t, "U44 a receipt counts after a crash", func(r *ledgerRoom) {
		receipt := func(id string) { // as it is between the two transactions of a completion
			r.rows("INSERT INTO tool_receipts SELECT tool_call_id, run_id, tool_name, tool_namespace, " +
				"idempotency_key, created_at, 'sent ' || tool_call_id, 'm1' FROM tool_calls WHERE tool_call_id = '" +
				id + "'")
		}
		r.goes(ledgerCall{id: "t1"})
		receipt("t1")
		r.denied("sent t1", ledgerCall{id: "t3"})
		r.goes(ledgerCall{id: "t2", args: `{}`})
		receipt("t2")
		r.goes(ledgerCall{prompt: true})
		require.Equal(r, []string{"succeeded|sent t1|m1|None", "succeeded|sent t2|m1|None"},
			r.rows(ended+" ORDER BY rowid"))
		require.Empty(r, r.rows("SELECT * FROM tool_receipts"))
		r.denied("sent t2", ledgerCall{id: "t4", args: `{}`})
	}, byCommand, byStaying)
	stayingLedger(t, "U44 the id binds, also if a later hook has changed the arguments", func(r *ledgerRoom) {
		r.goes(ledgerCall{id: "t1"})
		r.ends(ledgerCall{id: "t1", args: `{"changed":true}`, result: "sent"})
		r.denied(madeAlready, ledgerCall{id: "t2"})
		r.ends(ledgerCall{id: "t1", result: "again", failed: true}) // an end that comes twice is none
		require.Equal(r, []string{"succeeded|sent|None|None"}, r.rows(ended))
	})
}

func TestLedgerOtherChecks(t *testing.T) {
	stayingLedger(t, "U45 a run that is to be cancelled", func(r *ledgerRoom) {
		r.goes(ledgerCall{id: "t1"})
		r.rows("UPDATE runs SET cancel_requested_at = 'now', cancel_reason = 'too dear' WHERE run_id = 's'")
		r.denied("too dear", ledgerCall{id: "t2", args: `{}`})
		r.denied("too dear", ledgerCall{id: "t3", tool: "shell", args: `{}`})
		require.Empty(r, r.goes(ledgerCall{id: "t4", tool: "Read", args: `{}`}).message)
		r.goes(ledgerCall{id: "t5", session: "other"})
	})
	stayingLedger(t, "U45 names and arguments", func(r *ledgerRoom) {
		for _, tool := range []string{"SEND<arg_key>", "SEND>", "{SEND", "SEND}", "[SEND", "SEND]", `SE"ND`} {
			r.denied("The name of the tool", ledgerCall{id: "t1", tool: tool, args: `{}`})
		}
		for _, args := range []string{`{}`, `{"file_path":"a"}`, `{"content":"b"}`, `{"file_path":"","content":"b"}`,
			`{"file_path":"a","content":null}`} {
			r.denied("Write needs file_path and content.", ledgerCall{id: "t1", tool: "Write", args: args})
		}
		r.goes(ledgerCall{id: "t1", tool: "Write", args: `{"file_path":"a","content":""}`})
	})
	t.Run("U45 what is left out is said", func(t *testing.T) {
		text, err := os.ReadFile(filepath.Join(binary.Repository(t), "scripts", "examples", "guards", "README.md"))
		require.NoError(t, err)
		_, section, found := strings.Cut(string(text), "\n## The ledger\n")
		require.True(t, found)
		section, _, _ = strings.Cut(section, "\n## ")
		for _, words := range []string{"task_key", "cd <workspace>", "alias", "recipient", "replay", "job mode",
			"unknown_tools.jsonl", "bash_audit.log", "disallowed.py"} {
			require.Contains(t, section, words)
		}
	})
}
