package gemini

import (
	"errors"
	"strings"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// validWords is how an answer says yes and no.
const validWords = `an answer is {"decision": "deny", "ask" or "allow", "reason": "…"}`

// Decode reads, in this order: no start, deadline, text, exit code. The text is stdout's, or stderr's where stdout is
// blank.
func (hooks) Decode(c *dialect.Call, hook string, r *dialect.HookResult) dialect.Verdict {
	m := ruleOf(eventOf(c))
	who := dialect.Who(m.Name, hook)
	if v, none := r.NoAnswer(who); none {
		return v
	}
	text := dialect.TrimJS(r.Stdout.All())
	if text == "" {
		text = dialect.TrimJS(r.Stderr.All())
	}
	code := r.ExitCode
	if r.Signal != "" {
		code = 0 // as far as a text is concerned
	}
	v := dialect.OK()
	var odd error // what of the answer means nothing to the client, though it was meant
	answer, isJSON := dialect.JSONOrQuoted(text)
	switch {
	case isJSON && answer.IsObject():
		if v, odd = m.answer(who, answer); odd == nil && v.Decision == protocol.Continue && v.Doubt == "" {
			own := append([]string{"tool_input"}, m.FieldKeys()...)
			v.NoteDoubt(who, client, dialect.DoubtOf(answer, validWords, own...))
		}
		v.Answered = true
	case isJSON:
		odd = dialect.WrongType("the answer", "a JSON object", answer)
	case text == "":
	case code > 1:
		if m.Can&dialect.Block != 0 {
			v.Decide(protocol.Block, text)
			return v
		}
	case code == 1:
		v.SystemMessage = "Warning: " + text
	default:
		v.SystemMessage = text
		if odd = lost(text); odd == nil {
			v.Doubt = dialect.DoubtOfText(who, text)
		}
	}
	if v.Decision != protocol.Continue { // a deny stands, however its author ended
		// but no hook behind it sees what else it said
		if v.Decision == protocol.Block && (r.ExitCode != 0 || r.Signal != "") {
			v.UpdatedInput, v.Context = nil, ""
		}
		return v
	}
	v.Cause, v.Problem = r.Ended(who)
	switch {
	case code != 0 && text == "":
		v.Problem += " and printed nothing, which blocks nothing; print the reason"
	case v.Problem != "":
	case odd != nil:
		v.Cause, v.Problem = protocol.CauseOutput, who+" gave an answer that means nothing: "+odd.Error()
		odd = nil
	default:
		v.Answered = false
		return dialect.DoubtEqualKeys(who, answer, v)
	}
	v.Status = dialect.StatusFailed
	if odd != nil {
		v.Problem += ", and its answer means nothing: " + odd.Error()
	}
	return dialect.DoubtEqualKeys(who, answer, v)
}

// lost says of a text that is a message to the user why it may have been meant as an answer.
func lost(text string) error {
	switch {
	case strings.HasPrefix(text, "{"):
		return errors.New("it begins with { and is no JSON, or has something behind it; print the JSON alone")
	case strings.Contains(text, `"decision"`), strings.Contains(text, `"permissionDecision"`):
		return errors.New("there is text around its JSON, so that was not read; print the JSON alone")
	}
	return nil
}
