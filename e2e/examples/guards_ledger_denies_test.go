//go:build unix

package examples

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

func TestLedgerDenies(t *testing.T) {
	testall.Only(t, "each row starts Python many times")
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
	testall.Only(t, "each row starts Python many times")
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
	for _, name := range testall.PartOf(5, broken) {
		spoil := broken[name]
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
