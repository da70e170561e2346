package gemini

import (
	"fmt"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// topLevel are the keys of an answer, as dialect.Misspelt needs them.
var topLevel = []dialect.Field{"decision", "reason", "continue", "stopReason", "suppressOutput", "systemMessage",
	"hookSpecificOutput"}

// foreignWords are keys that decide or rewrite in Claude Code's and Codex's answers. In this client they mean nothing.
var foreignWords = []string{"permissionDecision", "permissionDecisionReason", "updatedInput", "updatedToolOutput",
	"updatedMCPToolOutput"}

// answer returns the verdict of a JSON object. No type is converted, and the last of equal keys counts. ignoredPart is
// an error about a part that has no effect, but may have been meant to block or change the call.
func (m rule) answer(who string, object gjson.Result) (v dialect.Verdict, ignoredPart error) {
	v = dialect.OK()
	strange := func(format string, args ...any) {
		if ignoredPart == nil {
			ignoredPart = fmt.Errorf(format, args...)
		}
	}
	ignored := func(what string) { v.WarnIgnored(who, what, m.Name) }
	top := dialect.LastOf(object)
	v.Reason = client.MessageOf(top["reason"])
	if v.SystemMessage = client.MessageOf(top["systemMessage"]); client.MessageOf(top["suppressOutput"]) != "" {
		v.SystemMessage = ""
	}
	switch decision := top["decision"]; {
	case decision.Type == gjson.Null: // or missing
	case decision.Type != gjson.String:
		strange("%w", dialect.WrongType("decision", "a string", decision))
	default:
		m.decide(&v, strictjson.Text(decision.Raw), strange, ignored)
	}
	switch goOn := top["continue"]; {
	case goOn.Type == gjson.Null, goOn.Type == gjson.True:
	case goOn.Type != gjson.False:
		strange("%w", dialect.WrongType("continue", "true or false", goOn))
	case m.Can&dialect.Stop == 0:
		ignored(`"continue": false`)
	default:
		v.Stop, v.StopReason = true, client.MessageOf(top["stopReason"])
		if m.Name == "BeforeTool" { // the client does not run this call either
			v.Decide(protocol.Block, v.Reason)
		}
	}
	if why := client.MessageOf(top["stopReason"]); why != "" && v.Decision == protocol.Block &&
		(m.Name == "BeforeModel" ||
			m.Name == "AfterModel") {
		v.Reason = why // at other events only a stop has a stopReason
	}
	specific := top["hookSpecificOutput"]
	if specific.Type != gjson.Null && !specific.IsObject() {
		strange("%w", dialect.WrongType("hookSpecificOutput", "an object", specific))
	}
	within := dialect.LastOf(specific)
	m.specific(&v, within, strange, ignored)
	for _, fields := range []map[string]gjson.Result{top, within} {
		m.checkForeign(&v, who, fields, strange)
	}
	for key := range object.ForEach {
		switch name := strictjson.Text(key.Raw); {
		case name == "tool_input", name == "additionalContext":
			lost := fmt.Sprintf("%s answered with %q at the top of its JSON, where it means nothing; it belongs in "+
				"hookSpecificOutput", who, name)
			if name == "tool_input" && v.Doubt == "" { // a rewrite
				v.Doubt = lost
			} else {
				v.Warnings = append(v.Warnings, lost)
			}
		case slices.Contains(foreignWords, name), slices.ContainsFunc(topLevel,
			func(f dialect.Field) bool { return f.Key() == name }):
		default:
			if meant := client.Misspelt(name, topLevel); meant != "" {
				strange("it has %q for %q", name, meant)
			}
		}
	}
	return v, ignoredPart
}

// decide reads a decision. An unknown word fails open.
func (m rule) decide(v *dialect.Verdict, word string, strange func(string, ...any), ignored func(string)) {
	switch {
	case word == "allow", word == "approve", word == "":
	case word == "ask" && m.Name == "BeforeTool":
		v.Decide(protocol.Ask, v.Reason)
	case word == "ask":
		strange(`"decision": "ask" asks nobody at %s`, m.Name)
	case word != "deny" && word != "block":
		strange("decision %q does not exist; known are allow, deny, ask", word)
	case m.Can&dialect.Block == 0:
		ignored(fmt.Sprintf(`"decision": %q`, word))
	default:
		v.Decide(protocol.Block, v.Reason)
	}
}

// specific reads hookSpecificOutput. The client ignores its hookEventName.
func (m rule) specific(v *dialect.Verdict, fields map[string]gjson.Result, strange func(string, ...any),
	ignored func(string)) {
	if context := fields["additionalContext"]; context.Type == gjson.String && m.Can&dialect.Inject != 0 {
		v.Context = strictjson.Text(context.Raw)
	} else if context.Type != gjson.Null {
		ignored(`"additionalContext"`)
	}
	switch input := fields["tool_input"]; {
	case input.Type == gjson.Null:
	case m.Name != "BeforeTool":
		ignored(`"tool_input"`)
	case !input.IsObject():
		strange("%w", dialect.WrongType("tool_input", "an object", input))
	default: // also beside a deny: the next hook in turn sees it
		v.UpdatedInput = client.Rewritten(input)
	}
	for _, key := range m.FieldKeys() {
		if value, ok := fields[key]; ok {
			v.Other.Set(key, strictjson.Compact(nil, value.Raw))
		}
	}
}

// checkForeign reports an answer in the words of another client. An "allow" in them has no effect, as in this client.
func (m rule) checkForeign(v *dialect.Verdict, who string, fields map[string]gjson.Result, strange func(string,
	...any)) {
	for _, key := range foreignWords {
		switch value, ok := fields[key]; {
		case !ok || value.Type == gjson.Null:
		case key == "permissionDecisionReason", key == "permissionDecision" && value.String() == "allow":
			v.Warnings = append(v.Warnings, fmt.Sprintf("%s answered with %q, a word of Claude Code and Codex that "+
				"Gemini CLI does not read", who, key))
		default:
			strange(`%q is a word of Claude Code and Codex that Gemini CLI does not read; write "decision": "deny", `+
				`or "tool_input" in hookSpecificOutput`, key)
		}
	}
}
