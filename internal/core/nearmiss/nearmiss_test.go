package nearmiss_test

import (
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/nearmiss"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

const denied = `{"decision":"block","reason":"no"}`

func utf16Text(s string, big bool) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(s)) {
		if big {
			b.Write([]byte{byte(u >> 8), byte(u)})
		} else {
			b.Write([]byte{byte(u), byte(u >> 8)})
		}
	}
	return b.String()
}

// Each of these begins a JSON value, or something like one, with a key of an answer.
func TestSigns(t *testing.T) {
	for text, want := range map[string]string{
		denied:                                    `"decision"`,
		`{"desicion":"block"}`:                    `"desicion" for "decision"`,
		`{"decision ":"block"}`:                   `"decision " for "decision"`,
		`{"Decision":"block"}`:                    `"Decision" for "decision"`,
		`{"permission_decision":"deny"}`:          `"permission_decision" for "permissionDecision"`,
		`{"descion":"block"}`:                     `"descion" for "decision"`,
		`{"\u0064esicion":"block"}`:               `"desicion" for "decision"`,
		`{"action":"deny"}`:                       `"action": "deny" for "decision"`,
		`{"action":"Deny "}`:                      `"action": "Deny " for "decision"`,
		`{"permission":"deny"}`:                   `"permission": "deny" for "decision"`,
		`{"status":"denied"}`:                     `"status": "denied" for "decision"`,
		`{"final_decision":"deny"}`:               `"final_decision": "deny" for "decision"`,
		`{"block":true}`:                          `"block": true for "decision"`,
		`{"block":1}`:                             `"block": 1 for "decision"`,
		`{"Allowed":false}`:                       `"Allowed": false for "decision"`,
		`{"isAllowed":"no"}`:                      `"isAllowed": "no" for "decision"`,
		`{"block":"Ask first."}`:                  `"block": "Ask first." for "decision"`,
		`{"stop":true}`:                           `"stop": true for "decision"`,
		`{"tool_input":{"command":"ls"}}`:         `"tool_input" for "updatedInput"`,
		`{"blockReason":"x"}`:                     `"blockReason": "x" for "decision"`,
		`{"deny_reason":"x"}`:                     `"deny_reason": "x" for "decision"`,
		`{"preventExecution":true}`:               `"preventExecution": true for "decision"`,
		`{"allow_tool":"no"}`:                     `"allow_tool": "no" for "decision"`,
		`{"resolution":"deny"}`:                   `"resolution": "deny" for "decision"`,
		`{"must_block":true}`:                     `"must_block": true for "decision"`,
		`{"execution_allowed":false}`:             `"execution_allowed": false for "decision"`,
		`{"execution_blocked":true}`:              `"execution_blocked": true for "decision"`,
		`{"command_blocked":true}`:                `"command_blocked": true for "decision"`,
		`{"request_denied":true}`:                 `"request_denied": true for "decision"`,
		`{"should_continue":false}`:               `"should_continue": false for "decision"`,
		`{"continueExecution":false}`:             `"continueExecution": false for "decision"`,
		`{"can_proceed":false}`:                   `"can_proceed": false for "decision"`,
		`{"was_blocked":true}`:                    `"was_blocked": true for "decision"`,
		`{"will_block":true}`:                     `"will_block": true for "decision"`,
		`{"access_denied":true}`:                  `"access_denied": true for "decision"`,
		`{"can_execute":false}`:                   `"can_execute": false for "decision"`,
		`{"should_run":"no"}`:                     `"should_run": "no" for "decision"`,
		`{"run":false}`:                           `"run": false for "decision"`,
		`{"must_not_run":true}`:                   `"must_not_run": true for "decision"`,
		`{"toolCallBlocked":true}`:                `"toolCallBlocked": true for "decision"`,
		`{"has_been_denied":true}`:                `"has_been_denied": true for "decision"`,
		`{"should_cancel":true}`:                  `"should_cancel": true for "decision"`,
		`{"cancel":true}`:                         `"cancel": true for "decision"`,
		`{"decisions":[1]}`:                       `"decisions" for "decision"`,
		`{"desicion":["block"]}`:                  `"desicion" for "decision"`,
		`{"system_message":{"text":"x"}}`:         `"system_message" for "systemMessage"`,
		`{"blocked":1,"score":9}`:                 `"blocked": 1 for "decision"`,
		`{"accepted":3,"rejected":true}`:          `"rejected": true for "decision"`,
		`{"status":"approved"}`:                   `"status": "approved" for "decision"`,
		`{"status":"denied","by":"ci"}`:           `"status": "denied" for "decision"`,
		`{"isDeferCall":true}`:                    `"isDeferCall": true for "decision"`,
		`{"stopReason":"x"}`:                      `"stopReason"`,
		`{"hookSpecificOutput":{"desicion":"x"}}`: `"hookSpecificOutput" "desicion" for "decision"`,
		`{"hook_specific_output":{"block":true}}`: `"hook_specific_output" for "hookSpecificOutput" "block": true ` +
			`for "decision"`,
		"debug\n" + denied:              `"decision"`,
		"debug\r" + denied:              `"decision"`,
		"debug\u2028" + denied:          `"decision"`,
		"\ufeff\ufeff" + denied:         `"decision"`,
		"\u200b \t" + denied:            `"decision"`,
		"\x1b[31m" + denied + "\x1b[0m": `"decision"`,
		"\x1b[1;39m{\n \x1b[0m\x1b[34;1m\"decision\"\x1b[0m:\x1b[32m\"block\"\x1b[0m}": `"decision"`,
		"\x1b]0;title\a" + denied:                 `"decision"`,
		"[" + denied + "]":                        `"decision"`,
		"[[" + denied:                             `"decision"`,
		denied + ";":                              `"decision"`,
		"{\"deci\x7fsion\":\"block\"}":            `"decision"`,
		`{"decision":"blo`:                        `"decision"`,
		`{"decision"`:                             `"decision"`,
		"x\n{\"decision\": ":                      `"decision"`,
		"x\n{\"permissionDec":                     `"permissionDecision"`,
		"x\n{'decision': 'block'}":                `"decision"`,
		"x\n{decision: block}":                    `"decision"`,
		"x\n{“decision”: “block”}":                `"“decision”" for "decision"`,
		"x\n{\n  \"decision\"\n :\n \"block\"\n}": `"decision"`,
		"[INFO] x\n" + denied:                     `"decision"`,
		"[INFO x\n" + denied:                      `"decision"`,
		"{ {\"decision\":\"block\"} }":            `"decision"`,
		"[1, 2)\n{\"a\":{\n" + denied:             `"decision"`,
		"```json\n" + denied + "\n```":            `"decision"`,
		"'" + denied + "'":                        `"decision"`,
		`"` + denied + `"`:                        `"decision"`,
		`"{\"decision\":\"block\"}"`:              `"decision"`,
		"\"a\": 1, \"decision\": \"block\"}":      `"decision"`,
		"  \"decision\": \"block\",":              `"decision"`,
		utf16Text(denied, false):                  `"decision"`,
		"\xff\xfe" + utf16Text(denied, false):     `"decision"`,
		"\xfe\xff" + utf16Text(denied, true):      `"decision"`,

		`{"decision":"block","tool_name":"x","hook_event_name":"PreToolUse","tool_input":{}}`: `"decision"`,
	} {
		t.Run(text, func(t *testing.T) {
			var signs []string
			for _, s := range nearmiss.Scan(text) {
				require.False(t, s.AfterText)
				if s.Key != "reason" {
					signs = append(signs, s.String())
				}
			}
			require.Equal(t, want, strings.Join(signs, " "))
		})
	}
}

