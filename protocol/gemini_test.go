package protocol_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/all"
	"github.com/hookrun/hookrun/internal/dialect/claude"
	"github.com/hookrun/hookrun/internal/dialect/gemini"
	"github.com/hookrun/hookrun/internal/dialect/tenex"
	"github.com/hookrun/hookrun/protocol"
)

// gemini judges and settles, as the runner does.
func decideGemini(e protocol.Event, r dialect.HookResult, policies ...protocol.FailurePolicy) dialect.Verdict {
	c := protocol.Call{Event: e, Tool: "run_shell_command", Args: `{"command":"ls"}`}
	return gemini.Dialect.ApplyFailurePolicy(&c, gemini.Dialect.Decode(&c, "h", &r), policies...)
}

func TestGeminiText(t *testing.T) {
	told := func(message string) dialect.Verdict {
		return dialect.Verdict{Decision: protocol.Continue, Status: protocol.StatusOK, SystemMessage: message}
	}
	failed := func(cause protocol.Cause, message string) dialect.Verdict {
		return dialect.Verdict{Decision: protocol.Continue, Status: protocol.StatusFailed, Cause: cause, SystemMessage: message}
	}
	for name, test := range map[string]struct {
		result dialect.HookResult
		want   dialect.Verdict
	}{
		"exit 0, nothing":                  {exited(0, "", ""), told("")},
		"exit 0, blanks":                   {exited(0, " \n\ufeff", "\t\n"), told("")},
		"exit 0, a text":                   {exited(0, " words\n", ""), told("words")},
		"exit 0, a text on stderr":         {exited(0, "\n", "words\n"), told("words")},
		"stdout before stderr":             {exited(0, "out", "err"), told("out")},
		"exit 1, nothing":                  {exited(1, "", ""), failed(protocol.CauseExit, "")},
		"exit 1, a text":                   {exited(1, "", "words"), failed(protocol.CauseExit, "Warning: words")},
		"exit 2, nothing":                  {exited(2, "", ""), failed(protocol.CauseExit, "")},
		"exit 3, nothing":                  {exited(3, "", ""), failed(protocol.CauseExit, "")},
		"exit 2, a text":                   {exited(2, "", "\n  one\ntwo\n\n"), blocked("one\ntwo")},
		"exit 2, two texts":                {exited(2, "out", "err"), blocked("out")},
		"exit 3, a text":                   {exited(3, "", "words"), blocked("words")},
		"exit 255, a text":                 {exited(255, "words", ""), blocked("words")},
		"exit 127":                         {exited(127, "", "bash: nope: command not found"), blocked("bash: nope: command not found")},
		"a signal, nothing":                {killed("SIGKILL", "", ""), failed(protocol.CauseSignal, "")},
		"a signal, a text":                 {killed("SIGKILL", "words", ""), failed(protocol.CauseSignal, "words")},
		"a JSON string of words":           {exited(0, `"words"`, ""), told(`"words"`)},
		"a JSON string of words, blocking": {exited(2, `"words"`, ""), blocked(`"words"`)},
		"broken JSON":                      {exited(0, `{"decision": "deny", `, ""), failed(protocol.CauseOutput, `{"decision": "deny",`)},
		"JSON and then a text":             {exited(0, "{\"decision\":\"deny\"}\nbye", ""), failed(protocol.CauseOutput, "{\"decision\":\"deny\"}\nbye")},
		"a text and then JSON":             {exited(0, "hello\n{\"decision\":\"deny\"}", ""), failed(protocol.CauseOutput, "hello\n{\"decision\":\"deny\"}")},
		"broken JSON, blocking":            {exited(2, `{"decision": "allow", `, ""), blocked(`{"decision": "allow",`)},
		"a log line in brackets":           {exited(0, "[info] {looks like JSON}", ""), told("[info] {looks like JSON}")},
		"a number":                         {exited(0, "42", ""), failed(protocol.CauseOutput, "")},
		"null":                             {exited(0, "null", ""), failed(protocol.CauseOutput, "")},
		"a list":                           {exited(0, `[{"decision":"deny"}]`, ""), failed(protocol.CauseOutput, "")},
		"a list, exit 2":                   {exited(2, "[]", ""), failed(protocol.CauseExit, "")},
		"a string in a string in a string": {exited(2, `"\"\\\"x\\\"\""`, ""), failed(protocol.CauseExit, "")},
	} {
		t.Run(name, func(t *testing.T) {
			v := decideGemini("BeforeTool", test.result)
			require.Equal(t, v.Status == protocol.StatusFailed, len(v.Warnings) > 0, "%q", v.Warnings)
			strict := decideGemini("BeforeTool", test.result, onFailure(protocol.Block))
			if v.Status == protocol.StatusFailed {
				require.Equal(t, protocol.Block, strict.Decision, "--on-failure block closes it")
				require.Equal(t, protocol.StatusBlocked, strict.Status)
				require.NotEmpty(t, strict.Reason)
			} else {
				require.Equal(t, v, strict)
			}
			v.Warnings, v.Problem = nil, ""
			require.Equal(t, test.want, v)
		})
	}
}

