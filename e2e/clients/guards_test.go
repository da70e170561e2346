//go:build linux

package clients

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/e2e/rpc"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// guardScripts call each tool that a guard is for. The second and the third are subagents.
var guardScripts = []sdkScript{{
	calls: []sdkCall{
		{"short", "Write", binary.Hook{"file_path": "$WORKSPACE/short.md", "content": "abc"}},
		{"outside", "Write", binary.Hook{"file_path": "$WORKSPACE/../outside.md",
			"content": "more than ten characters"}},
		{"primary_search", "WebSearch", binary.Hook{"query": "by the primary agent"}},
		{"where", "Bash", binary.Hook{"command": "echo $UA_ARTIFACTS_DIR >ran_where"}},
		{"install", "Bash", binary.Hook{"command": "touch ran_install; echo pip install requests"}},
		{"composio", "Bash", binary.Hook{"command": "touch ran_composio; echo composio_client"}},
		{"playwright", "Bash", binary.Hook{"command": "touch ran_playwright; echo playwright pdf notes.md"}},
		{"document", "Bash", binary.Hook{"command": "touch ran_document; echo a.pdf"}},
		task("research", "research-specialist", "brief-of-research", false),
		task("report", "report-creation-expert", "brief-of-report", false),
		{"argument", "mcp__vault__read_local_file", binary.Hook{"path": "notes/a.md"}},
		{"mail", "mcp__vault__send_mail", binary.Hook{"to": "a@example.org"}},
		{"mail_again", "mcp__vault__send_mail", binary.Hook{"to": "a@example.org"}},
		{"exit", "Bash", binary.Hook{"command": "touch ran_exit; exit 3"}},
	},
	report: "All is done.",
}, {
	word:   "brief-of-research",
	calls:  []sdkCall{{"specialist_search", "WebSearch", binary.Hook{"query": "by the specialist"}}},
	report: "Found it.",
}, {
	word:   "brief-of-report",
	report: "The file has 0 bytes.",
}}

// guardSDKCase is what a guard makes of a call, in whatever form it is wired.
type guardSDKCase struct {
	guard, at   string // at is the id of a call, or an event
	denied      string // in the reason
	told, never string // what the model reads, and what not
	updated     string // in the new input
	file, kept  string // a file in the project, and what is in it
}

var guardCases = []guardSDKCase{
	{guard: "schema", at: "short", denied: "Missing required fields: content_too_short(min:10)"},
	{guard: "workspace", at: "outside", denied: "outside the session workspace"},
	{guard: "disallowed", at: "primary_search", denied: "Tool 'WebSearch' is disallowed for Primary Agent."},
	{guard: "disallowed", at: "specialist_search"},
	{guard: "bash_env", at: "where", updated: "export UA_ARTIFACTS_DIR="},
	{guard: "bash_deps", at: "install", told: "PEP 723"},
	{guard: "bash_composio", at: "composio", denied: "Direct Composio SDK usage blocked."},
	{guard: "bash_playwright", at: "playwright", denied: "Playwright PDF conversion without explicit HTML input."},
	{guard: "skill_hint", at: "document", told: "(Skill Hint)"},
	{guard: "skills", at: "UserPromptSubmit", told: "- pdf: All about PDF"},
	{guard: "skills", at: "report", told: "report-creation-expert is expected to use these skills"},
	{guard: "task_guidance", at: "research", told: "The Task is done and this is its result."},
	{guard: "task_guidance", at: "report", told: "Have it written in parts"},
	{guard: "validation_hints", at: "argument", told: "Schema Validation Failed: a mandatory argument is missing."},
	{guard: "validation_hints", at: "exit", told: "Tool call failed validation."},
	{guard: "schema_nudge", at: "argument", told: "path. Example: {"},
	{guard: "ledger", at: "mail"},
	{guard: "ledger", at: "mail_again", denied: "Idempotent tool call detected."},
	{guard: "agent_stop", at: "SubagentStop", file: ".hookrun/stops.jsonl",
		kept: `"agent_type": "research-specialist"`},
	{guard: "agent_stop", at: "Stop", file: ".hookrun/stops.jsonl", kept: `"event": "Stop"`},
	{guard: "pre_compact", at: "PreCompact", file: ".hookrun/compactions.jsonl", kept: `"trigger": "manual"`},
}

// In the background the report comes later, as a prompt.
var (
	backgroundScripts = []sdkScript{{
		calls:  []sdkCall{task("background", "research-specialist", "brief-of-background", true)},
		report: "It has begun.",
	}, {
		word:   "brief-of-background",
		calls:  []sdkCall{{"background_search", "WebSearch", binary.Hook{"query": "in the background"}}},
		report: "Found it.",
	}}
	backgroundCases = []guardSDKCase{
		{guard: "task_guidance", at: "background", told: "The Task runs in the background.", never: "The Task is done"},
		{guard: "disallowed", at: "background_search"},
	}
)