// None of these is meant as an answer.
func TestNoSigns(t *testing.T) {
	for _, text := range []string{
		"", "text", "decision: block", "the decision is {block}", "{reason}", "[]", "[1,2]", `"deny"`, "{}", "}",
		"]{", `{"ok":true}`,
		`{"status":"ok","errors":0}`, `{"results":[{"reason":"x","decision":"keep"}]}`,
		`{"precision":0.9,"revision":"abc","region":"eu"}`,
		`{"reasons":["a"]}`, `{"resion":"no"}`, `{"blocked":["a"],"allowed":3}`, `{"locked":true}`,
		`{"black":"reformatted"}`, `{"run":true}`, `{"run":0,"failed":2}`, `{"should_continue":true}`,
		`{"status":"approved","by":"ci"}`,
		`{"event":"pre-tool","tool":"shell","args":{"decision":"keep"},"hook_event_name":"PreToolUse",` +
			`"tool_input":{"action":"deny"}}`,
		`{"hook_event_name":"SessionEnd","reason":"exit"}`, `{"event":"pre-tool","tool":"x","tool_input":{}}`,
		`{"action":"opened","status":"done"}`, `{"tool_name":"Bash","tool_input":{"command":"ls"}}`,
		`{"blockReason":"","interrupt":false,"preventExecution":false,"resolution":"fixed"}`, `{"blockCommand":"ls"}`,
		`{"decision":null,"reason":null}`, `[INFO] done`, `{"version":1,"data":{"reason":"x","tool_input":{}}}`,
		"[\n  {\n    \"rule\": {\n      \"reason\": \"x\"\n    }\n  }\n]",
	} {
		require.Empty(t, nearmiss.Scan(text), text)
	}
}