func TestGeminiAnswers(t *testing.T) {
	const deny = `{"decision":"deny","reason":"R"}`
	for name, test := range map[string]struct {
		result dialect.HookResult
		want   dialect.Verdict
	}{
		"deny":                            {printed(deny), blocked("R")},
		"block":                           {printed(`{"decision":"block","reason":"R"}`), blocked("R")},
		"deny without a reason":           {printed(`{"decision":"deny"}`), blocked("")}, // Merge has the client's words
		"deny, exit 1":                    {exited(1, deny, ""), blocked("R")},
		"deny, exit 2, stderr":            {exited(2, deny, "err"), blocked("R")},
		"deny, killed":                    {killed("SIGKILL", deny, ""), blocked("R")},
		"deny on stderr":                  {exited(0, "", deny), blocked("R")},
		"deny behind a byte order mark":   {printed("\ufeff" + deny), blocked("R")},
		"deny over lines":                 {printed("\n{\n \"decision\":\n\"deny\",\"reason\":\"R\"}\n\n"), blocked("R")},
		"deny in a JSON string":           {printed(`"{\"decision\":\"deny\",\"reason\":\"R\"}"`), blocked("R")},
		"deny by an escaped key":          {printed(`{"\u0064ecision":"den\u0079","reason":"R"}`), blocked("R")},
		"the last of equal keys, a deny":  {printed(`{"decision":"allow","decision":"deny","reason":"R"}`), blocked("R")},
		"deny beside a wrong output":      {printed(`{"decision":"deny","reason":"R","hookSpecificOutput":"x"}`), blocked("R")},
		"deny with a reason of its own":   {printed(`{"decision":"deny","reason":{"x":1}}`), blocked(`{"x":1}`)},
		"deny with a stopReason":          {printed(`{"decision":"deny","reason":"R","stopReason":"S"}`), blocked("R")},
		"ask":                             {printed(`{"decision":"ask","reason":"R","systemMessage":"M"}`), dialect.Verdict{Decision: protocol.Ask, Cause: protocol.CausePolicy, Status: protocol.StatusBlocked, Reason: "R", SystemMessage: "M"}},
		"stop":                            {printed(`{"continue":false,"stopReason":"S","reason":"R"}`), dialect.Verdict{Decision: protocol.Block, Cause: protocol.CausePolicy, Status: protocol.StatusBlocked, Reason: "R", Stop: true, StopReason: "S"}},
		"the empty object":                {printed(`{}`), passes()},
		"allow":                           {printed(`{"decision":"allow","reason":"R","systemMessage":"M"}`), dialect.Verdict{Decision: protocol.Continue, Status: protocol.StatusOK, Reason: "R", SystemMessage: "M"}},
		"approve":                         {printed(`{"decision":"approve"}`), passes()},
		"null":                            {printed(`{"decision":null,"continue":null,"hookSpecificOutput":null,"reason":null,"systemMessage":null}`), passes()},
		"a message that is hidden":        {printed(`{"suppressOutput":true,"systemMessage":"M"}`), passes()},
		"a message that is not":           {printed(`{"suppressOutput":"","systemMessage":"M"}`), dialect.Verdict{Decision: protocol.Continue, Status: protocol.StatusOK, SystemMessage: "M"}},
		"a key that nobody knows":         {printed(`{"x":1,"hookSpecificOutput":{"y":2}}`), passes()},
		"a rewrite":                       {printed(specific(`"tool_input":{"command": "a", "n": 1.0}`)), dialect.Verdict{Decision: protocol.Continue, Status: protocol.StatusOK, UpdatedInput: []byte(`{"command":"a","n":1.0}`)}},
		"a rewrite to nothing":            {printed(specific(`"tool_input":{}`)), dialect.Verdict{Decision: protocol.Continue, Status: protocol.StatusOK, UpdatedInput: []byte(`{}`)}},
		"a rewrite with equal keys":       {printed(specific(`"tool_input":{"a":1,"a":2}`)), dialect.Verdict{Decision: protocol.Continue, Status: protocol.StatusOK, UpdatedInput: []byte(`{"a":2}`)}},
		"another event's name beside it":  {printed(specific(`"hookEventName":"AfterTool","tool_input":{}`)), dialect.Verdict{Decision: protocol.Continue, Status: protocol.StatusOK, UpdatedInput: []byte(`{}`)}},
		"a stop that is a string, killed": {killed("SIGTERM", deny, ""), blocked("R")},
	} {
		t.Run(name, func(t *testing.T) {
			v := decideGemini("BeforeTool", test.result)
			require.Empty(t, v.Warnings)
			require.Equal(t, v, decideGemini("BeforeTool", test.result, onFailure(protocol.Block)), "an answer is no failure")
			v.Answered = false
			require.Equal(t, test.want, v)
		})
	}
}

// What the client passes over without a word lets pass here too, with a warning, and is closed by a policy.
func TestGeminiOddAnswers(t *testing.T) {
	for name, test := range map[string]struct {
		stdout, warning string
		open            bool // a policy changes nothing
	}{
		"an unknown decision":            {`{"decision":"maybe","systemMessage":"M"}`, `decision "maybe" does not exist`, false},
		"another spelling":               {`{"decision":"Deny","systemMessage":"M"}`, `decision "Deny" does not exist`, false},
		"no string":                      {`{"decision":true,"systemMessage":"M"}`, "decision must be a string, not true", false},
		"continue is a string":           {`{"continue":"false","systemMessage":"M"}`, `continue must be true or false, not "false"`, false},
		"a slip":                         {`{"desicion":"deny","systemMessage":"M"}`, `"desicion" for "decision"`, false},
		"an output that is no object":    {`{"hookSpecificOutput":"x","systemMessage":"M"}`, `hookSpecificOutput must be an object`, false},
		"a rewrite that is no object":    {`{"hookSpecificOutput":{"tool_input":["x"]},"systemMessage":"M"}`, `tool_input must be an object`, false},
		"Claude's deny":                  {`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"},"systemMessage":"M"}`, `"permissionDecision"`, false},
		"Claude's deny at the top":       {`{"permissionDecision":"deny","systemMessage":"M"}`, `"permissionDecision"`, false},
		"Claude's ask":                   {`{"hookSpecificOutput":{"permissionDecision":"ask"},"systemMessage":"M"}`, `"permissionDecision"`, false},
		"Claude's rewrite":               {`{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{}},"systemMessage":"M"}`, `"updatedInput"`, false},
		"Claude's allow":                 {`{"hookSpecificOutput":{"permissionDecision":"allow"},"systemMessage":"M"}`, `"permissionDecision"`, true},
		"context, which has no place":    {`{"hookSpecificOutput":{"additionalContext":"C"},"systemMessage":"M"}`, `"additionalContext", which means nothing at BeforeTool`, true},
		"an unknown decision and exit 1": {`{"decision":"maybe","systemMessage":"M"}`, `exited with 1, and its answer means nothing: decision "maybe"`, false},
	} {
		t.Run(name, func(t *testing.T) {
			code := 0
			if strings.HasSuffix(name, "exit 1") {
				code = 1
			}
			v := decideGemini("BeforeTool", exited(code, test.stdout, ""))
			require.Equal(t, protocol.Continue, v.Decision)
			require.Equal(t, "M", v.SystemMessage, "the rest of the answer counts")
			require.Contains(t, strings.Join(v.Warnings, "\n"), test.warning)
			require.Nil(t, v.UpdatedInput)
			require.Empty(t, v.Context)
			strict := decideGemini("BeforeTool", exited(code, test.stdout, ""), onFailure(protocol.Block))
			if test.open {
				require.Equal(t, v, strict)
				require.Equal(t, protocol.StatusOK, v.Status)
				return
			}
			require.Equal(t, protocol.StatusFailed, v.Status)
			require.Equal(t, protocol.Block, strict.Decision)
			require.Contains(t, strict.Reason, strings.TrimSuffix(test.warning, `"permissionDecision"`))
		})
	}
}

