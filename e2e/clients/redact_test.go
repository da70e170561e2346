//go:build linux

package clients

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

const sdkSecret = "AKIAIOSFODNN7EXAMPLE"

// secretScripts have each kind of result bring the secret.
var secretScripts = []sdkScript{{
	calls: []sdkCall{
		{"Bash", "Bash", binary.Hook{"command": "cat secret.txt"}},
		{"Read", "Read", binary.Hook{"file_path": "$WORKSPACE/secret.txt"}},
		task("Agent", "research-specialist", "brief-of-research", false),
		{"mcp_blocks", "mcp__vault__open", binary.Hook{}},
		{"mcp_structured", "mcp__vault__open_record", binary.Hook{}},
	},
	report: "All is done.",
}, {
	word:   "brief-of-research",
	report: "It is " + sdkSecret + ".",
}}

// naive is a redactor as people write it: it changes the text of the result and hands back what came of it.
func naive(change string) string {
	return `import json, sys
result = json.load(sys.stdin)["result"]
new = ` + change + `
if new != result:
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": new}}))
`
}

type redactor struct {
	name, python string
	env          string
	direct       bool // in the client's settings, without hookrun
	want         map[string]string
	unfit        bool // hookrun withholds some results and tells the user
}

func (r redactor) command(t *testing.T) []string {
	if r.python != "" {
		return []string{"python3", "redact.py"}
	}
	script, err := filepath.Abs("../../scripts/examples/redact-secrets.mjs")
	require.NoError(t, err)
	return []string{"node", script}
}

func (r redactor) hooks(t *testing.T) string {
	return binary.JSON(t, binary.Object{"hooks": []binary.Object{{"name": "redactor", "events": []string{"post-tool"},
		"command": r.command(t), "on_failure": "block", "env": binary.Object{"NODE_OPTIONS": r.env}}}})
}

// reads requires that a result is not the secret, and what is wanted in its place.
func (r redactor) reads(t *testing.T, call, result string) {
	require.NotEmpty(t, result, "%s was not called", call)
	require.NotContains(t, result, sdkSecret, "%s: the model read it", call)
	want, named := r.want[call]
	if !named {
		want = r.want[""]
	}
	require.Contains(t, result, want, call)
}

// redactors are hooks for which no result with the secret may reach the model. What it reads in its place is in want,
// for all tools or for those that are named.
var redactors = []redactor{
	{name: "replaces", python: naive(`result.replace("` + sdkSecret + `", "[redacted]")`),
		want: map[string]string{"": "[redacted]"}},
	{name: "replaces by what breaks the JSON", python: naive(`result.replace("` + sdkSecret + `", '"')`), unfit: true},
	{name: "has a text instead", python: naive(`"not for you" if "` + sdkSecret + `" in result else result`),
		unfit: true,
		want:  map[string]string{"Bash": "not for you", "mcp_blocks": "not for you", "mcp_structured": "not for you"}},
	{name: "has other JSON instead", python: naive(`'{"found": 1}' if "` + sdkSecret + `" in result else result`),
		unfit: true},
	{name: "redact-secrets.mjs", want: map[string]string{"": "[redacted]"}},
	{name: "redact-secrets.mjs, direct", direct: true, want: map[string]string{"": "[redacted]"}},
	{name: "redact-secrets.mjs, failing", env: failsOnPurpose,
		want: map[string]string{"": "[withheld: redact-secrets"}},
	{name: "redact-secrets.mjs, failing, direct", direct: true, env: failsOnPurpose,
		want: map[string]string{"": "[withheld: redact-secrets"}},
}

// failsOnPurpose lets redact-secrets.mjs fail at its work.
const failsOnPurpose = "--require=./fail.cjs"

// testRedactors has the redactors keep the secret from the model, under the SDK and under the claude of PATH.
func testRedactors(t *testing.T, sdk string) {
	for _, r := range redactors {
		t.Run(r.name+", SDK", func(t *testing.T) {
			s := r.session(t)
			s.output = s.underSDK(sdk, sdkSecret, "go")
			r.keepsTheSecret(s)
			if r.direct && r.env == "" {
				s.compareRecord(sdkSecrets)
			}
		})
		t.Run(r.name+", claude -p", func(t *testing.T) {
			if _, err := exec.LookPath("claude"); err != nil {
				t.Skip("claude is not on PATH")
			}
			s := r.session(t)
			s.output = s.underClient(sdkSecret, "go")
			r.keepsTheSecret(s)
		})
	}
}

