package cline

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/nearmiss"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/protocol"
)

const (
	// control begins an output line that has an answer.
	control = "HOOK_CONTROL\t"
	// validWords shows an answer that blocks, for messages.
	validWords = `an answer is {"cancel": true, "errorMessage": "…"}`
)

// Decode reads the output of a hook, whatever the exit code.
func (hooks) Decode(c *dialect.Call, hook string, r *dialect.HookResult) dialect.Verdict {
	event := eventNamed(c)
	who := dialect.MessagePrefix(event, hook)
	if v, ok := r.NoAnswer(who); ok {
		return v
	}
	cause, problem := r.Ended(who)
	text := answerIn(r.Stdout.All())
	answer, isJSON := client.JSONValue(text)
	v := dialect.OK()
	switch {
	case !readsAnswer(event): // the client reads no answer
	case isJSON:
		v = readAnswer(event, who, c.Tool, answer)
	case problem == "" && text != "":
		return dialect.Unreadable(who, "it is no JSON; "+nearmiss.PrintAlone(text))
	}
	if problem != "" && v.Decision == protocol.Continue {
		v.Cause, v.Problem, v.Status, v.Answered = cause, problem, dialect.StatusFailed, isJSON
	}
	return v
}

// answerIn returns the part of the output that the client reads as JSON: the last control line, or else all output.
func answerIn(output string) string {
	lines := strings.Split(output, "\n")
	for i, line := range slices.Backward(lines) {
		if text, is := strings.CutPrefix(client.TrimJS(line), control); is && lines[i] != "" {
			return client.TrimJS(text)
		}
	}
	return client.TrimJS(output)
}

// readAnswer returns the verdict of an answer.
func readAnswer(e protocol.Event, who, tool string, answer gjson.Result) dialect.Verdict {
	v := dialect.OK()
	fields := dialect.LastOf(answer)
	context, message := fields["context"], dialect.StringOf(fields["errorMessage"])
	if context.Type != gjson.String {
		context = fields["contextModification"]
	}
	if dialect.Blank(message) {
		message = ""
	}
	if cancel := fields["cancel"]; cancel.Type == gjson.True {
		v.Decide(protocol.Block, cmp.Or(message, dialect.StringOf(context), "Cancelled by a hook"))
		v.Stop, v.StopReason = true, v.Reason
		return v
	} else if cancel.Exists() && cancel.Type != gjson.False && cancel.Type != gjson.Null {
		v.NoteDoubt(who, clientName, dialect.WrongType("cancel", "true or false", cancel))
	} else {
		v.NoteDoubt(who, clientName, doubtOf(answer))
	}
	if v.Context = message; context.Type == gjson.String {
		v.Context = dialect.StringOf(context)
	}
	if dialect.Blank(v.Context) {
		v.Context = ""
	}
	if input := fields["overrideInput"]; e == before && input.Exists() {
		v.UpdatedInput = []byte(argsOf(tool, gjson.ParseBytes(client.Rewritten(input))))
	}
	return client.DoubtEqualKeys(who, answer, v)
}

// doubtOf returns an error if the answer may have been meant as a block, in the words of any client.
func doubtOf(answer gjson.Result) error {
	if !answer.IsObject() {
		return errors.New("it is no JSON object; " + validWords)
	}
	for _, s := range nearmiss.Scan(answer.Raw) {
		if s.CanBeginAnswer() && s.Decides() {
			return fmt.Errorf("it has %q, which is no key of an answer; %s", spelling.Brief(s.Key, 40), validWords)
		}
	}
	return nearmiss.MisspelledBlock(answer, validWords)
}

// Fit makes one input out of "command" and "commands" after a hook changed a call with several commands. If the hook
// changed both to different commands, the call is blocked.
func (hooks) Fit(c *dialect.Call, hook string, v *dialect.Verdict) {
	if c.Common() != protocol.PreTool {
		return
	}
	old, now := dialect.LastOf(gjson.Parse(c.Args)), dialect.LastOf(gjson.ParseBytes(v.UpdatedInput))
	lines := client.Texts(now["commands"])
	if c.Tool != runCommands || len(lines) == 0 || !now["command"].Exists() {
		return
	}
	all, command := strings.Join(lines, "\n"), dialect.StringOf(now["command"])
	switch {
	case command == all:
	case command == dialect.StringOf(old["command"]): // the hook changed the list
		v.UpdatedInput = []byte(argsOf(c.Tool, gjson.ParseBytes(v.UpdatedInput)))
	case all == dialect.StringOf(old["command"]): // the hook changed the text
		v.UpdatedInput = dialect.JSONObject("command", []byte(now["command"].Raw))
	default:
		who := dialect.MessagePrefix(before, hook)
		v.Decide(protocol.Block, who+` changed "command" and "commands" to different commands`)
		v.UpdatedInput = nil
	}
}
