package vscode

import (
	"cmp"
	"fmt"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/nearmiss"
	"github.com/hookrun/hookrun/protocol"
)

// validWords shows the answers that block, for messages.
const validWords = `an answer that blocks is {"hookSpecificOutput": {"permissionDecision": "deny", ` +
	`"permissionDecisionReason": "…"}} before a tool, {"hookSpecificOutput": {"decision": "block", "reason": ` +
	`"…"}} at the end of a turn, else {"decision": "block", "reason": "…"}; exit 2 blocks everywhere`

// Decode reads the exit code, and stdout at exit 0 only. Exit 2 blocks, with stderr as the reason.
func (hooks) Decode(c *dialect.Call, hook string, r *dialect.HookResult) dialect.Verdict {
	m := events.Of(eventOf(c))
	who := dialect.MessagePrefix(m.Name, hook)
	if v, ok := r.NoAnswer(who); ok {
		return v
	}
	v, stderr := dialect.OK(), r.Stderr.Text()
	if r.Signal == "" && r.ExitCode == 2 && m.Can&dialect.Block != 0 && (stderr != "" || m.Can&dialect.EndsTurn == 0) {
		v.Decide(protocol.Block, cmp.Or(stderr, "an unexpected error occurred"))
		return v
	}
	if cause, problem := r.Ended(who); problem != "" {
		return dialect.Failed(cause, problem)
	}
	object, isJSON := client.JSONValue(r.Stdout.All())
	if !isJSON || !object.IsObject() || r.Stdout.LeftOut() > 0 {
		v.Doubt = nearmiss.MisspelledBlockInText(who, r.Stdout.All())
		return v
	}
	var elsewhere error
	a := answer{top: dialect.LastOf(object)}
	a.within = dialect.LastOf(a.top["hookSpecificOutput"])
	for _, level := range []*map[string]gjson.Result{&a.top, &a.within} { // what names another event does not count
		name, named := (*level)["hookEventName"]
		if named && name.Type == gjson.String && dialect.StringOf(name) != string(m.Name) {
			*level, elsewhere = nil, fmt.Errorf("its hookEventName is %.40s, so it is not for %s", name.Raw, m.Name)
		}
	}
	v.SystemMessage = dialect.StringOf(a.top["systemMessage"])
	if m.Can&dialect.Inject != 0 {
		v.Context = dialect.StringOf(a.within["additionalContext"])
	}
	word, why := a.decide(&v, m)
	switch decision, _ := dialect.PermissionWords.Decision(word); {
	case v.Stop && m.Can&dialect.EndsTurn != 0:
	case v.Stop:
		v.Decide(protocol.Block, v.StopReason)
	case word == "block" || word == "deny" || word == "ask":
		v.Decide(decision, cmp.Or(why, "Blocked by a hook"))
	case word == "allow":
		v.Approve(why)
	default:
		v.NoteDoubt(who, clientName, cmp.Or(elsewhere, a.ignored(m), nearmiss.MisspelledBlock(object, validWords)))
	}
	return client.DoubtEqualKeys(who, object, v)
}

// answer has the members of a hook's JSON. The last of equal keys counts.
type answer struct{ top, within map[string]gjson.Result }

// decide reads the word of a decision at its level, whether the turn ends, and another input of the tool. word is "" if
// the client knows none there.
func (a *answer) decide(v *dialect.Verdict, m dialect.Event) (word, why string) {
	reason := a.top["stopReason"]
	if (a.top["continue"].Type == gjson.False || reason.Type == gjson.String) && m.Can&dialect.Block != 0 {
		v.Stop, v.StopReason = true, cmp.Or(dialect.StringOf(reason), "Stopped by a hook")
	}
	if m.Name == "PreToolUse" {
		word = dialect.StringOf(a.within["permissionDecision"])
		why = dialect.StringOf(a.within["permissionDecisionReason"])
		if input := a.within["updatedInput"]; input.IsObject() && word != "deny" {
			v.UpdatedInput = client.Rewritten(input)
		}
		if word == "block" {
			word = ""
		}
		return word, why
	}
	level := a.top
	if m.Can&dialect.EndsTurn != 0 {
		level = a.within
	}
	why = dialect.StringOf(level["reason"])
	if dialect.StringOf(level["decision"]) == "block" && m.Can&dialect.Block != 0 &&
		(why != "" || m.Can&dialect.EndsTurn == 0) {
		word = "block"
	}
	return word, why
}

// ignored returns an error about a part that decides nothing at the event.
func (a *answer) ignored(m dialect.Event) error {
	for _, level := range []map[string]gjson.Result{a.top, a.within} {
		for _, key := range []string{"permissionDecision", "decision", "updatedToolOutput", "updatedInput",
			"continue"} {
			value, has := level[key]
			word := dialect.StringOf(value)
			if has && value.Type != gjson.Null && value.Type != gjson.True && word != "allow" && word != "approve" &&
				!(key == "updatedInput" && m.Name == "PreToolUse") {
				return fmt.Errorf("%q with the value %.40s means nothing at %s; %s", key, value.Raw, m.Name, validWords)
			}
		}
	}
	return nil
}
