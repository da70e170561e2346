# The ledger's database: a row for each tool call, written before it runs and when it ends, and receipts of results.
# Use: python3 -B ledger_db.py resume RUN [DATABASE] gives up the run's unfinished calls, so that they may be repeated.
import sys

from guards import DATA, root

import contextlib
import datetime
import os
import sqlite3
import uuid

from ledger_policy import clean, identity, key

SAME = "run_id = :run_id AND tool_namespace = :tool_namespace AND tool_name = :tool_name " \
       "AND normalized_args_hash = :normalized_args_hash"
NEW = ("run_id step_id raw_tool_name tool_name tool_namespace side_effect_class replay_policy policy_matched policy_rule_id "
       "normalized_args_hash request_ref created_at updated_at tool_call_id idempotency_key status attempt").split()


def now():
    return datetime.datetime.now(datetime.timezone.utc).isoformat()


def path(call):
    return os.environ.get("UA_RUNTIME_DB_PATH") or os.path.join(root(call), "AGENT_RUN_WORKSPACES", "runtime_state.db")


@contextlib.contextmanager
def transaction(file):
    """The database, for one writer at a time: of two processes with the same call the second sees the row of the first."""
    os.makedirs(os.path.dirname(os.path.abspath(file)), exist_ok=True)
    os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))  # only the owner may read tools' input and output
    with open(os.path.join(os.path.dirname(os.path.realpath(__file__)), "ledger.sql"), encoding="utf-8") as schema:
        statements = schema.read().split(";")
    # A minute is enough for every other writer. But the hook must answer before its own deadline.
    patience = min(60, DATA["ledger"]["busy_seconds"])
    with contextlib.closing(sqlite3.connect(file, timeout=patience, isolation_level=None)) as db:
        db.row_factory = sqlite3.Row
        db.execute("PRAGMA foreign_keys = ON")
        db.execute("BEGIN IMMEDIATE")
        for statement in statements:
            db.execute(statement)
        yield db
        db.execute("COMMIT")  # after an error the database is closed instead, which rolls back


def promote(db, run):
    """Marks calls with a receipt as succeeded, in case a process was killed before it did."""
    db.execute("""UPDATE tool_calls SET status = 'succeeded', updated_at = ?, (response_ref, external_correlation_id) =
        (SELECT r.response_ref, r.external_correlation_id FROM tool_receipts r WHERE r.tool_call_id = tool_calls.tool_call_id)
        WHERE tool_call_id IN (SELECT tool_call_id FROM tool_receipts WHERE run_id = ?)""", (now(), run))
    db.execute("DELETE FROM tool_receipts WHERE run_id = ?", (run,))


def earlier(db, row):
    """The calls of this run that are the same, the oldest first."""
    promote(db, row["run_id"])
    sql = "SELECT status, created_at, raw_tool_name, tool_name, CASE :replay_policy WHEN 'REPLAY_EXACT' THEN response_ref END " \
          "AS response_ref FROM tool_calls WHERE %s ORDER BY rowid" % SAME  # a repeatable call can have many, with long results
    return [old for old in db.execute(sql, row)
            if identity(old["raw_tool_name"] or old["tool_name"]) == identity(row["raw_tool_name"])]


def cancelled(db, run):
    return db.execute("SELECT * FROM runs WHERE run_id = ? AND cancel_requested_at IS NOT NULL", (run,)).fetchone()


def prepare(db, row, call_id, workspace, attempt):
    """Inserts the row of a call that may be made. Returns whether it exists now."""
    new = {**row, "tool_call_id": clean(call_id) or uuid.uuid4().hex, "idempotency_key": key(row), "status": "prepared",
           "attempt": attempt, "workspace": workspace, "created_at": now(), "updated_at": now()}
    if db.execute("SELECT 1 FROM tool_calls WHERE tool_call_id = :tool_call_id", new).fetchone():
        new["tool_call_id"] += "#" + uuid.uuid4().hex  # some clients count their calls from 0 in each session
    taken = db.execute("SELECT 1 FROM tool_calls WHERE idempotency_key = :idempotency_key", new).fetchone()
    if taken or row["replay_policy"] == "RELAUNCH":
        new["idempotency_key"] = key(row, new["tool_call_id"])
    db.execute("INSERT OR IGNORE INTO runs(run_id, created_at, updated_at, status, entrypoint, run_spec_json, workspace_dir) "
               "VALUES(:run_id, :created_at, :updated_at, 'running', 'hookrun', '{}', :workspace)", new)
    db.execute("INSERT OR IGNORE INTO run_steps(step_id, run_id, step_index, created_at, updated_at, status, phase) "
               "SELECT :step_id, :run_id, count(*), :created_at, :updated_at, 'running', 'tools' FROM run_steps "
               "WHERE run_id = :run_id", new)
    db.execute("INSERT INTO tool_calls(%s) VALUES(:%s)" % (", ".join(NEW), ", :".join(NEW)), new)
    sql = "UPDATE tool_calls SET status = 'running' WHERE tool_call_id = :tool_call_id AND status = 'prepared'"
    return db.execute(sql, new).rowcount == 1


def unfinished(db, row, call_id):
    """The row of a call that has just ended, or None. Without an id it is the oldest row of the same call."""
    which = "(tool_call_id = :id OR substr(tool_call_id, 1, length(:id) + 1) = :id || '#')" if call_id else SAME
    sql = "SELECT * FROM tool_calls WHERE run_id = :run_id AND status IN ('prepared', 'running', 'abandoned_on_resume') AND " \
          + which + " ORDER BY normalized_args_hash <> :normalized_args_hash, status = 'abandoned_on_resume', rowid LIMIT 1"
    return db.execute(sql, {**row, "id": clean(call_id)}).fetchone()


def receive(db, old, response, correlation):
    db.execute("INSERT OR REPLACE INTO tool_receipts SELECT tool_call_id, run_id, tool_name, tool_namespace, idempotency_key, "
               "?, ?, ? FROM tool_calls WHERE tool_call_id = ?", (now(), response, correlation, old["tool_call_id"]))


def fail(db, old, detail):
    db.execute("UPDATE tool_calls SET status = 'failed', updated_at = ?, error_detail = ? WHERE tool_call_id = ?",
               (now(), detail, old["tool_call_id"]))
    if old["side_effect_class"] != "read_only":
        db.execute("UPDATE runs SET status = 'waiting_for_human', updated_at = ? WHERE run_id = ?", (now(), old["run_id"]))


def resume(db, run, step=None):
    """Gives up the calls that never ended, of one step or of the whole run. Call it when none of them can still run."""
    promote(db, run)
    sql = "UPDATE runs SET status = 'running', updated_at = ? WHERE run_id = ? AND status = 'waiting_for_human'"
    db.execute(sql, (now(), run))
    sql = "UPDATE tool_calls SET status = 'abandoned_on_resume', error_detail = 'abandoned_on_resume', updated_at = :now " \
          "WHERE run_id = :run AND status IN ('prepared', 'running') AND (:step IS NULL OR step_id = :step)"
    return db.execute(sql, {"now": now(), "run": run, "step": step}).rowcount


if __name__ == "__main__" and sys.argv[1:2] == ["resume"]:
    with transaction((sys.argv[3:] or [path({})])[0]) as ledger:
        print("calls given up: %d" % resume(ledger, sys.argv[2]))
