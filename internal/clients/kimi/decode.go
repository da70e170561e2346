package kimi

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/nearmiss"
	"github.com/hookrun/hookrun/protocol"
)

// validWords shows the answers that block, for messages.
const validWords = `an answer that blocks is {"hookSpecificOutput": {"permissionDecision": "deny", ` +
	`"permissionDecisionReason": "…"}}, or exit 2 with the reason on stderr`

// answer has the parts of a hook's JSON that the client reads. The last of equal keys counts.
type answer struct {
	top, within map[string]gjson.Result
	message     string
}

func readAnswer(object gjson.Result) answer {
	a := answer{top: dialect.LastOf(object)}
	a.within = dialect.LastOf(a.top["hookSpecificOutput"])
	if _, has := messageOf(a.top); has {
		a.message, _ = messageOf(a.top)
	} else {
		a.message, _ = messageOf(a.within)
	}
	return a
}

// messageOf returns the text for the model. Numbers and booleans count as texts, other values do not.
func messageOf(fields map[string]gjson.Result) (text string, has bool) {
	switch v := fields["message"]; {
	case v.Type == gjson.String:
		return dialect.StringOf(v), true
	case v.Type == gjson.Number || v.IsBool():
		return v.Raw, true
	}
	return "", false
}

// Decode checks, in this order: the start, the timeout, the exit code, and stdout at exit 0 only.
func (hooks) Decode(c *dialect.Call, hook string, r *dialect.HookResult) dialect.Verdict {
	m := events.Of(eventOf(c))
	who := dialect.MessagePrefix(m.Name, hook)
	if v, ok := r.NoAnswer(who); ok {
		return v
	}
	v := dialect.OK()
	silent := fmt.Sprintf("Blocked by %s hook", m.Name)
	if r.ExitCode == 2 && r.Signal == "" && m.Can&dialect.Block != 0 {
		v.Decide(protocol.Block, cmp.Or(client.TrimJS(r.Stderr.All()), silent))
		return v
	}
	if cause, problem := r.Ended(who); problem != "" {
		return dialect.Failed(cause, problem)
	}
	text := client.TrimJS(r.Stdout.All())
	object, is := client.JSONValue(text)
	if is = is && object.IsObject() && r.Stdout.LeftOut() == 0; !is {
		object = gjson.Result{}
	}
	a := readAnswer(object)
	message := client.TrimJS(a.message)
	if dialect.StringOf(a.within["permissionDecision"]) == "deny" && m.Can&dialect.Block != 0 {
		reason := client.TrimJS(dialect.StringOf(a.within["permissionDecisionReason"]))
		if m.Can&dialect.Inject != 0 { // at the prompt the user reads the message
			reason = cmp.Or(message, reason)
		}
		v.Decide(protocol.Block, cmp.Or(reason, silent))
		return v
	}
	if m.Can&dialect.Inject != 0 {
		v.Context, v.Truncated = cmp.Or(message, text), r.Stdout.LeftOut() > 0
	} else if message != "" {
		v.Warnings = append(v.Warnings, fmt.Sprintf(`%s answered with a "message", which %s gives nobody there`, who,
			clientName))
	}
	if !is {
		if strings.HasPrefix(text, "{") {
			problem := dialect.Unreadable(who, "it begins with { and is no JSON, or has something behind it; "+
				nearmiss.PrintAlone(text))
			v.Problem, v.Cause, v.Status, v.Answered = problem.Problem, problem.Cause, problem.Status, true
			return v
		}
		v.Doubt = nearmiss.MisspelledBlockInText(who, r.Stdout.All())
		return v
	}
	v.NoteDoubt(who, clientName, a.doubt(m, object))
	return client.DoubtEqualKeys(who, object, v)
}

// doubt returns an error if an answer that does not block may have been meant as a block.
func (a *answer) doubt(m dialect.Event, object gjson.Result) error {
	word := dialect.StringOf(a.within["permissionDecision"])
	switch {
	case word == "deny":
		return fmt.Errorf("nothing can be blocked at %s", m.Name)
	case word == "ask":
		return errors.New(`"permissionDecision": "ask" asks nobody, and the tool runs; deny, or exit with 2`)
	case word != "" && word != "allow":
		return fmt.Errorf("permissionDecision %q does not exist; %s", word, validWords)
	case a.top["continue"].Type == gjson.False:
		return errors.New(`"continue": false means nothing; ` + validWords)
	case cmp.Or(dialect.StringOf(a.top["decision"]), "approve") != "approve":
		return fmt.Errorf(`"decision": %q means nothing; %s`, dialect.StringOf(a.top["decision"]), validWords)
	}
	for _, key := range []string{"updatedInput", "additionalContext", "updatedToolOutput"} {
		if a.within[key].Type != gjson.Null {
			return fmt.Errorf("%q means nothing; %s", key, validWords)
		}
	}
	return nearmiss.MisspelledBlock(object, validWords, "message")
}