// withheldNote is the message to the user about a result that the model was not shown.
var withheldNote = regexp.MustCompile(`hook 'redactor' .*withheld from the model`)

// session is a project in which the redactor is wired.
func (r redactor) session(t *testing.T) *sdkSession {
	s := newSDKSession(t, secretScripts...)
	s.write("secret.txt", "first line\nthe key is "+sdkSecret+"\n")
	s.write("redact.py", r.python)
	s.write("fail.cjs", binary.FailingReplace)
	s.record()
	if r.direct {
		line := "NODE_OPTIONS='" + r.env + "' exec " + strings.Join(r.command(t), " ")
		s.write(".claude/settings.json", binary.JSON(t, binary.Object{"hooks": binary.Object{
			"PostToolUse": []binary.Object{{"hooks": []binary.Object{{"type": "command", "command": line}}}}}}))
		return s
	}
	s.write(".tenex-hooks.json", r.hooks(t))
	s.run(binary.Path, "install", "claude", "--project", "--allow")
	return s
}

func (r redactor) keepsTheSecret(s *sdkSession) {
	s.Helper()
	results := s.results()
	for _, call := range secretScripts[0].calls {
		r.reads(s.T, call.id, string(results["toolu_"+call.id].Content))
	}
	require.False(s, s.read(sdkSecret), "the model read it")
	require.Equal(s, r.unfit, withheldNote.MatchString(s.output), "what the user is told: %s", s.output)
}

// TestRedactorsOnRecordedCalls has the redactors answer what the client sent, and holds hookrun's answer against what
// the client takes.
func TestRedactorsOnRecordedCalls(t *testing.T) {
	t.Parallel()
	binary.Needs(t, "python3")
	binary.Needs(t, "node")
	for _, r := range redactors {
		if r.direct {
			continue // there is no hookrun in between
		}
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			binary.WriteFile(t, dir, ".tenex-hooks.json", r.hooks(t))
			binary.WriteFile(t, dir, "redact.py", r.python)
			binary.WriteFile(t, dir, "fail.cjs", binary.FailingReplace)
			messages := ""
			for line := range strings.Lines(readRecorded(t, sdkSecrets, dir)) {
				var input struct {
					Event    string `json:"hook_event_name"`
					Tool     string `json:"tool_name"`
					ID       string `json:"tool_use_id"`
					Response any    `json:"tool_response"`
				}
				require.NoError(t, json.Unmarshal([]byte(line), &input))
				if input.Event != "PostToolUse" {
					continue
				}
				done := binary.Run(t, dir, line, nil, binary.Path, "fire", "-o", "claude")
				require.Equal(t, 0, done.Code, done.Stderr)
				var answer struct {
					SystemMessage      string
					HookSpecificOutput struct{ UpdatedToolOutput any }
				}
				require.NoError(t, json.Unmarshal([]byte(done.Stdout), &answer), done.Stdout)
				shown := answer.HookSpecificOutput.UpdatedToolOutput
				if !strings.HasPrefix(input.Tool, "mcp__") && !sameForm("", input.Response, shown) {
					shown = input.Response
				}
				r.reads(t, strings.TrimPrefix(input.ID, "toolu_"), binary.JSON(t, shown))
				messages += answer.SystemMessage
			}
			require.Equal(t, r.unfit, withheldNote.MatchString(messages), "what the user is told: %s", messages)
		})
	}
}

// sameForm reports whether Claude Code takes a new result of a tool of its own: each key that must be there has a value
// of its type, and the words that tell forms apart are the same. More keys are fine. Otherwise it shows the old result.
func sameForm(key string, was, is any) bool {
	switch was := was.(type) {
	case map[string]any:
		is, object := is.(map[string]any)
		for key, value := range was {
			inner, there := is[key]
			if there && !sameForm(key, value, inner) || !there && !slices.Contains(optionalKeys, key) {
				return false
			}
		}
		return object
	case []any:
		is, list := is.([]any)
		for i := range min(len(was), len(is)) {
			if !sameForm("", was[i], is[i]) {
				return false
			}
		}
		return list
	case string:
		text, is := is.(string)
		return is && (key != "type" && key != "status" || text == was)
	default:
		return reflect.TypeOf(was) == reflect.TypeOf(is)
	}
}

// optionalKeys are those without which it was seen to take a result, or which its types say may miss.
var optionalKeys = []string{"isImage", "noOutputExpected", "agentType", "resolvedModel", "harnessNoteCount",
	"harnessTailCount", "harnessSectionHash", "canContinueAgent"}
