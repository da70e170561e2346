//go:build unix

package examples

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
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
	testall.Only(t, "each row starts Python many times")
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
	testall.Only(t, "each row starts Python many times")
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
		for _, text := range testall.Part(3, []string{"", "policies:\n- name: yaml\n",
			`{"policies": [{"name": "o", "patterns": ["("]}]}`, `{}`}) {
			r := newLedgerRoom(t, "UA_TOOL_POLICIES_OVERLAY_PATH=o.json")
			if text != "" {
				binary.WriteFile(t, r.dir, "o.json", text)
			}
			r.denied("Ledger prepare failed.", ledgerCall{id: "t1"})
		}
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