func TestGeminiEvents(t *testing.T) {
	for _, test := range []struct {
		event                 protocol.Event
		subject               string
		blocks, stops, inject bool
	}{
		{"SessionStart", "source", false, false, true},
		{"BeforeAgent", "", true, true, true},
		{"PreCompress", "trigger", false, false, false},
		{"BeforeModel", "", true, true, false},
		{"BeforeToolSelection", "", false, false, false},
		{"AfterModel", "", true, true, false},
		{"BeforeTool", "tool_name", true, true, false},
		{"AfterTool", "tool_name", true, true, true},
		{"Notification", "", false, false, false},
		{"AfterAgent", "", true, true, false},
		{"SessionEnd", "reason", false, false, false},
	} {
		t.Run(string(test.event), func(t *testing.T) {
			require.Contains(t, gemini.Dialect.Events(), test.event)
			require.Equal(t, test.subject, gemini.Dialect.SubjectField(test.event))

			for _, r := range []dialect.HookResult{printed(`{"decision":"deny","reason":"R"}`), exited(2, "", "R")} {
				v := decideGemini(test.event, r)
				require.Equal(t, test.blocks, v.Decision == protocol.Block)
				if test.blocks {
					require.Equal(t, "R", v.Reason)
				} else {
					require.NotEmpty(t, v.Warnings)
					require.Empty(t, v.SystemMessage, "a reason is no message")
				}
			}
			v := decideGemini(test.event, printed(`{"continue":false,"stopReason":"S","hookSpecificOutput":{"additionalContext":"C"}}`))
			require.Equal(t, test.stops, v.Stop)
			require.Equal(t, test.stops, v.StopReason == "S")
			require.Equal(t, test.inject, v.Context == "C")
			require.Equal(t, test.event == "BeforeTool", v.Decision == protocol.Block, "this call does not run")
			require.Equal(t, !test.stops || !test.inject, len(v.Warnings) > 0)

			require.Equal(t, "words", decideGemini(test.event, printed("words")).SystemMessage)
			require.Equal(t, "Warning: words", decideGemini(test.event, exited(1, "words", "")).SystemMessage)

			strict := decideGemini(test.event, exited(2, "", ""), onFailure(protocol.Block))
			require.Equal(t, test.blocks && test.event != "AfterAgent", strict.Decision == protocol.Block, "a policy holds up what can be held up")
		})
	}
	require.Len(t, gemini.Dialect.Events(), 11)

	t.Run("ask asks before a tool alone", func(t *testing.T) {
		v := decideGemini("AfterTool", printed(`{"decision":"ask"}`))
		require.Equal(t, protocol.Continue, v.Decision)
		require.Contains(t, v.Warnings[0], "asks nobody at AfterTool; ignored, the tool already ran")
		require.Equal(t, protocol.Block, decideGemini("BeforeAgent", printed(`{"decision":"ask"}`), onFailure(protocol.Block)).Decision)
	})
	t.Run("a rewrite counts before a tool alone", func(t *testing.T) {
		v := decideGemini("AfterTool", printed(specific(`"tool_input":{}`)))
		require.Nil(t, v.UpdatedInput)
		require.Contains(t, v.Warnings[0], "tool_input")
	})
	t.Run("what only the client can use is carried", func(t *testing.T) {
		v := decideGemini("BeforeModel", printed(specific(`"llm_request":{"model": "m"},"toolConfig":{}`)))
		require.Equal(t, protocol.Fields{{Key: "llm_request", Value: json.RawMessage(`{"model":"m"}`)}}, v.Other)
		require.Equal(t, "clearContext", decideGemini("AfterAgent", printed(specific(`"clearContext":true`))).Other[0].Key)
	})
}

func TestGeminiFailures(t *testing.T) {
	for _, test := range []struct {
		event  protocol.Event
		result dialect.HookResult
		want   protocol.Decision
		status protocol.Status
	}{
		{"BeforeTool", dialect.HookResult{Err: errors.New("bash: not found in PATH")}, protocol.Block, protocol.StatusUnstarted},
		{"BeforeAgent", dialect.HookResult{Err: errors.New("bash: not found in PATH")}, protocol.Block, protocol.StatusUnstarted},
		{"AfterTool", dialect.HookResult{Err: errors.New("bash: not found in PATH")}, protocol.Continue, protocol.StatusUnstarted},
		{"AfterAgent", dialect.HookResult{Err: errors.New("bash: not found in PATH")}, protocol.Continue, protocol.StatusUnstarted},
		{"SessionStart", dialect.HookResult{Err: errors.New("bash: not found in PATH")}, protocol.Continue, protocol.StatusUnstarted},
		{"BeforeTool", dialect.HookResult{TimedOut: true, Limit: time.Second, Stdout: printed(`{"decision":"deny"}`).Stdout}, protocol.Continue, protocol.StatusTimeout},
		{"AfterModel", dialect.HookResult{TimedOut: true, Limit: time.Second}, protocol.Continue, protocol.StatusTimeout},
	} {
		v := decideGemini(test.event, test.result)
		require.Equal(t, test.want, v.Decision, "%s %+v", test.event, test.result)
		require.Equal(t, test.status, v.Status)
		require.Equal(t, test.want == protocol.Block, len(v.Warnings) == 0)
	}
	require.Equal(t, protocol.Block, decideGemini("BeforeTool", dialect.HookResult{TimedOut: true, Limit: time.Second}, onFailure(protocol.Block)).Decision)

	t.Run("an answer that is too long", func(t *testing.T) {
		r := printed(`{"decision":"deny","reason":"aaaaaa`)
		r.Stdout.Tail, r.Stdout.Total = []byte(`aaaa"}`), 3<<20
		v := decideGemini("BeforeTool", r)
		require.Equal(t, protocol.CauseOutput, v.Cause)
		require.Equal(t, protocol.Block, decideGemini("BeforeTool", r, onFailure(protocol.Block)).Decision)
	})
}