func TestPlaces(t *testing.T) {
	signs := nearmiss.Scan("one\nDEBUG: " + denied + "\n" +
		`{"data":{"hookSpecificOutput":{"permissionDecision":"deny"}}}`)
	require.Equal(t, 2, signs[0].Line)
	require.True(t, signs[0].AfterText)
	require.True(t, signs[0].Decides())
	require.False(t, signs[1].Decides())
	require.Equal(t, nearmiss.Nested, signs[2].Place)
	require.Equal(t, 3, signs[2].Line)
	require.False(t, signs[2].AfterText)

	signs = nearmiss.Scan(`[1) {"a":2]} ` + denied)
	require.NotEmpty(t, signs, "behind brackets that do not match")
	require.True(t, signs[0].AfterText)
}

// Scan takes time linear in the text, whatever its brackets are.
func TestScanIsLinear(t *testing.T) {
	testall.Alone(t)
	for _, piece := range []string{"[", "{", "[\n", "{\n", "{\"a\":\n", "\"", "\\\"", "\"\n", "{'\n", "]", "{]\n",
		"x{", "\x1b[", "\x1b]", "[}", "{\"decision\":\n", "{\"reason\":{\n", "'", "`", "\xff", "{\x00"} {
		size := testall.Of(256<<10, 2<<20)
		begin := time.Now()
		require.LessOrEqual(t, len(nearmiss.Scan(strings.Repeat(piece, size/len(piece)))), 20)
		require.Less(t, time.Since(begin), time.Minute, "%q: the square of it would take hours", piece)
	}
}

// Open brackets cost no memory for ever, and what stands behind thousands of them is seen.
func TestScanOfManyOpenBrackets(t *testing.T) {
	testall.Alone(t)
	for _, piece := range []string{"{", "[", "{\"a\":", "[\n"} {
		text := strings.Repeat(piece, testall.Of(1<<20, 4<<20)/len(piece))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		nearmiss.Scan(text)
		runtime.ReadMemStats(&after)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16<<20), piece)
		signs := nearmiss.Scan(text + `{"decision":"block"`)
		require.Len(t, signs, 1, piece)
		require.Equal(t, "decision", signs[0].Intended)
	}
}

func FuzzScan(f *testing.F) {
	for _, s := range []string{denied, "x\n" + denied, "[INFO\n{\"a\":[}\n" + denied, "\"{\\\"decision\\\":1}\"",
		"\x1b]0;{", "{'a", "{\"decision\"", "{'\x1b "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		signs := nearmiss.Scan(text)
		require.LessOrEqual(t, len(signs), 20)
		for _, s := range signs {
			require.NotEmpty(t, s.Key)
			require.Contains(t, append(nearmiss.Keys(), ""), s.Intended)
			require.LessOrEqual(t, s.Line, strings.Count(text, "\n")+1+strings.Count(text, `\`))
		}
		// Whatever text stands before it, an answer on a line of its own is seen.
		found := false
		for _, s := range nearmiss.Scan(text + "\n" + denied) {
			found = found || s.Intended == "decision" || s.Intended != "" && len(signs) >= 20
		}
		require.True(t, found || len(signs) >= 20)
	})
}
