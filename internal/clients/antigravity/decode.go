package antigravity

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/nearmiss"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// validWords shows the answers that the client reads, for messages.
const validWords = `an answer is {"decision": "allow", "deny", "ask" or "force_ask", "reason": "…"}, or nothing at all`

// stopWords shows the answer that sends the agent on at the end of a turn.
const stopWords = `an answer is {"decision": "continue", "reason": "…"}, or nothing at all`

// defaultReason is the reason of a deny without a reason.
const defaultReason = "Denied by a hook"

// Decode reads the output of a hook. Before a tool a deny counts at every exit code. An exit code other than 0, plain
// text and an object without a decision block as well.
func (hooks) Decode(c *dialect.Call, hook string, r *dialect.HookResult) dialect.Verdict {
	m := events.Of(eventNamed(c))
	who := dialect.MessagePrefix(m.Name, hook)
	if v, ok := r.NoAnswer(who); ok {
		return v
	}
	text := strings.TrimSpace(r.Stdout.All())
	object, isJSON := client.JSONValue(text)
	isJSON = isJSON && object.IsObject() && r.Stdout.LeftOut() == 0
	fields := map[string]gjson.Result{}
	if isJSON {
		fields = dialect.LastOf(object)
	}
	word, reason := dialect.StringOf(fields["decision"]), dialect.StringOf(fields["reason"])
	v := dialect.OK()
	if m.Name == before && word == "deny" {
		v.Decide(protocol.Block, cmp.Or(reason, defaultReason))
		return v
	}
	if cause, problem := r.Ended(who); problem != "" {
		return dialect.Failed(cause, problem)
	}
	switch {
	case m.Can == 0: // the client reads no answer
		v.Doubt = nearmiss.MisspelledBlockInText(who, text)
		return v
	case text == "":
		return v
	case !isJSON:
		return dialect.Unreadable(who, "it is no JSON object; "+nearmiss.PrintAlone(text))
	case len(strictjson.Check(object.Raw, strictjson.MaxDepth)) > 0: // protobuf rejects equal keys
		return dialect.Unreadable(who, "it has a key twice; write it once")
	}
	switch m.Name {
	case before:
		return readDecision(c, v, who, word, reason, fields)
	case stop:
		if word == "continue" {
			v.Decide(protocol.Block, cmp.Or(reason, "A hook wants the agent to go on"))
		} else {
			v.NoteDoubt(who, clientName, nearmiss.MisspelledBlock(object, stopWords))
		}
		return v
	}
	return readTexts(v, who, fields)
}

// readDecision reads the decision about a tool call.
func readDecision(c *dialect.Call, v dialect.Verdict, who, word, reason string,
	fields map[string]gjson.Result) dialect.Verdict {
	switch word {
	case "allow":
		v.Approve(reason)
	case "ask", "force_ask", "deny_unless_prior_grant":
		v.Decide(protocol.Ask, cmp.Or(reason, "A hook wants to know whether the tool may run"))
	default:
		if fields["decision"].Exists() {
			return dialect.Unreadable(who, fmt.Sprintf(`its "decision" is %s; %s`, fields["decision"].Raw, validWords))
		}
		return dialect.Unreadable(who, `it has no "decision"; `+validWords)
	}
	if other := fields["overwrite"]; other.IsObject() {
		var args strictjson.Fields
		for _, from := range []gjson.Result{gjson.ParseBytes(clientArgs(c.Tool, gjson.Parse(c.Args))), other} {
			for key, value := range from.ForEach {
				args.Set(key.String(), []byte(value.Raw))
			}
		}
		v.UpdatedInput = []byte(argsOf(c.Tool, gjson.ParseBytes(dialect.ObjectOf(args))))
	}
	if fields["permissionOverrides"].IsArray() {
		v.Warnings = append(v.Warnings, who+` answered with "permissionOverrides", which hookrun does not pass on`)
	}
	return v
}

// readTexts reads the texts for the model.
func readTexts(v dialect.Verdict, who string, fields map[string]gjson.Result) dialect.Verdict {
	var texts []string
	for _, step := range fields["injectSteps"].Array() {
		text := cmp.Or(dialect.StringOf(step.Get("ephemeralMessage")), dialect.StringOf(step.Get("userMessage")))
		if text == "" {
			v.Warnings = append(v.Warnings, who+" wants a step that is no text, which hookrun does not pass on")
			continue
		}
		texts = append(texts, text)
	}
	if fields["terminationBehavior"].String() != "" {
		v.Warnings = append(v.Warnings, who+` answered with "terminationBehavior", which hookrun does not pass on`)
	}
	v.Context = strings.Join(texts, "\n\n")
	return v
}
