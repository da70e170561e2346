package copilot

import (
	"fmt"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// noReason stands where a hook denies and says not why, and noQuestion where one asks so, in the client's words.
const (
	noReason   = "Blocked by hook"
	noQuestion = "No reason provided"
)

// fields are what an answer says, and which of its keys mean something.
type fields struct {
	top, within map[string]gjson.Result
	read        []string // keys that mean something, as "key" or "hookSpecificOutput.key"
}

// within is the prefix of keys in hookSpecificOutput.
const within = "hookSpecificOutput."

// value is a field of the answer's top level, or where inner names one in hookSpecificOutput that is there, that.
func (f *fields) value(key, inner string) gjson.Result {
	if v := f.within[inner]; v.Type != gjson.Null {
		f.read = append(f.read, within+inner, key)
		return v
	}
	f.read = append(f.read, key)
	return f.top[key]
}

// answer says what a JSON object means. Of two equal keys the last counts.
func (m rule) answer(who string, camel bool, object gjson.Result) dialect.Verdict {
	v := dialect.OK()
	f := &fields{top: dialect.LastOf(object)}
	inner := map[string]string{}
	if m.Name == "PreToolUse" && !camel { // elsewhere hookSpecificOutput means nothing
		f.within = dialect.LastOf(f.top["hookSpecificOutput"])
		for _, key := range []string{"permissionDecision", "permissionDecisionReason", "additionalContext"} {
			inner[key] = key
		}
		inner["modifiedArgs"] = "updatedInput"
	}
	if m.Can&dialect.Inject != 0 {
		v.Context = textOf(f.value("additionalContext", inner["additionalContext"]))
	}
	decided := true // in words that the client knows
	switch {
	case m.Name == "PreToolUse":
		decided = m.permit(&v, f, inner)
	case m.Name == "PermissionRequest":
		switch word := dialect.StringOf(f.value("behavior", "")); word {
		case "deny":
			v.Decide(protocol.Block, textOr(f.value("message", ""), noReason))
			if f.value("interrupt", "").Type == gjson.True {
				v.Stop, v.StopReason = true, v.Reason
			}
		case "allow":
			v.Approved, v.Own, v.Cause = true, allow, protocol.CausePolicy
		default:
			decided = word == ""
		}
	case m.Can&dialect.Block != 0:
		word, reason := dialect.StringOf(f.value("decision", "")), textOf(f.top["reason"])
		if m.Can&dialect.EndsTurn != 0 { // there the client makes no text of a number
			reason = dialect.StringOf(f.top["reason"])
		}
		if word == "block" && reason != "" {
			v.Decide(protocol.Block, reason)
		}
		if word == allow {
			v.Own = allow
		}
		decided = v.Decision == protocol.Block || word == allow || word == "" || word == "approve"
	}
	if result := f.top["modifiedResult"]; m.Name == "PostToolUse" && result.IsObject() {
		if text, ok := dialect.LastOf(result)["textResultForLlm"]; ok {
			f.read = append(f.read, "modifiedResult")
			v.UpdatedOutput = strictjson.Quote(strictjson.ValueText([]byte(text.Raw)))
		}
	}
	for _, key := range m.FieldKeys() {
		if value, ok := f.top[key]; ok {
			v.Other.Set(key, strictjson.Compact(nil, value.Raw))
		}
	}
	if v.Decision == protocol.Continue {
		v.Doubt = m.doubt(who, object, f, decided)
	}
	return v
}

// permit reads the answer before a tool, and reports whether its decision is a word of the client's.
func (m rule) permit(v *dialect.Verdict, f *fields, inner map[string]string) (decided bool) {
	decision := f.value("permissionDecision", inner["permissionDecision"])
	reason := f.value("permissionDecisionReason", inner["permissionDecisionReason"])
	switch word := dialect.StringOf(decision); word {
	case "deny":
		v.Decide(protocol.Block, textOr(reason, noReason))
		return true
	case "ask":
		v.Decide(protocol.Ask, textOr(reason, noQuestion))
		return true
	case "allow":
		v.Approve(textOf(reason))
	default:
		decided = true
		if decision.Type != gjson.Null {
			decided = false
		} else if reason.Type != gjson.Null {
			return false
		}
	}
	args := f.value("modifiedArgs", inner["modifiedArgs"])
	if text := dialect.StringOf(args); text != "" {
		if value, is := dialect.JSONValue(text); is {
			args = value
		}
	}
	if args.Exists() { // null, too: the client fails the call then
		v.UpdatedInput = dialect.Rewritten(args)
	}
	return decided || v.Approved
}

// deciding are keys of answers that hold a call up or change it, in any client's words.
var deciding = []string{"decision", "permissionDecision", "behavior", "modifiedArgs", "updatedInput", "tool_input",
	"modifiedResult", "modified_result", "updatedToolOutput", "updatedMCPToolOutput"}

// doubt says what of an answer the client takes for nothing and may have been meant to hold the call up or to change
// something; "" if there is nothing.
func (m rule) doubt(who string, object gjson.Result, f *fields, decided bool) string {
	meant := ""
	look := func(prefix string, level gjson.Result) {
		if !level.IsObject() { // the elements of a list have no keys
			return
		}
		level.ForEach(func(key, value gjson.Result) bool {
			name := strictjson.Text(key.Raw)
			known := slices.Contains(f.read, prefix+name) && (decided || name != "decision" && name != "behavior" &&
				name != "permissionDecision")
			word := dialect.StringOf(value)
			if slices.Contains(deciding, name) && !known && value.Type != gjson.Null && word != "allow" &&
				word != "approve" || name == "continue" && value.Type == gjson.False {
				meant = prefix + name
			}
			return meant == ""
		})
	}
	look("", object)
	look(within, f.top["hookSpecificOutput"])
	if meant != "" {
		return dialect.Doubted(who, client, fmt.Errorf("it has %q with a value that means nothing at %s; %s", meant,
			m.Name, m.words()))
	}
	if !decided {
		return dialect.Doubted(who, client, fmt.Errorf("it has a reason and no decision; %s", m.words()))
	}
	if len(f.top) > 0 && !slices.ContainsFunc(f.read, func(key string) bool { return f.top[key].Exists() }) {
		if err := dialect.DoubtOf(object, m.words(), m.FieldKeys()...); err != nil {
			return dialect.Doubted(who, client, err)
		}
	}
	return ""
}

// words is how an answer says no at the event.
func (m rule) words() string {
	switch {
	case m.Name == "PreToolUse":
		return `an answer is {"permissionDecision": "deny", "ask" or "allow", "permissionDecisionReason": "…"}, a ` +
			`rewrite {"modifiedArgs": {…}}`
	case m.Name == "PermissionRequest":
		return `an answer is {"behavior": "deny" or "allow", "message": "…"}`
	case m.Name == "PostToolUse":
		return `an answer is {"decision": "block", "reason": "…"}, or {"modifiedResult": {"textResultForLlm": "…"}}`
	case m.Can&dialect.Block != 0:
		return `an answer is {"decision": "block", "reason": "…"}`
	}
	return "nothing can be held up there"
}

// textOf is a text; any other value is shown as the JSON that it is, also null. It is "" where there is none.
func textOf(value gjson.Result) string {
	if !value.Exists() {
		return ""
	}
	return strictjson.ValueText([]byte(value.Raw))
}

func textOr(value gjson.Result, otherwise string) string {
	if text := textOf(value); text != "" && value.Type != gjson.Null {
		return text
	}
	return otherwise
}