// mergeGemini merges the verdicts of hooks that printed what is given and ended well.
func mergeGemini(e protocol.Event, results ...dialect.HookResult) protocol.Outcome {
	c := protocol.Call{Event: e, Tool: "run_shell_command"}
	var judged []dialect.HookVerdict
	for i, r := range results {
		name := string(rune('a' + i))
		v := gemini.Dialect.ApplyFailurePolicy(&c, gemini.Dialect.Decode(&c, name, &r))
		judged = append(judged, dialect.HookVerdict{Report: dialect.Report(name, "f:1", &r, &v), Verdict: v, Dialect: gemini.Dialect})
	}
	return dialect.Merge(&c, judged)
}

func TestGeminiMerge(t *testing.T) {
	deny := func(reason string) dialect.HookResult {
		return printed(`{"decision":"deny","reason":"` + reason + `"}`)
	}
	allow, ask := printed(`{"decision":"allow","reason":"A"}`), printed(`{"decision":"ask","reason":"Q"}`)
	stop := func(reason string) dialect.HookResult {
		return printed(`{"continue":false,"stopReason":"` + reason + `"}`)
	}
	for name, test := range map[string]struct {
		event              protocol.Event
		results            []dialect.HookResult
		decision           protocol.Decision
		reason, hook       string
		stop               bool
		stopReason, inject string
	}{
		"two denies":                      {"BeforeTool", []dialect.HookResult{deny("1"), deny("2")}, protocol.Block, "1\n2", "a", false, "", ""},
		"deny, allow":                     {"BeforeTool", []dialect.HookResult{deny("1"), allow}, protocol.Block, "1\nA", "a", false, "", ""},
		"allow, deny":                     {"BeforeTool", []dialect.HookResult{allow, deny("1")}, protocol.Block, "A\n1", "b", false, "", ""},
		"ask, deny":                       {"BeforeTool", []dialect.HookResult{ask, deny("1")}, protocol.Block, "Q\n1", "b", false, "", ""},
		"allow, ask":                      {"BeforeTool", []dialect.HookResult{allow, ask}, protocol.Ask, "A\nQ", "b", false, "", ""},
		"an exit code and JSON":           {"BeforeTool", []dialect.HookResult{exited(2, "", "E"), deny("1")}, protocol.Block, "E\n1", "a", false, "", ""},
		"an allow that failed":            {"BeforeTool", []dialect.HookResult{exited(1, `{"decision":"allow","reason":"A"}`, ""), deny("1")}, protocol.Block, "A\n1", "b", false, "", ""},
		"a silent deny, deny":             {"BeforeTool", []dialect.HookResult{printed(`{"decision":"deny"}`), deny("1")}, protocol.Block, "1", "a", false, "", ""},
		"no reason":                       {"BeforeTool", []dialect.HookResult{printed(`{"decision":"deny"}`)}, protocol.Block, "No reason provided", "a", false, "", ""},
		"allows":                          {"BeforeTool", []dialect.HookResult{allow, allow}, protocol.Continue, "", "", false, "", ""},
		"a stop before a tool":            {"BeforeTool", []dialect.HookResult{stop("S")}, protocol.Block, "S", "a", true, "S", ""},
		"a stop without a reason":         {"BeforeTool", []dialect.HookResult{printed(`{"continue":false}`)}, protocol.Block, "No reason provided", "a", true, "No reason provided", ""},
		"a stop with a reason only":       {"BeforeTool", []dialect.HookResult{printed(`{"continue":false,"reason":"R"}`)}, protocol.Block, "R", "a", true, "R", ""},
		"stop, deny":                      {"BeforeTool", []dialect.HookResult{stop("S"), deny("1")}, protocol.Block, "1", "a", true, "S", ""},
		"two stops":                       {"BeforeAgent", []dialect.HookResult{stop("S"), stop("T")}, protocol.Continue, "", "", true, "S\nT", ""},
		"a stop beside a deny":            {"BeforeAgent", []dialect.HookResult{stop("S"), deny("1")}, protocol.Block, "1", "b", true, "S", ""},
		"two contexts":                    {"AfterTool", []dialect.HookResult{printed(specific(`"additionalContext":"x"`)), printed(specific(`"additionalContext":"y"`))}, protocol.Continue, "", "", false, "", "x y"},
		"a block drops all context":       {"AfterTool", []dialect.HookResult{printed(specific(`"additionalContext":"x"`)), printed(`{"decision":"deny","reason":"1","hookSpecificOutput":{"additionalContext":"y"}}`)}, protocol.Block, "1", "b", false, "", ""},
		"a failure is no reason":          {"BeforeTool", []dialect.HookResult{exited(1, "", "words"), deny("1")}, protocol.Block, "1", "b", false, "", ""},
		"a wrong output loses none":       {"BeforeTool", []dialect.HookResult{deny("1"), printed(`{"hookSpecificOutput":"x"}`)}, protocol.Block, "1", "a", false, "", ""},
		"a stop reason before a model":    {"BeforeModel", []dialect.HookResult{printed(`{"decision":"deny","reason":"R","stopReason":"S"}`)}, protocol.Block, "S", "a", false, "", ""},
		"a stop reason, no deny":          {"AfterModel", []dialect.HookResult{printed(`{"reason":"R","stopReason":"S"}`)}, protocol.Continue, "", "", false, "", ""},
		"the last of BeforeModel is none": {"BeforeModel", []dialect.HookResult{deny("1"), printed(`{"decision":"allow"}`)}, protocol.Block, "1", "a", false, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := mergeGemini(test.event, test.results...)
			require.Equal(t, test.decision, o.Decision)
			require.Equal(t, test.reason, o.Reason)
			require.Equal(t, test.hook, o.Hook)
			require.Equal(t, test.stop, o.Stop)
			require.Equal(t, test.stopReason, o.StopReason)
			require.Equal(t, test.inject, strings.Join(o.Texts(), " "))
			require.False(t, o.Approved)
		})
	}
	t.Run("the last rewrite in the file counts, and none beside a deny", func(t *testing.T) {
		one, two := printed(specific(`"tool_input":{"a":1,"b":1}`)), printed(specific(`"tool_input":{"a":2}`))
		require.JSONEq(t, `{"a":2}`, string(mergeGemini("BeforeTool", one, two).UpdatedInput))
		require.Nil(t, mergeGemini("BeforeTool", one, deny("1")).UpdatedInput)
		require.NotNil(t, mergeGemini("BeforeTool", one, ask).UpdatedInput, "the person who is asked may allow it")
	})
	t.Run("reasons of other dialects stay apart", func(t *testing.T) {
		c := protocol.Call{Event: "BeforeTool", Tool: "x"}
		var judged []dialect.HookVerdict
		for _, d := range []*dialect.Dialect{tenex.Dialect, gemini.Dialect, gemini.Dialect} {
			r := exited(2, "", "no by "+d.Name)
			judged = append(judged, dialect.HookVerdict{Verdict: d.Decode(&c, "h", &r), Dialect: d})
		}
		require.Equal(t, "no by tenex", dialect.Merge(&c, judged).Reason, "the first blocker's dialect says how")
		require.Equal(t, "no by gemini\nno by gemini", dialect.Merge(&c, judged[1:]).Reason)
	})
}

