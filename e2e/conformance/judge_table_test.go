//go:build linux

package conformance

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/conformance/kit"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// TestConformanceJudge demands that each kind of expectation can fail: with a stand-in for hookrun that is right
// nothing is found, and with one that is wrong the field is.
func TestConformanceJudge(t *testing.T) {
	const (
		// What a row says comes last, and so it counts.
		line = `{"id": "x", "event": "PreToolUse", "stdin": {"b": "<WORKSPACE> é", "a": {"repeat": ["\"", 3]}},
			"matrix": {"field": "if", "patterns": ["A", null, "C"]}, "expect": {"decision": "continue", %s}}`
		// answer prints an outcome, in which its argument comes last; ran is a hook that notes something of itself.
		script = `#!/bin/sh
answer() { printf '{"version": 1, "event": "PreToolUse", "decision": "continue", "hooks": []%%s}' "${1:+, $1}"; }
ran() { mkdir -p "$ORACLE_REC/$1" && printf "$3" >"$ORACLE_REC/$1/${2:-note}"; }
surroundings() {
	ran h.1 cwd "$PWD/ws"; ran h.1 tty no; ran h.1 env "A=1\0CLAUDE_PROJECT_DIR=$PWD/ws\0DIR=$PWD/ws\0"; ran h.1 stat '7 (a) b) S 1 7 7 0'
}
%s
`
	)
	long := strings.Repeat("é", 10000)
	client := &kit.Client{Name: "claude", ConfigPath: ".client/settings.json",
		Files: map[string]kit.File{"hooks/common.sh": {Content: "exit 9"}}}
	rows := []struct{ field, expect, right, wrong string }{
		{"stdout", `"any": []`, `answer`, `echo '[1]'`},
		{"stdout", `"any": []`, `answer`, `answer; echo more`},
		{"version", `"any": []`, `answer`, `answer '"version": 2'`},
		{"event", `"any": []`, `answer '"event": "pre-tool"'`, `answer '"event": "post-tool"'`},
		{"hooks", `"any": []`, `answer`, `answer '"hooks": null'`},

		{"decision", `"decision": "block"`, `answer '"decision": "block"'; exit 2`, `answer`},
		{"decision", `"decision": {"one_of": ["block", "ask"]}`, `answer '"decision": "ask"'; exit 2`,
			`answer '"decision": "defer"'; exit 2`},
		{"exit", `"decision": "block"`, `answer '"decision": "block"'; exit 2`, `answer '"decision": "block"'`},
		{"exit", `"any": []`, `answer`, `answer; exit 1`},
		{"exit", `"stop": true`, `answer '"stop": true'; exit 3`, `answer '"stop": true'`},
		{"exit", `"any": []`, `answer`, `answer; kill -9 $$`},

		{"approved", `"approved": true`, `answer '"approved": true'`, `answer`},
		{"approved", `"any": []`, `answer`, `answer '"approved": true'`},
		{
			"updated_input", `"updated_input": {"a": [1, "x"]}`,
			`answer '"updated_input": {"a": [1.0, "x"]}'`,
			`answer '"updated_input": {"a": [true, "x"]}'`,
		},
		{"updated_input", `"any": []`, `answer '"updated_input": null'`, `answer '"updated_input": {}'`},
		{"updated_output", `"updated_output": "x"`, `answer '"updated_output": "x"'`, `answer`},
		{"stop", `"any": ["approved"]`, `answer`, `answer '"stop": true'; exit 3`},
		{"system_messages", `"system_messages": ["a", "b"]`, `answer '"system_messages": ["a", "b"]'`,
			`answer '"system_messages": ["b", "a"]'`},
		{"system_messages", `"any": ["inject"]`, `answer`, `answer '"system_messages": ["a"]'`},
		{"inject", `"any": ["stop"]`, `answer`, `answer '"inject": [{"content": "a"}]'`},
		{"inject", `"inject": ["a"]`, `answer '"inject": [{"content": "a", "truncated": false}]'`,
			`answer '"inject": [{"content": "a "}]'`},
		{"inject", `"inject": ["a"]`, `answer '"inject": [{"content": "a"}]'`,
			`answer '"inject": [{"content": "a", "truncated": true}]'`},
		{"inject", `"inject": ["a", "b"]`, `answer '"inject": [{"content": "a"}, {"content": "b"}]'`,
			`answer '"inject": [{"content": "a"}]'`},
		{
			"inject: the file", `"inject": [{"truncated": {"repeat": ["x", 12]}}]`,
			`echo xxxxxxxxxxxx >f; answer '"inject": [{"content": "all of it: '"$PWD"'/f.", "truncated": true}]'`,
			`echo xxxxxxxxxxx >f; answer '"inject": [{"content": "all of it: '"$PWD"'/f.", "truncated": true}]'`,
		},
		{
			"inject: the mark", `"inject": [{"truncated": "x"}]`,
			`echo x >f; answer '"inject": [{"content": "", "path": "'"$PWD"'/f", "truncated": true}]'`,
			`echo x >f; answer '"inject": [{"content": "", "path": "'"$PWD"'/f"}]'`,
		},
		{
			"inject: the length", `"inject": [{"truncated": "x"}]`,
			`echo x >f; answer '"inject": [{"content": "` + long + `", "path": "'"$PWD"'/f", "truncated": true}]'`,
			`echo x >f; answer '"inject": [{"content": "` + long + `é", "path": "'"$PWD"'/f", "truncated": true}]'`,
		},
		{"reason", `"reason": "a"`, `answer '"reason": " a"'`, `answer '"reason": "b"'`},
		{"reason", `"reason": {"contains": "a"}`, `answer '"reason": "bab"'`, `answer`},
		{"reason", `"reason": {"match": "^a+$"}`, `answer '"reason": "aa"'`, `answer '"reason": "aab"'`},
		{"stop_reason", `"stop_reason": "a"`, `answer '"stop_reason": "a"'`, `answer '"stop_reason": null'`},
		{
			"statuses", `"statuses": {"z": "ok", "a": "failed"}`,
			`answer '"hooks": [{"status": "ok"}, {"status": "skipped"}, {"status": "failed"}]'`,
			`answer '"hooks": [{"status": "failed"}, {"status": "ok"}]'`,
		},
		{
			"statuses", `"statuses": {"a": {"one_of": ["ok", "failed"]}}`,
			`answer '"hooks": [{"status": "failed"}]'`,
			`answer '"hooks": [{"status": "failed"}, {"status": "ok"}]'`,
		},
		{"statuses", `"statuses": {}`, `answer`, `answer '"hooks": [{}]'`},
		{"warning", `"warning": true`, `answer '"warnings": ["a"]'`, `answer '"warnings": []'`},
		{"warning", `"warning": true`, `answer; echo a >&2`, `answer; echo >&2`},

		{"exit", `"config_error": true`, `echo settings.json:1:2: a >&2; exit 1`,
			`echo settings.json:1:2: a >&2; exit 2`},
		{"stdout", `"config_error": true`, `echo settings.json:1:2: a >&2; exit 1`,
			`answer; echo settings.json:1:2: a >&2; exit 1`},
		{"stderr", `"config_error": true`, `echo settings.json:1:2: a >&2; exit 1`,
			`echo settings.json: a >&2; exit 1`},
		{"ran", `"config_error": true`, `echo settings.json:1:2: a >&2; exit 1`,
			`ran a.1; echo settings.json:1:2: a >&2; exit 1`},

		{"ran", `"ran": ["b", "a"]`, `ran a.1; ran b.2; ran b.3; answer`, `ran a.1; answer`},
		{"ran", `"ran": []`, `answer`, `ran a.1; answer`},
		{"runs of a", `"runs": {"a": 2}`, `ran a.1; ran a.2; answer`, `ran a.1; answer`},
		{"matched", `"matched": ["A", null], "not_matched": ["C"]`, `ran p00.1; ran p01.2; answer`,
			`ran p00.1; answer`},
		{"not_matched", `"matched": ["A"], "not_matched": [null, "C"]`, `ran p00.1; answer`,
			`ran p00.1; ran p02.2; answer`},
		{
			"overlapped", `"overlapped": true`,
			`ran a.1 start 1.0; ran a.1 end 2.5; ran b.2 start 2.4; answer`,
			`ran a.1 start 1.0; ran a.1 end 2.5; ran b.2 start 2.6; answer`,
		},
		{"ms", `"min_ms": 2000`, `sleep 2.1; answer`, `answer`},
		{"ms", `"max_ms": 2000`, `answer`, `sleep 2.1; answer`},
		{"no_survivors", `"no_survivors": true`, `answer`, `setsid sleep 1000 >/dev/null 2>&1 & sleep 0.2; answer`},
		{"left_running", `"left_running": true`, `setsid sleep 1000 >/dev/null 2>&1 & sleep 0.2; answer`, `answer`},
		{"limit", `"any": []`, `answer`, `setsid sleep 1000 & answer`},

		{"hook_stdin", `"hook_stdin": true`, `ran a.1; cat >"$ORACLE_REC/a.1/stdin"; answer`,
			`ran a.1 stdin '{"a":1}'; answer`},
		{
			"hook_stdin: what it is", `"hook_stdin": true`,
			`ran a.1 stdin '{"b":"'"$PWD"'/ws é","a":"\\"\\"\\""}\n'; answer`,
			`ran a.1 stdin '{"b":"'"$PWD"'/ws é","a":"\\"\\"\\""}'; answer`,
		},
		{"argv", `"argv": ["sh", ""]`, `ran a.1 cmdline 'sh\0\0'; answer`, `ran a.1 cmdline 'sh\0'; answer`},
		{"process.cwd", `"process": true`, `surroundings; answer`, `surroundings; ran h.1 cwd /; answer`},
		{"process.tty", `"process": true`, `surroundings; answer`, `surroundings; ran h.1 tty yes; answer`},
		{"process.CLAUDE_PROJECT_DIR", `"process": true`, `surroundings; answer`,
			`surroundings; ran h.1 env 'DIR=/\0'; answer`},
		{"process.DIR", `"process": ["DIR"]`, `surroundings; answer`, `surroundings; ran h.1 env 'DIR=/\0'; answer`},
		{"process.session", `"process": true`, `surroundings; answer`,
			`surroundings; ran h.1 stat "7 (a) b) S 1 7 $$ 0"; answer`},
		{"process.session", `"process": true`, `surroundings; answer`, `surroundings; ran h.1 stat ''; answer`},
		{"notes.n", `"notes": {"n": {"contains": "a"}}`, `echo bab >"$ORACLE_REC/n"; answer`, `answer`},
	}
	for _, row := range testall.Part(5, rows) {
		t.Run(row.field, func(t *testing.T) {
			t.Parallel()
			field, _, _ := strings.Cut(row.field, ": ")
			judged := func(stands string) []kit.Difference {
				trial := newTrial(t, fmt.Sprintf(line, row.expect), client)
				require.Equal(t, filepath.Join(trial.Workspace, ".client/settings.json"), trial.HooksFile)
				fake := filepath.Join(trial.Base, "hookrun")
				file := kit.File{Content: fmt.Sprintf(script, stands), Mode: "0755"}
				require.NoError(t, kit.WriteFile(fake, file))
				limit := kit.Limit
				if field == "limit" && stands == row.wrong {
					limit = 300 * time.Millisecond
				}
				trial.fire(t, fake, limit)
				return trial.Judge(strict)
			}
			require.Empty(t, judged(row.right))
			wrong := judged(row.wrong)
			require.True(t, slices.ContainsFunc(wrong, func(d kit.Difference) bool { return d.Field == field }),
				"found: %v", wrong)
		})
	}
}