// variantCases are about inputs that were changed, see variants.
var variantCases = []guardSDKCase{
	{guard: "disallowed", at: "search_of_call"},
	{guard: "disallowed", at: "search_of_named_primary", denied: "is disallowed for Primary Agent."},
	{guard: "agent_stop", at: "SubagentStop", told: "left neither a report nor search results"},
	{guard: "agent_stop", at: "SubagentStop of the client's own agent", never: "The subagent has ended"},
	{guard: "validation_hints", at: "flagged", told: "Input Validation Failed"},
	{guard: "schema_nudge", at: "flagged", told: "The arguments of mcp__vault__send_mail were not accepted."},
	{guard: "validation_hints", at: "flagged_output", told: "Input Validation Failed"},
	{guard: "schema_nudge", at: "flagged_output", told: "The arguments of mcp__vault__send_mail were not accepted."},
	{guard: "validation_hints", at: "interrupted", never: "Tool call failed validation."},
}

// guardForms are the two files that wire the guards.
var guardForms = map[string]func(*sdkSession){
	"claude-settings.json": func(s *sdkSession) {
		s.write(".claude/settings.json", binary.JSON(s.T, withNudge(s.T)))
	},
	"tenex-hooks.json": func(s *sdkSession) {
		s.write(".tenex-hooks.json", tenexGuards(s.T))
		s.run(binary.Path, "install", "claude", "--project", "--allow")
		// The file has TENEX's three events. The lifecycle is asked of the other one.
		path := filepath.Join(s.workspace, ".claude/settings.json")
		settings := binary.Object{}
		text, err := os.ReadFile(path)
		require.NoError(s, err)
		require.NoError(s, json.Unmarshal(text, &settings))
		for _, event := range lifecycleEvents {
			command := binary.Path + " fire -c .hooks/claude-settings.json"
			entry := binary.Object{"type": "command", "command": command, "timeout": 60}
			settings["hooks"].(binary.Object)[event] = []binary.Object{{"hooks": []binary.Object{entry}}}
		}
		s.write(".claude/settings.json", binary.JSON(s.T, settings))
	},
}

var (
	lifecycleEvents = []string{"PreCompact", "Stop", "SubagentStop"}
	toolEvents      = []string{"PreToolUse", "PostToolUse", "PostToolUseFailure"}
	guardEvents     = slices.Concat([]string{"UserPromptSubmit"}, toolEvents, lifecycleEvents)
)