// recordedAfterTool is what the client gave a hook.
const recordedAfterTool = `{"session_id":"s","transcript_path":"/t","cwd":"/w","hook_event_name":"AfterTool","timestamp":"2026-01-02T03:04:05.678Z",` +
	`"tool_name":"read_file","tool_input":{"file_path":"absent.txt"},"tool_response":{"llmContent":"Could not read file.","returnDisplay":"File not found.","error":{"message":"File not found: /w/absent.txt","type":"file_not_found"}}}`

func TestGeminiPayload(t *testing.T) {
	payload := func(t *testing.T, c protocol.Call) string {
		p, warnings, err := gemini.Dialect.EncodeInput(&c)
		require.NoError(t, err)
		require.Empty(t, warnings)
		return string(p.Bytes())
	}
	t.Run("the client's own input goes through", func(t *testing.T) {
		c, _, err := all.ParseInput(recordedAfterTool)
		require.NoError(t, err)
		require.Equal(t, recordedAfterTool+"\n", payload(t, c))
	})
	t.Run("a call of another's is written in the client's form", func(t *testing.T) {
		for _, e := range []protocol.Event{"pre-tool", "PreToolUse", "BeforeTool"} {
			c := protocol.Call{Event: e, Workspace: "/w", SessionID: "s", TranscriptPath: "/t", Tool: "x", Args: `{"a": 1}`}
			if e == "PreToolUse" {
				c.ClientInput = `{"hook_event_name":"PreToolUse","permission_mode":"default"}`
			}
			require.Regexp(t, `^{"session_id":"s","transcript_path":"/t","cwd":"/w","hook_event_name":"BeforeTool","timestamp":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","tool_name":"x","tool_input":{"a":1}}\n$`, payload(t, c))
		}
		after := payload(t, protocol.Call{Event: "PostToolUseFailure", Failed: true, Tool: "x", Result: "bad\n"})
		require.Contains(t, after, `"hook_event_name":"AfterTool"`)
		require.Contains(t, after, `"tool_input":{},"tool_response":{"llmContent":"bad\n","returnDisplay":"bad\n","error":{"message":"bad\n"}}}`)
		require.Contains(t, payload(t, protocol.Call{Event: "pre-execute", Prompt: "go"}), `,"prompt":"go"}`)
	})
	t.Run("moments", func(t *testing.T) {
		for fired, want := range map[protocol.Call]protocol.Event{
			{Event: "pre-tool"}:                 "BeforeTool",
			{Event: "post-tool"}:                "AfterTool",
			{Event: "PostToolUseFailure"}:       "AfterTool",
			{Event: "post-tool", Failed: true}:  "AfterTool",
			{Event: "post-tool", Blocked: true}: "",
			{Event: "UserPromptSubmit"}:         "BeforeAgent",
			{Event: "AfterAgent"}:               "AfterAgent",
			{Event: "Stop"}:                     "Stop",
		} {
			require.Equal(t, want, gemini.Dialect.EventOf(&fired), "%+v", fired)
		}
		require.Equal(t, protocol.PostTool, protocol.Event("AfterTool").Canonical())
		require.Equal(t, protocol.Event("PostToolUse"), protocol.Event("AfterTool").Claude())
		require.True(t, protocol.Event("BeforeTool").HasTool())
	})
	t.Run("environment", func(t *testing.T) {
		c := protocol.Call{Event: "BeforeTool", Workspace: "/w", SessionID: "s"}
		require.Equal(t, []string{"GEMINI_PROJECT_DIR=/w", "GEMINI_CWD=/w", "CLAUDE_PROJECT_DIR=/w", "GEMINI_SESSION_ID=s"}, gemini.Dialect.Environment(&c))
	})
}

