//go:build linux

package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/conformance/kit"
)

// conforms runs the runner.
func conforms(args ...string) (code int, stdout, stderr string) {
	var out, err strings.Builder
	code = run(args, &out, &err)
	return code, out.String(), err.String()
}

// A hook of Claude Code that runs the case's one hook is right. Another one that looks at nothing is wrong.
func TestRunner(t *testing.T) {
	const obeys = `CLAUDE_PROJECT_DIR=$PWD sh hooks/h1.sh`
	code, stdout, stderr := conforms("--client", "claude", "--only", "pre-exit[02]-s*", "-v", "--", "sh", "-c", obeys)
	require.Equal(t, 0, code, "%s%s", stdout, stderr)
	require.Regexp(t, `^claude-code \S+: [4-9] cases\npre/pre-exit\S+: passed in \d+ ms\n(?s:.*)\n`+
		`[4-9] passed, 0 failed, 0 skipped\n$`, stdout)

	code, stdout, _ = conforms("--client", "claude", "--only", "pre-exit2-stderr", "-v", "--", "true")
	require.Equal(t, 1, code)
	require.Regexp(t, `(?m)^pre/pre-exit2-stderr: decision: want "block", got "continue"$`, stdout)
	require.Regexp(t, `(?m)^pre/pre-exit2-stderr: ran: want \["h1"\], got \[\]$`, stdout)
	require.Contains(t, stdout, "    exit 0\n")
	require.Contains(t, stdout, "0 passed, 1 failed, 0 skipped\n")

	// Only the named fields are compared.
	code, stdout, _ = conforms("--client", "claude", "--only", "pre-exit2-stderr", "--fields", "stop,left_running",
		"--", "true")
	require.Equal(t, 0, code, stdout)
}

// The hooks file has a placeholder, and the case's folder is the current one.
func TestRunnerPaths(t *testing.T) {
	const script = `test "$1" = "$PWD/.codex/hooks.json" && test -f "$1" && echo '{"decision":"block","reason":"r"}'`
	code, stdout, stderr := conforms("--client", "codex", "--only", "pre-deny-[ae]*", "--fields", "decision", "--",
		"sh", "-c", script, "sh", "{hooks}")
	require.Equal(t, 0, code, "%s%s", stdout, stderr)
}

// A busy machine may keep two hooks from overlapping, so that alone is tried again. Every time is a failure.
func TestRunnerTriesAgain(t *testing.T) {
	tries := filepath.Join(t.TempDir(), "tries")
	code, stdout, stderr := conforms("--client", "claude", "--only", "multi-parallel", "--fields", "overlapped",
		"--", "sh", "-c", `echo >>"$0"`, tries)
	require.Equal(t, 1, code, "%s%s", stdout, stderr)
	require.Contains(t, stdout, "overlapped: want true, got false\n")
	text, err := os.ReadFile(tries)
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("\n", kit.Tries), string(text))
}

func TestRunnerLeavesOut(t *testing.T) {
	config := []string{"--client", "claude", "--topic", "config", "--fields", "limit"}
	code, stdout, _ := conforms(append(config, "--", "true")...)
	require.Equal(t, 0, code, stdout)
	require.Contains(t, stdout, "1 passed, 0 failed, 18 skipped\nskipped 18: hookrun departs from the client")
	code, stdout, _ = conforms(append(config, "--departures", "--", "true")...)
	require.Equal(t, 0, code, stdout)
	require.Contains(t, stdout, "19 passed, 0 failed, 0 skipped\n")
	code, stdout, _ = conforms(append(config, "--event", "Stop", "--", "true")...)
	require.Equal(t, 2, code)
	require.Contains(t, stdout, "at another event\n")
}

func TestRunnerRefuses(t *testing.T) {
	for want, args := range map[string]string{
		"name a client":                 "-- true",
		"no cases of a client":          "--client none -- true",
		"name the program":              "--client claude",
		"--form is client or outcome":   "--client claude --form x -- true",
		"--notes":                       "--client claude --notes ( -- true",
		"--only":                        "--client claude --only [ -- true",
		"no case matches":               "--client claude --only none -- true",
		"executable file not found":     "--client claude -- no-such-program-here",
		"flag provided but not":         "--client claude --no-such-flag",
		"no cases of a client \"kimi\"": "--client kimi --cases " + t.TempDir() + " -- true",
	} {
		code, stdout, stderr := conforms(strings.Fields(args)...)
		require.Equal(t, 2, code, args)
		require.Contains(t, stderr, want, args)
		require.Empty(t, stdout, args)
	}
	code, _, stderr := conforms("--help")
	require.Equal(t, 0, code)
	require.Contains(t, stderr, "Usage: ")
	code, stdout, _ := conforms("--client", "claude", "--only", "pre-exit2-stderr", "--list")
	require.Equal(t, 0, code)
	require.Equal(t, "pre-exit2-stderr\n", stdout)
}