// withNudge is claude-settings.json with schema_nudge.py beside validation_hints.py, of which one is enough.
func withNudge(t *testing.T) (settings binary.Object) {
	text, err := os.ReadFile(filepath.Join(binary.GuardFiles(t), "claude-settings.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal([]byte(patient(text)), &settings))
	for _, event := range []string{"PostToolUse", "PostToolUseFailure"} {
		args := []string{"-B", "${CLAUDE_PROJECT_DIR}/.hooks/schema_nudge.py"}
		nudge := binary.Object{"type": "command", "command": "python3", "args": args, "timeout": 60}
		groups := settings["hooks"].(binary.Object)
		groups[event] = append(groups[event].([]any), binary.Object{"matcher": "*", "hooks": []binary.Object{nudge}})
	}
	return settings
}

// tenexGuards is tenex-hooks.json with the same.
func tenexGuards(t *testing.T) string {
	path := filepath.Join(binary.GuardFiles(t), "tenex-hooks.json")
	hooks := append(binary.HooksOf(t, path),
		binary.Object{"name": "schema-nudge", "events": []string{"post-tool"}, "persistent": true,
			"command": []string{"python3", "-B", ".hooks/schema_nudge.py"}, "timeout": "10s"})
	return patient([]byte(binary.JSON(t, binary.Object{"hooks": hooks})))
}

// patient gives the guards more time: a machine that runs many tests at once is slow.
func patient(text []byte) string {
	return strings.NewReplacer(`"10s"`, `"60s"`, `"timeout": 10`, `"timeout": 60`).Replace(string(text))
}

// TestAgentSDK has the real Claude Agent SDK obey the examples, with a scripted model and without a network.
func TestAgentSDK(t *testing.T) {
	sdk := agentSDK(t)
	if alone(t, os.Getenv("PATH")) {
		return
	}
	binary.Needs(t, "python3")
	for form := range guardForms {
		t.Run(form, func(t *testing.T) {
			testGuardsUnderSDK(t, sdk, form, guardScripts, guardCases, "make a pdf", "/compact")
		})
		t.Run(form+", in the background", func(t *testing.T) {
			testGuardsUnderSDK(t, sdk, form, backgroundScripts, backgroundCases, "go")
		})
	}
	for _, e := range otherExamples {
		t.Run(e.name, func(t *testing.T) {
			s := newSDKSession(t, sdkScript{calls: e.calls, report: "All is done."})
			s.write("CONTEXT.md", "All about the project.\n")
			s.write("plain.txt", "text\n")
			e.wire(s)
			s.output = s.underSDK(sdk, "", "go")
			s.obeys(e.cases)
		})
	}
	t.Run("redactor", func(t *testing.T) { testRedactors(t, sdk) })
}

func testGuardsUnderSDK(t *testing.T, sdk, form string, scripts []sdkScript, cases []guardSDKCase, prompts ...string) {
	s := newSDKSession(t, scripts...)
	s.hooksOf("guards", ".hooks")
	s.write(".claude/skills/pdf/SKILL.md", pdfSkill)
	guardForms[form](s)
	s.record()
	s.output = s.underSDK(sdk, "", prompts...)
	if form == "claude-settings.json" { // in the other form it sends the same
		s.compareRecord(sdkInputs)
	}
	s.obeys(cases)
}

// hooksOf copies a folder of the examples into the project.
func (s *sdkSession) hooksOf(example, as string) {
	as = filepath.Join(s.workspace, as)
	require.NoError(s, os.CopyFS(as, os.DirFS(filepath.Join(binary.Repository(s.T), "scripts", "examples", example))))
}

// obeys requires of each case that the client did what it says, and that the model was told so.
func (s *sdkSession) obeys(cases []guardSDKCase) {
	results := s.results()
	for _, c := range cases {
		s.Run(c.guard+" "+c.at, func(t *testing.T) {
			if result, called := results["toolu_"+c.at]; called {
				require.Contains(t, string(result.Content), c.denied)
				if c.denied == "" {
					require.NotContains(t, string(result.Content), "PreToolUse:", "it was denied")
				} else {
					require.True(t, result.IsError)
					require.NoFileExists(t, filepath.Join(s.workspace, "ran_"+c.at))
				}
			} else {
				require.Contains(t, guardEvents, c.at, "the tool was not called")
			}
			require.True(t, s.read(c.told), "the model was never told %q", c.told)
			if c.never != "" {
				require.False(t, s.read(c.never), "the model was told %q", c.never)
			}
			c.keeps(t, s.workspace)
		})
	}
}

const pdfSkill = "---\nname: pdf\ndescription: All about PDF\n---\n"

// sdkInputs and sdkSecrets are what the client sent to its hooks, for tests without a client. A new version is recorded
// by HOOKRUN_TEST_RECORD=EMPTYFOLDER go test ./e2e/clients -run TestAgentSDK
const sdkInputs, sdkSecrets = "inputs.jsonl", "secrets.jsonl"

// record has the client's input of every hook written down.
func (s *sdkSession) record() {
	hooks := binary.Object{}
	for _, event := range guardEvents {
		command := `input=$(cat) && printf '%s\n' "$input" >>"$CLAUDE_PROJECT_DIR/inputs.jsonl"`
		hooks[event] = []binary.Object{{"hooks": []binary.Object{{"type": "command", "command": command}}}}
	}
	s.write(".claude/settings.local.json", toText(binary.Hook{"hooks": hooks}))
}

// compareRecord requires that the client's inputs have the form of those that were recorded.
func (s *sdkSession) compareRecord(name string) {
	s.Helper()
	text, err := os.ReadFile(filepath.Join(s.workspace, "inputs.jsonl"))
	require.NoError(s, err, s.output)
	if dir := os.Getenv("HOOKRUN_TEST_RECORD"); dir != "" {
		file, err := os.OpenFile(filepath.Join(dir, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		require.NoError(s, err)
		names := strings.NewReplacer(s.workspace, "$WORKSPACE", s.home, "$HOME", filepath.Dir(s.workspace), "$TEMP")
		_, err = names.WriteString(file, string(text))
		require.NoError(s, err)
		require.NoError(s, file.Close())
		return
	}
	want := formsOf(s.T, readRecorded(s.T, name, s.workspace))
	for call, form := range formsOf(s.T, string(text)) {
		require.Equal(s, want[call], form, "%s: the client's input changed: look at it, and record it", call)
	}
}

func readRecorded(t *testing.T, name, workspace string) string {
	text, err := os.ReadFile(filepath.Join("testdata/agentsdk", name))
	require.NoError(t, err)
	names := strings.NewReplacer("$WORKSPACE", workspace, "$HOME", t.TempDir(), "$TEMP", filepath.Dir(workspace))
	return names.Replace(string(text))
}

// formsOf are the keys of each input, and of the result in it.
func formsOf(t *testing.T, lines string) map[string][]string {
	forms := map[string][]string{}
	for line := range strings.Lines(lines) {
		var input binary.Object
		require.NoError(t, json.Unmarshal([]byte(line), &input), line)
		keys := slices.Collect(maps.Keys(input))
		if response, ok := input["tool_response"].(binary.Object); ok {
			for key := range response {
				keys = append(keys, "tool_response."+key)
			}
		}
		slices.Sort(keys)
		id, _ := input["tool_use_id"].(string)
		forms[fmt.Sprint(input["hook_event_name"], " ", id)] = keys
	}
	return forms
}

// TestGuardsOnRecordedCalls fires what the client sent at .tenex-hooks.json, in its own form and in Claude Code's.
func TestGuardsOnRecordedCalls(t *testing.T) {
	t.Parallel()
	binary.Needs(t, "python3")
	cases := append(slices.Clone(guardCases), backgroundCases...)
	forms := map[string]string{"tenex-hooks.json": tenexGuards(t), "claude-settings.json": binary.JSON(t, withNudge(t))}
	for form, hooks := range forms {
		t.Run(form, func(t *testing.T) {
			if form != "tenex-hooks.json" {
				testall.Only(t, "a process for each hook of each call")
			}
			t.Parallel()
			dir, err := filepath.EvalSymlinks(t.TempDir())
			require.NoError(t, err)
			require.NoError(t, os.Symlink(binary.GuardFiles(t), filepath.Join(dir, ".hooks")))
			binary.WriteFile(t, dir, ".tenex-hooks.json", hooks)
			binary.WriteFile(t, dir, ".claude/skills/pdf/SKILL.md", pdfSkill)
			server := rpc.ServeTurns(t, dir, "PATH="+binary.Python(t)+":"+os.Getenv("PATH"))
			replies := map[string][]binary.Outcome{}
			fire := func(id string, input binary.Object) {
				replies[id] = append(replies[id], server.Call("fire", input))
			}
			for line := range strings.Lines(readRecorded(t, sdkInputs, dir)) {
				var input binary.Object
				require.NoError(t, json.Unmarshal([]byte(line), &input))
				id, _ := input["tool_use_id"].(string)
				if id == "" {
					id = input["hook_event_name"].(string)
				}
				if input["agent_type"] == "" {
					id += " of the client's own agent"
				}
				fire(strings.TrimPrefix(id, "toolu_"), input)
				variants(id, input, fire)
			}
			for _, c := range append(cases, variantCases...) {
				if form == "tenex-hooks.json" && slices.Contains(lifecycleEvents, strings.Fields(c.at)[0]) {
					continue // it has TENEX's three events
				}
				t.Run(c.guard+" "+c.at, func(t *testing.T) {
					c.matches(t, replies[c.at])
					c.keeps(t, dir)
				})
			}
		})
	}
}

// variants are inputs that the recorded session has not, made of those that it has.
func variants(id string, input binary.Object, fire func(string, binary.Object)) {
	with := func(name string, keys binary.Object) {
		changed := maps.Clone(input)
		maps.Copy(changed, keys)
		fire(name, changed)
	}
	const failure = "InputValidationError: send_mail"
	switch fmt.Sprint(input["hook_event_name"], " ", id) {
	case "PreToolUse toolu_primary_search":
		with("search_of_call", binary.Object{"parent_tool_use_id": "toolu_research"})
		with("search_of_named_primary", binary.Object{"agent_type": "research-specialist"})
	case "PostToolUseFailure toolu_exit":
		with("interrupted", binary.Object{"is_interrupt": true})
	case "PostToolUse toolu_mail":
		with("flagged", binary.Object{"is_error": true, "tool_response": failure})
		delete(input, "tool_response")
		with("flagged_output", binary.Object{"is_error": true, "tool_output": failure})
	}
}

// matches holds the outcomes of one call's events against a case.
func (c guardSDKCase) matches(t *testing.T, replies []binary.Outcome) {
	require.NotEmpty(t, replies)
	var decisions, reasons, updated, texts string
	for _, o := range replies {
		decisions, reasons, updated = decisions+o.Decision+" ", reasons+o.Reason, updated+string(o.UpdatedInput)
		texts += strings.Join(append(o.Texts(), o.SystemMessages...), "\n")
	}
	require.Equal(t, c.denied != "", strings.Contains(decisions, "block"), "%s: %s", decisions, reasons)
	require.Contains(t, reasons, c.denied)
	require.Contains(t, updated, c.updated)
	require.Contains(t, texts, c.told)
	if c.never != "" {
		require.NotContains(t, texts, c.never)
	}
}

func (c guardSDKCase) keeps(t *testing.T, dir string) {
	if c.file == "" {
		return
	}
	text, err := os.ReadFile(filepath.Join(dir, c.file))
	require.NoError(t, err)
	require.Contains(t, string(text), c.kept)
}
