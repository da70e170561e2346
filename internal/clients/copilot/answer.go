package copilot

import (
	"fmt"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/nearmiss"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// noReason and noQuestion are the client's words for a deny and an ask without a reason.
const (
	noReason   = "Blocked by hook"
	noQuestion = "No reason provided"
)

// fields has the members of an answer, and records which keys have a meaning.
type fields struct {
	top, within map[string]gjson.Result
	read        []string // keys with a meaning, as "key" or "hookSpecificOutput.key"
}

// within is the prefix of keys in hookSpecificOutput.
const within = "hookSpecificOutput."

// value returns the field inner of hookSpecificOutput if it is not null, or else the top-level field key.
func (f *fields) value(key, inner string) gjson.Result {
	if v := f.within[inner]; v.Type != gjson.Null {
		f.read = append(f.read, within+inner, key)
		return v
	}
	f.read = append(f.read, key)
	return f.top[key]
}

// answer returns the verdict of a JSON object. The last of equal keys counts.
func (m rule) answer(who string, camel bool, object gjson.Result) dialect.Verdict {
	v := dialect.OK()
	f := &fields{top: dialect.LastOf(object)}
	inner := map[string]string{}
	if m.Name == "PreToolUse" && !camel { // no other event reads hookSpecificOutput
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
		if m.Can&dialect.EndsTurn != 0 { // here the client converts no number to a text
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

// permit reads the answer before a tool, and reports whether the client knows the word of the decision.
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
		if value, is := client.JSONValue(text); is {
			args = value
		}
	}
	if args.Exists() { // null, too: the client then fails the call
		v.UpdatedInput = client.Rewritten(args)
	}
	return decided || v.Approved
}

// deciding are keys that block or change a call, in the words of all clients.
var deciding = []string{"decision", "permissionDecision", "behavior", "modifiedArgs", "updatedInput", "tool_input",
	"modifiedResult", "modified_result", "updatedToolOutput", "updatedMCPToolOutput"}

// doubt returns a warning if the client ignores a part of the answer that may have been meant as a block or a change.
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
		return dialect.Doubted(who, clientName, fmt.Errorf("it has %q with a value that means nothing at %s; %s", meant,
			m.Name, m.words()))
	}
	if !decided {
		return dialect.Doubted(who, clientName, fmt.Errorf("it has a reason and no decision; %s", m.words()))
	}
	if len(f.top) > 0 && !slices.ContainsFunc(f.read, func(key string) bool { return f.top[key].Exists() }) {
		if err := nearmiss.MisspelledBlock(object, m.words(), m.FieldKeys()...); err != nil {
			return dialect.Doubted(who, clientName, err)
		}
	}
	return ""
}

// words shows valid answers at the event, for messages.
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
	return "nothing can be blocked there"
}

// textOf returns a text as written, any other value as JSON, and "" for a missing value.
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
