package gemini

import (
	"errors"
	"strings"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/nearmiss"
	"github.com/hookrun/hookrun/protocol"
)

// validWords shows the answers that the client reads, for messages.
const validWords = `an answer is {"decision": "deny", "ask" or "allow", "reason": "…"}`

// Decode checks, in this order: the start, the timeout, the text, the exit code. The text is stdout, or stderr if
// stdout is blank.
func (hooks) Decode(c *dialect.Call, hook string, r *dialect.HookResult) dialect.Verdict {
	m := ruleOf(eventOf(c))
	who := dialect.MessagePrefix(m.Name, hook)
	if v, ok := r.NoAnswer(who); ok {
		return v
	}
	text := client.TrimJS(r.Stdout.All())
	if text == "" {
		text = client.TrimJS(r.Stderr.All())
	}
	code := r.ExitCode
	if r.Signal != "" {
		code = 0 // for reading the text
	}
	v := dialect.OK()
	var ignored error // about a part of the answer that the client ignores
	answer, isJSON := client.JSONOrQuoted(text)
	switch {
	case isJSON && answer.IsObject():
		if v, ignored = m.answer(who, answer); ignored == nil && v.Decision == protocol.Continue && v.Doubt == "" {
			own := append([]string{"tool_input"}, m.FieldKeys()...)
			v.NoteDoubt(who, clientName, nearmiss.MisspelledBlock(answer, validWords, own...))
		}
		v.Answered = true
	case isJSON:
		ignored = dialect.WrongType("the answer", "a JSON object", answer)
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
		if ignored = misplacedAnswer(text); ignored == nil {
			v.Doubt = nearmiss.MisspelledBlockInText(who, text)
		}
	}
	if v.Decision != protocol.Continue { // a deny counts, however the process ended
		// later hooks do not see the other parts of this answer
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
	case ignored != nil:
		v.Cause, v.Problem = protocol.CauseOutput, who+" gave an answer that means nothing: "+ignored.Error()
		ignored = nil
	default:
		v.Answered = false
		return client.DoubtEqualKeys(who, answer, v)
	}
	v.Status = dialect.StatusFailed
	if ignored != nil {
		v.Problem += ", and its answer means nothing: " + ignored.Error()
	}
	return client.DoubtEqualKeys(who, answer, v)
}

// misplacedAnswer returns an error if a message to the user may have been meant as an answer.
func misplacedAnswer(text string) error {
	switch {
	case strings.HasPrefix(text, "{"):
		return errors.New("it begins with { and is no JSON, or has something behind it; print the JSON alone")
	case strings.Contains(text, `"decision"`), strings.Contains(text, `"permissionDecision"`):
		return errors.New("there is text around its JSON, so that was not read; print the JSON alone")
	}
	return nil
}