// Hooks of all other dialects see the client's call as their own.
func TestGeminiInputForOtherHooks(t *testing.T) {
	c, _, err := all.ParseInput(recordedAfterTool)
	require.NoError(t, err)
	require.True(t, c.Failed)
	require.Equal(t, "Could not read file.", c.Result)
	c.Workspace = "/w"

	ofClaude, _, err := claude.Dialect.EncodeInput(&c)
	require.NoError(t, err)
	require.Contains(t, string(ofClaude.Bytes()), `"hook_event_name":"PostToolUseFailure","tool_name":"read_file","tool_input":{"file_path":"absent.txt"}`)
	require.Contains(t, string(ofClaude.Bytes()), `"error":"Could not read file."`)
	ofTenex, _, err := tenex.Dialect.EncodeInput(&c)
	require.NoError(t, err)
	require.Contains(t, string(ofTenex.Bytes()), `"event":"post-tool","tool":"read_file","args":{"file_path":"absent.txt"},"result":"Could not read file."`)

	before, _, err := all.ParseInput(`{"hook_event_name":"BeforeTool","tool_name":"t","tool_input":{"a":1},"timestamp":"x"}`)
	require.NoError(t, err)
	ofClaude, _, err = claude.Dialect.EncodeInput(&before)
	require.NoError(t, err)
	require.Contains(t, string(ofClaude.Bytes()), `"hook_event_name":"PreToolUse","tool_name":"t","tool_input":{"a":1},"tool_use_id":""}`)
	require.NotContains(t, string(ofClaude.Bytes()), "timestamp")

	for response, want := range map[string]protocol.Call{
		`{"llmContent":"ok","returnDisplay":"d"}`: {Result: "ok"},
		`{"llmContent":[{"text": "a"}]}`:          {Result: `[{"text":"a"}]`},
		`{"error":{"message":"m"}}`:               {Result: "m", Failed: true},
		`{"llmContent":"ok","error":null}`:        {Result: "ok"},
		`"plain"`:                                 {Result: "plain"},
	} {
		c, _, err := all.ParseInput(`{"hook_event_name":"AfterTool","tool_name":"t","tool_response":` + response + `}`)
		require.NoError(t, err)
		require.Equal(t, want, protocol.Call{Result: c.Result, Failed: c.Failed}, response)
	}
}

func TestGeminiChain(t *testing.T) {
	call := func(e protocol.Event, more string) protocol.Call {
		c, _, err := all.ParseInput(`{"hook_event_name":"` + string(e) + `",` + more + `}`)
		require.NoError(t, err)
		return c
	}
	t.Run("the next hook sees a rewrite merged", func(t *testing.T) {
		c := call("BeforeTool", `"tool_name":"x","tool_input":{"command":"a","description":"d"}`)
		v := decideGemini("BeforeTool", printed(specific(`"tool_input":{"command":"b","n":1}`)))
		require.True(t, gemini.Dialect.Propagate(&c, &v))
		require.JSONEq(t, `{"command":"b","description":"d","n":1}`, c.Args)
		require.JSONEq(t, `{"hook_event_name":"BeforeTool","tool_name":"x","tool_input":{"command":"b","description":"d","n":1}}`, c.ClientInput)
	})
	t.Run("a deny hands its rewrite on too", func(t *testing.T) {
		c := call("BeforeTool", `"tool_name":"x","tool_input":{"command":"a"}`)
		v := decideGemini("BeforeTool", printed(`{"decision":"deny",`+specific(`"tool_input":{"command":"b"}`)[1:]))
		require.True(t, gemini.Dialect.Propagate(&c, &v))
		require.JSONEq(t, `{"command":"b"}`, c.Args)
	})
	t.Run("a hook that failed hands nothing on", func(t *testing.T) {
		c := call("BeforeTool", `"tool_name":"x","tool_input":{"command":"a"}`)
		v := decideGemini("BeforeTool", exited(1, specific(`"tool_input":{"command":"b"}`), ""))
		require.NotNil(t, v.UpdatedInput)
		require.False(t, gemini.Dialect.Propagate(&c, &v))
		v = decideGemini("BeforeTool", exited(2, `{"decision":"deny",`+specific(`"tool_input":{"command":"b"}`)[1:], ""))
		require.Equal(t, protocol.Block, v.Decision)
		require.False(t, gemini.Dialect.Propagate(&c, &v))
		v = decideGemini("BeforeTool", killed("SIGTERM", `{"decision":"deny",`+specific(`"tool_input":{"command":"b"}`)[1:], ""))
		require.False(t, gemini.Dialect.Propagate(&c, &v))
		require.JSONEq(t, `{"command":"a"}`, c.Args)
		v = decideGemini("BeforeTool", exited(1, `{"decision":"ask",`+specific(`"tool_input":{"command":"b"}`)[1:], ""))
		require.NotNil(t, v.UpdatedInput, "the person who is asked may allow it")
	})
	t.Run("an odd answer of a hook that ended well is handed on", func(t *testing.T) {
		c := call("BeforeTool", `"tool_name":"x","tool_input":{"command":"a"}`)
		v := decideGemini("BeforeTool", printed(`{"decision":"maybe","hookSpecificOutput":{"tool_input":{"command":"b"}}}`))
		require.Equal(t, protocol.StatusFailed, v.Status)
		require.True(t, gemini.Dialect.Propagate(&c, &v))
		require.JSONEq(t, `{"command":"b"}`, c.Args)
		for _, input := range []string{`"a"`, `[]`, `null`} {
			c := call("BeforeTool", `"tool_name":"x","tool_input":`+input)
			require.False(t, gemini.Dialect.Propagate(&c, &v), "there is nothing to merge it with")
		}
	})
	t.Run("a request is merged", func(t *testing.T) {
		c := call("BeforeModel", `"llm_request":{"model":"m","messages":[]}`)
		v := decideGemini("BeforeModel", printed(specific(`"llm_request":{"model":"n"}`)))
		require.True(t, gemini.Dialect.Propagate(&c, &v))
		require.Equal(t, `{"hook_event_name":"BeforeModel","llm_request":{"model":"n","messages":[]}}`, c.ClientInput)
		v = decideGemini("BeforeModel", printed(specific(`"llm_request":"x"`)))
		require.False(t, gemini.Dialect.Propagate(&c, &v))
		v = decideGemini("BeforeModel", printed(specific(`"llm_response":{}`)))
		require.False(t, gemini.Dialect.Propagate(&c, &v))
	})
	t.Run("context is added to the prompt", func(t *testing.T) {
		c := call("BeforeAgent", `"prompt":"go"`)
		v := decideGemini("BeforeAgent", printed(specific(`"additionalContext":"C \"1\""`)))
		require.True(t, gemini.Dialect.Propagate(&c, &v))
		require.Equal(t, `{"hook_event_name":"BeforeAgent","prompt":"go\n\nC \"1\""}`, c.ClientInput)
	})
	t.Run("nothing else is handed on", func(t *testing.T) {
		c := call("AfterTool", `"tool_name":"x","tool_response":{"llmContent":"r"}`)
		before := c
		v := decideGemini("AfterTool", printed(specific(`"additionalContext":"C"`)))
		require.False(t, gemini.Dialect.Propagate(&c, &v))
		require.Equal(t, before, c)
	})
}

