//go:build linux

package e2e

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

const sdkSecret = "AKIAIOSFODNN7EXAMPLE"

// secretScripts have each kind of result bring the secret.
var secretScripts = []sdkScript{{
	calls: []sdkCall{
		{"Bash", "Bash", hook{"command": "cat secret.txt"}},
		{"Read", "Read", hook{"file_path": "$WORKSPACE/secret.txt"}},
		{"Agent", "Agent", hook{"description": "look", "prompt": "brief-of-research", "subagent_type": "research-specialist", "run_in_background": false}},
		{"mcp_blocks", "mcp__vault__open", hook{}},
		{"mcp_structured", "mcp__vault__open_record", hook{}},
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

// redactors are hooks for which no result with the secret may reach the model. What it reads in its place is in want, for all
// tools or for those that are named.
var redactors = []struct {
	name, python string
	env          string
	direct       bool // in the client's settings, without hookrun
	want         map[string]string
}{
	{name: "replaces", python: naive(`result.replace("` + sdkSecret + `", "[redacted]")`), want: map[string]string{"": "[redacted]"}},
	{name: "replaces by what breaks the JSON", python: naive(`result.replace("` + sdkSecret + `", '"')`)},
	{name: "has a text instead", python: naive(`"not for you" if "` + sdkSecret + `" in result else result`),
		want: map[string]string{"Bash": "not for you", "mcp_blocks": "not for you", "mcp_structured": "not for you"}},
	{name: "has other JSON instead", python: naive(`'{"found": 1}' if "` + sdkSecret + `" in result else result`)},
	{name: "redact-secrets.mjs", want: map[string]string{"": "[redacted]"}},
	{name: "redact-secrets.mjs, direct", direct: true, want: map[string]string{"": "[redacted]"}},
	{name: "redact-secrets.mjs, which fails", env: failsOnPurpose, want: map[string]string{"": "[withheld: redact-secrets"}},
	{name: "redact-secrets.mjs, which fails, direct", direct: true, env: failsOnPurpose, want: map[string]string{"": "[withheld: redact-secrets"}},
}

// failsOnPurpose lets redact-secrets.mjs fail at its work.
const failsOnPurpose = "--require ./fail.cjs"

// testRedactors has the redactors keep the secret from the model, under the SDK and under the claude of PATH.
func testRedactors(t *testing.T, sdk string) {
	for _, r := range redactors {
		t.Run(r.name, func(t *testing.T) {
			for client, run := range map[string]func(*sdkSession) string{
				"sdk":    func(s *sdkSession) string { return s.underSDK(sdk, sdkSecret, "go") },
				"claude": func(s *sdkSession) string { return s.underClient(sdkSecret, "go") },
			} {
				t.Run(client, func(t *testing.T) {
					if _, err := exec.LookPath(client); client == "claude" && err != nil {
						t.Skip("claude is not on PATH")
					}
					s := newSDKSession(t, secretScripts...)
					s.write("secret.txt", "first line\nthe key is "+sdkSecret+"\n")
					s.write("fail.cjs", `String.prototype.replace = () => { throw new Error("on purpose") };`)
					command := []string{"python3", "redact.py"}
					s.write("redact.py", r.python)
					if r.python == "" {
						script, err := filepath.Abs("../scripts/examples/redact-secrets.mjs")
						require.NoError(t, err)
						command = []string{"node", script}
					}
					if r.direct {
						line := "NODE_OPTIONS='" + r.env + "' exec " + command[0] + " " + command[1]
						s.write(".claude/settings.json", toJSON(t, object{"hooks": object{
							"PostToolUse": []object{{"hooks": []object{{"type": "command", "command": line}}}}}}))
					} else {
						s.write(".tenex-hooks.json", toJSON(t, object{"hooks": []object{{"name": "redactor", "command": command, "events": []string{"post-tool"},
							"on_failure": "block", "env": object{"NODE_OPTIONS": r.env}}}}))
						s.run(hookrun, "install", "claude", "--project")
					}

					s.output = run(s)

					results := s.results()
					for _, call := range secretScripts[0].calls {
						result := string(results["toolu_"+call.id].Content)
						require.NotEmpty(t, result, "%s was not called", call.id)
						require.NotContains(t, result, sdkSecret, "%s: the model read it", call.id)
						want, named := r.want[call.id]
						if !named {
							want = r.want[""]
						}
						require.Contains(t, result, want, call.id)
					}
					for _, body := range s.bodies {
						require.NotContains(t, body, sdkSecret, "the model read it")
					}
				})
			}
		})
	}
}
