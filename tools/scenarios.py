#!/usr/bin/env python3
"""Drives the real clients through every scenario of the tests, and prints a table in Markdown: a row for each scenario, a
column for each client. A client that is not on PATH is installed by npm. The models are scripted, and the clients have no
network where the system lets them.

    tools/scenarios.py [CLIENT...]
    tools/scenarios.py --read FILE...     (outputs of go test -v)
"""
import os
import re
import subprocess
import sys

CLIENTS = "claude codex copilot droid gemini cline kimi qwen opencode".split()
TESTS = ["Clients", "Scenarios", "ChangesInASession", "StopGate", "MCPTools", "Patches", "CommandsInFiles", "HTTPHooks",
         "ClaudeSkillCommands", "OpenCode", "ClineForms", "CodexInCI", "KimiDropsAFaultySection", "DroidDropsAFaultyFile",
         "Managed", "GatesOfRealClients"]
LINE = re.compile(r"\s*(?:=== (?:RUN|NAME|CONT) +(?P<now>\S+)|--- (?P<result>PASS|FAIL|SKIP): (?P<name>\S+)"
                  r"|\S+_test\.go:\d+: cell: (?P<cell>.*))")


def outputs(clients):
    """What go test prints. The models of TestClients beside the usual one are left out."""
    all_of = "(%s)" % "|".join(clients or CLIENTS)
    of_all = ["Test%s$" % t for t in TESTS if t.lower().startswith(tuple(clients or CLIENTS))]
    some = ["Test%s$/^%s[0-9]*$" % (t, all_of) for t in TESTS if "Test%s$" % t not in of_all]
    env = dict(os.environ, HOOKRUN_TEST_ALL="1", HOOKRUN_TEST_CLIENTS="1")
    if len(clients) == 1:
        env["E2E_MANAGED_CLIENT"] = clients[0]
    go = ["go", "test", "-v", "-count=1", "-timeout=3h", "-run", "|".join(of_all + some), "./e2e", "./e2e/clients"]
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    process = subprocess.Popen(go, cwd=root, env=env, stdout=subprocess.PIPE, text=True, errors="replace")
    yield from process.stdout


def table(lines):
    """What each test found, by its name."""
    found, cells, now = {}, {}, ""
    for line in lines:
        m = LINE.match(line)
        if m and m["now"]:
            now = m["now"]
        elif m and m["cell"]:
            cells[now] = m["cell"].strip()
        elif m and m["name"]:
            found[m["name"]] = m["result"]
    rows = {}
    for name, result in found.items():
        if any(other.startswith(name + "/") for other in found):
            continue
        parts = name.removeprefix("Test").split("/")
        client = next((p for p in parts[1:] if p.split("_")[0].rstrip("0123456789") in CLIENTS), "")
        rest = [p for p in parts if p != client] + client.split("_")[1:]
        client = client.split("_")[0].rstrip("0123456789") or next((c for c in CLIENTS if parts[0].lower().startswith(c)), "")
        if client:
            row = rows.setdefault(": ".join(rest).replace("_", " "), {})
            cell = {"PASS": cells.get(name, "ok"), "SKIP": "–"}.get(result, "**FAIL** " + cells.get(name, "")).strip()
            row[client] = row[client] if row.get(client, "").startswith("**FAIL**") else cell
    return rows


def main(args):
    if args[:1] == ["--read"]:
        rows = table(line for path in args[1:] for line in open(path, errors="replace"))
    else:
        rows = table(outputs(args))
    print("| scenario | %s |\n%s|" % (" | ".join(CLIENTS), "|---" * (len(CLIENTS) + 1)))
    for row, cells in sorted(rows.items()):
        print("| %s | %s |" % (row, " | ".join(cells.get(c, "not run") for c in CLIENTS)))
    return any(cell.startswith("**FAIL**") for cells in rows.values() for cell in cells.values()) or not rows


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