// geminiOracle is what the client makes of a hook's output at BeforeTool, read by encoding/json, which knows nothing of hookrun.
func geminiOracle(stdout, stderr string, code int) (decision protocol.Decision, stop bool) {
	all := func(s string) string {
		c := dialect.Capture{Head: []byte(s), Total: int64(len(s))}
		return strings.Trim(c.All(), jsSpace)
	}
	text := cmp.Or(all(stdout), all(stderr))
	var value any
	err := json.Unmarshal([]byte(text), &value)
	if inner, ok := value.(string); ok && err == nil {
		value = nil
		err = json.Unmarshal([]byte(inner), &value)
	}
	object, _ := value.(map[string]any)
	switch {
	case err != nil && text != "" && code > 1:
		return protocol.Block, false
	case object["continue"] == false:
		return protocol.Block, true
	case object["decision"] == "deny", object["decision"] == "block":
		return protocol.Block, false
	case object["decision"] == "ask":
		return protocol.Ask, false
	}
	return protocol.Continue, false
}

// FuzzGeminiJudge holds the judge against the oracle, on the three kinds of exit.
func FuzzGeminiJudge(f *testing.F) {
	for _, s := range []string{
		"", "text", "{}", "{", "null", "[]", "42", `"x"`, `"{}"`, `"\"{}\""`, `{"decision":"deny","reason":"r"}`, `"{\"decision\":\"deny\"}"`, `{"decision":"allow","decision":"block"}`,
		`{"decision":"ask"}`, `{"decision":"Deny"}`, `{"continue":false}`, `{"continue":"false"}`, `{"\u0064ecision":"deny"}`, "\ufeff{\"decision\":\"deny\"}", "\u0085{\"decision\":\"deny\"}",
		`{"decision":"deny"} x`, `x {"decision":"deny"}`, `{"hookSpecificOutput":{"tool_input":{"a":1},"permissionDecision":"deny"}}`, `{"hookSpecificOutput":[]}`, "{\"reason\":\"\xff\"}", `{"desicion":"deny"}`,
	} {
		for code := range uint8(3) {
			f.Add(s, "", code)
			f.Add("", s, code)
			f.Add(s, "stderr", code)
		}
	}
	f.Fuzz(func(t *testing.T, stdout, stderr string, code uint8) {
		if strings.Count(stdout+stderr, "[")+strings.Count(stdout+stderr, "{") > 9_000 {
			return // depth is limited, and not to the same by all
		}
		r := exited(int(code), stdout, stderr)
		v, strict := decideGemini("BeforeTool", r), decideGemini("BeforeTool", r, onFailure(protocol.Block))
		decision, stop := geminiOracle(stdout, stderr, int(code))
		require.Equal(t, decision, v.Decision)
		require.Equal(t, stop, v.Stop)
		require.Equal(t, v.Decision != protocol.Continue, v.Status == protocol.StatusBlocked)
		require.False(t, v.Approved || strict.Approved)
		require.LessOrEqual(t, strict.Decision, v.Decision, "a policy that blocks never makes a verdict milder")
		warnings := strings.Join(v.Warnings, "\n")
		doubted := strings.Contains(warnings, "takes for none") || strings.Contains(warnings, "which was therefore not read")
		require.Equal(t, v.Status == protocol.StatusFailed || doubted && v.Decision == protocol.Continue, strict.Decision != v.Decision)
		require.Empty(t, v.Context)
	})
}