// An answer is compared field by field: each kind of fault is found.
func TestAnswers(t *testing.T) {
	const common = `"stdin":{"hook_event_name":"PreToolUse","session_id":"s","cwd":"<WORKSPACE>","tool_name":"Bash",` +
		`"tool_input":{"command":"ls"},"tool_use_id":"t"}`
	specific := func(fields string) string {
		return `printf %s '{"hookSpecificOutput":{"hookEventName":"PreToolUse",` + fields + `}}'`
	}
	for _, row := range []struct{ field, expect, right, wrong string }{
		{"decision", `"decision":"block"`, "exit 2", "exit 0"},
		{"decision", `"decision":"continue"`, "exit 1", "exit 2"},
		{"stdout", `"decision":"continue"`, ":", `echo '{"decision": '; echo '}'`},
		{"stdout", `"decision":"continue"`, ":", `kill -9 $$`},
		{"reason", `"decision":"block","reason":"no"`, "echo it says no >&2; exit 2", "echo never >&2; exit 2"},
		{"approved", `"decision":"continue"`, ":", specific(`"permissionDecision":"allow"`)},
		{"approved", `"decision":"continue","approved":true`, specific(`"permissionDecision":"allow"`), ":"},
		{"updated_input", `"decision":"continue","updated_input":{"command":"a"}`,
			specific(`"updatedInput":{"command":"a"}`), specific(`"updatedInput":{"command":"b"}`)},
		{"stop", `"decision":"continue","stop":true`, `echo '{"continue":false}'`, ":"},
		{"inject", `"decision":"continue","inject":["a","b"]`, specific(`"additionalContext":"a\nb"`),
			specific(`"additionalContext":"b\na"`)},
		{"inject", `"decision":"continue"`, ":", specific(`"additionalContext":"a"`)},
		{"inject", `"decision":"continue"`, specific(`"additionalContext":"note: a"`),
			specific(`"additionalContext":"note: a\nb"`)},
		{"inject", `"decision":"continue","inject":[{"truncated":{"repeat":["x",20000]}}]`,
			`printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"%020000d"}}' 0 | tr 0 x`,
			specific(`"additionalContext":"xxx"`)},
		{"system_messages", `"decision":"continue","system_messages":["a"]`, `echo '{"systemMessage":"more a"}'`, ":"},
		{"config_error", `"config_error":true`, `echo broken >&2; exit 1`, `echo broken >&2`},
		{"config_error", `"config_error":true`, `echo broken >&2; exit 2`, "exit 1"},
		{"ran", `"config_error":true`, specific(`"permissionDecision":"deny"`),
			`mkdir "$ORACLE_REC/a.1"; echo broken >&2; exit 2`},
		{"ran", `"decision":"continue","ran":["a"]`, `mkdir "$ORACLE_REC/a.1"`, ":"},
	} {
		client := &kit.Client{Name: "claude", ConfigPath: ".claude/settings.json"}
		judged := func(script string) (fields []string) {
			trial, err := kit.New(fmt.Sprintf(`{"id":"x","event":"PreToolUse",%s,"expect":{%s}}`, common, row.expect),
				client)
			require.NoError(t, err)
			defer trial.Close()
			trial.Run(trial.Workspace, trial.Environment(nil), kit.Limit, "sh", "-c", script)
			require.NoError(t, trial.Err)
			rules := kit.Rules{Form: kit.Answer, Notes: regexp.MustCompile(`(?m)^note: .*$`)}
			for _, d := range trial.Judge(rules) {
				fields = append(fields, d.Field)
			}
			return fields
		}
		require.Empty(t, judged(row.right), "%s %s", row.expect, row.right)
		require.Contains(t, judged(row.wrong), row.field, "%s %s", row.expect, row.wrong)
	}
}

// TestReadme holds the page to the data: the cases of each client and its version, and every key of a case.
func TestReadme(t *testing.T) {
	doc, err := os.ReadFile("README.md")
	require.NoError(t, err)
	all := 0
	for _, name := range names() {
		client, lines, err := kit.ReadClient(recorded, name)
		require.NoError(t, err)
		all += len(lines)
		row := fmt.Sprintf("(?m)^\\| `%s` \\| [^|]*%s[^|]* \\| %d \\|", name, regexp.QuoteMeta(client.Version),
			len(lines))
		require.Regexp(t, row, string(doc))
	}
	require.Contains(t, string(doc), fmt.Sprintf("%d,%03d cases", all/1000, all%1000))
	for _, file := range []string{"kit/case.go"} {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`json:"([a-z_]+)"`).FindAllStringSubmatch(string(source), -1) {
			require.Contains(t, string(doc), "`"+m[1]+"`", "README.md says what it is")
		}
	}
	version, err := os.ReadFile("VERSION")
	require.NoError(t, err)
	require.Regexp(t, `^\d+\.\d+\.\d+\n$`, string(version))
	peers, err := filepath.Glob("peers/*")
	require.NoError(t, err)
	require.NotEmpty(t, peers)
	for _, peer := range peers {
		require.Contains(t, string(doc), peer)
	}
	folders, err := fs.Glob(os.DirFS("."), "*/client.json")
	require.NoError(t, err)
	require.Len(t, folders, len(names()), "all are built in")
}