// The output form, read again by the dialect, means the same.
func TestGeminiOutput(t *testing.T) {
	inject := []protocol.Inject{{Content: "one"}, {Content: "<two>"}}
	for name, test := range map[string]struct {
		outcome protocol.Outcome
		want    string
	}{
		"nothing":              {protocol.Outcome{Event: "BeforeTool", Decision: protocol.Continue}, `{}`},
		"block":                {protocol.Outcome{Event: "BeforeTool", Decision: protocol.Block, Reason: "R"}, `{"decision":"deny","reason":"R"}`},
		"block, by TENEX name": {protocol.Outcome{Event: "pre-tool", Decision: protocol.Block, Reason: "R"}, `{"decision":"deny","reason":"R"}`},
		"the zero outcome":     {protocol.Outcome{Event: "BeforeTool"}, `{"decision":"deny"}`},
		"ask":                  {protocol.Outcome{Event: "BeforeTool", Decision: protocol.Ask, Reason: "R"}, `{"decision":"ask","reason":"R"}`},
		"ask after the tool":   {protocol.Outcome{Event: "AfterTool", Decision: protocol.Ask, Reason: "R"}, `{"decision":"deny","reason":"R\n\nhookrun: a hook said ask, and a hook of Gemini CLI cannot say that here, so it is a block"}`},
		"defer":                {protocol.Outcome{Event: "BeforeTool", Decision: protocol.Defer, Reason: "R"}, `{"decision":"deny","reason":"R\n\nhookrun: a hook said defer, and a hook of Gemini CLI cannot say that here, so it is a block"}`},
		"approved":             {protocol.Outcome{Event: "BeforeTool", Decision: protocol.Continue, Approved: true, Reason: "R"}, `{}`},
		"stop":                 {protocol.Outcome{Event: "BeforeAgent", Decision: protocol.Continue, Stop: true, StopReason: "S"}, `{"continue":false,"stopReason":"S"}`},
		"rewrite":              {protocol.Outcome{Event: "BeforeTool", Decision: protocol.Continue, UpdatedInput: []byte(`{"a":"<"}`)}, `{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"a":"<"}}}`},
		"messages":             {protocol.Outcome{Event: "BeforeTool", Decision: protocol.Continue, SystemMessages: []string{"a", "b"}}, `{"systemMessage":"a\nb"}`},
		"context":              {protocol.Outcome{Event: "BeforeAgent", Decision: protocol.Continue, Inject: inject}, `{"hookSpecificOutput":{"hookEventName":"BeforeAgent","additionalContext":"one\n\n<two>"}}`},
		"context before a tool": {protocol.Outcome{Event: "BeforeTool", Decision: protocol.Continue, Inject: inject},
			`{"systemMessage":"hookrun: Gemini CLI cannot give the model this at BeforeTool:\none\n\n<two>"}`},
		"context beside a block": {protocol.Outcome{Event: "AfterTool", Decision: protocol.Block, Reason: "R", Inject: inject}, `{"decision":"deny","reason":"R\n\none\n\n<two>"}`},
		"a new result":           {protocol.Outcome{Event: "AfterTool", Decision: protocol.Continue, UpdatedOutput: []byte(`"clean"`), Inject: inject[:1]}, `{"decision":"deny","reason":"clean\n\none"}`},
		"a block and a new result": {protocol.Outcome{Event: "AfterTool", Decision: protocol.Block, Reason: "R", UpdatedOutput: []byte(`"clean"`)},
			`{"decision":"deny","reason":"R"}`},
		"a hook without an answer": {protocol.Outcome{Event: "BeforeTool", Decision: protocol.Continue, Hooks: []protocol.HookReport{{Name: "h", Status: protocol.StatusTimeout, Cause: protocol.CauseTimeout}}},
			`{"systemMessage":"hookrun: hook 'h' gave no answer (timeout), so it did not check this"}`},
		"a stop and a block": {protocol.Outcome{Event: "BeforeTool", Decision: protocol.Block, Reason: "R", Stop: true, StopReason: "S"},
			`{"continue":false,"stopReason":"S","decision":"deny","reason":"R","systemMessage":"R"}`},
		"a stop and a context": {protocol.Outcome{Event: "BeforeAgent", Decision: protocol.Continue, Stop: true, StopReason: "S", Inject: inject[:1]},
			`{"continue":false,"stopReason":"S","systemMessage":"S\nhookrun: Gemini CLI cannot give the model this at BeforeAgent:\none"}`},
		"a stop and a message": {protocol.Outcome{Event: "AfterAgent", Decision: protocol.Continue, Stop: true, StopReason: "S", SystemMessages: []string{"m"}},
			`{"continue":false,"stopReason":"S","systemMessage":"S\nm"}`},
		"what only the client can use": {protocol.Outcome{Event: "AfterAgent", Decision: protocol.Continue, Other: protocol.Fields{{Key: "clearContext", Value: []byte("true")}, {Key: "watchPaths", Value: []byte("[]")}}},
			`{"hookSpecificOutput":{"hookEventName":"AfterAgent","clearContext":true}}`},
	} {
		t.Run(name, func(t *testing.T) {
			line, _, err := gemini.Dialect.EncodeOutput(test.outcome)
			require.NoError(t, err)
			require.Equal(t, test.want, string(line))
			event := test.outcome.Event.Gemini()
			v := decideGemini(event, printed(string(line)))
			require.Equal(t, test.outcome.Decision != protocol.Continue || test.outcome.UpdatedOutput != nil, v.Decision != protocol.Continue)
			require.Equal(t, test.outcome.Stop, v.Stop)
			require.Equal(t, string(test.outcome.UpdatedInput), string(v.UpdatedInput))
			require.Empty(t, v.Warnings)
		})
	}
	t.Run("context of a tool that failed is for the user", func(t *testing.T) {
		c, _, err := all.ParseInput(recordedAfterTool)
		require.NoError(t, err)
		r := printed(specific(`"additionalContext":"C"`))
		v := gemini.Dialect.Decode(&c, "h", &r)
		line, _, err := gemini.Dialect.EncodeOutput(dialect.Merge(&c, []dialect.HookVerdict{{Verdict: v, Dialect: gemini.Dialect}}))
		require.NoError(t, err)
		require.Contains(t, string(line), `"systemMessage":"hookrun: Gemini CLI cannot give the model this at AfterTool:\nC"`)
	})
}

func TestGeminiEqualKeys(t *testing.T) {
	for _, answer := range []string{`{"decision":"deny","decision":"allow"}`, `{"hookSpecificOutput":{"tool_input":{"a":1},"tool_input":{}}}`} {
		c := protocol.Call{Event: "BeforeTool", Tool: "run_shell_command"}
		v := gemini.Dialect.Decode(&c, "h", &dialect.HookResult{Stdout: dialect.Capture{Head: []byte(answer), Total: int64(len(answer))}})
		open := gemini.Dialect.ApplyFailurePolicy(&c, v)
		require.Equal(t, protocol.Continue, open.Decision, "the last counts, as in the client")
		require.Len(t, open.Warnings, 1)
		require.Contains(t, open.Warnings[0], "twice in its answer")
		closed := gemini.Dialect.ApplyFailurePolicy(&c, v, protocol.FailurePolicy{protocol.CauseOutput: protocol.Block})
		require.Equal(t, []any{protocol.Block, protocol.CauseOutput}, []any{closed.Decision, closed.Cause})
	}
}
