package cursor

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/nearmiss"
	"github.com/hookrun/hookrun/protocol"
)

// validWords shows the answers that the client reads, for messages.
const validWords = `an answer is {"permission": "allow", "deny" or "ask", "agent_message": "…"}`

// decode checks, in this order: the start, the timeout, the signal, the exit code, stdout. Exit 2 blocks; every other
// code but 0 is a failure, even beside a deny.
func decode(e protocol.Event, hook string, r *dialect.HookResult) dialect.Verdict {
	m := ruleOf(e)
	who := dialect.MessagePrefix(m.Name, hook)
	if v, ok := r.NoAnswer(who); ok {
		return v
	}
	text := client.TrimJS(r.Stdout.All())
	answer, isJSON := client.JSONValue(text)
	if r.ExitCode == 2 && r.Signal == "" && m.Can&(permits|submits) != 0 {
		v := dialect.OK()
		fields := dialect.LastOf(answer)
		v.Decide(protocol.Block, cmp.Or(dialect.StringOf(fields["agent_message"]),
			dialect.StringOf(fields["user_message"]), r.Stderr.Text(), "Blocked by a hook"))
		return v
	}
	if cause, problem := r.Ended(who); problem != "" {
		return dialect.Failed(cause, problem)
	}
	switch {
	case text == "" && m.Can&permits != 0: // the client needs an answer only with failClosed
		v := dialect.OK()
		v.Answered, v.Cause, v.Problem = true, protocol.CauseExit, who+" printed nothing; print {}"
		return v
	case text == "":
		return dialect.OK()
	case !isJSON || !answer.IsObject():
		return dialect.Unreadable(who, "it is no JSON object alone; "+validWords)
	}
	v, err := m.answer(who, answer)
	if err != nil {
		return dialect.Unreadable(who, err.Error())
	}
	if v.Decision == protocol.Continue && !v.Approved && m.Can&(permits|submits) != 0 {
		v.NoteDoubt(who, "Cursor", nearmiss.MisspelledBlock(answer, validWords))
	}
	return client.DoubtEqualKeys(who, answer, v)
}

// permissionWords are the words of "permission", plus the older and nested words of Claude Code, which the client reads
// in hooks written for Claude Code.
var permissionWords = dialect.Words{{"allow", protocol.Continue}, {"approve", protocol.Continue},
	{"deny", protocol.Block}, {"block", protocol.Block}, {"ask", protocol.Ask}}

// answer returns the verdict of a JSON object. A wrong type is an error.
func (m rule) answer(who string, object gjson.Result) (v dialect.Verdict, err error) {
	v = dialect.OK()
	top := dialect.LastOf(object)
	text := func(key string) (s string) {
		if e := dialect.ReadText(key, top[key], &s); e != nil && err == nil {
			err = e
		}
		return s
	}
	user, agent := text("user_message"), text("agent_message")
	reason := cmp.Or(agent, user)
	if m.Can&permits != 0 {
		word := text("permission")
		foreign := ""
		if within := dialect.LastOf(top["hookSpecificOutput"]); word == "" {
			foreign = cmp.Or(dialect.StringOf(within["permissionDecision"]), dialect.StringOf(top["decision"]))
			word = foreign
			reason = cmp.Or(reason, dialect.StringOf(within["permissionDecisionReason"]),
				dialect.StringOf(top["reason"]))
		}
		decision, known := permissionWords.Decision(word)
		switch {
		case word == "":
		case !known || foreign == "" && (word == "approve" || word == "block"):
			return v, fmt.Errorf("%q is no permission; %s", word, validWords)
		case decision == protocol.Ask && m.Can&asks == 0 || decision == protocol.Block:
			v.Decide(protocol.Block, cmp.Or(reason, "Blocked by a hook"))
		case decision == protocol.Ask:
			v.Decide(protocol.Ask, cmp.Or(reason, "A hook asks"))
		case foreign == "":
			v.Approved, v.Cause = true, protocol.CausePolicy
		}
	}
	switch goOn := top["continue"]; {
	case goOn.Type == gjson.Null, goOn.Type == gjson.True:
	case goOn.Type != gjson.False:
		err = cmp.Or(err, dialect.WrongType("continue", "true or false", goOn))
	case m.Can&(permits|submits) != 0: // not in the documents for hooks before a tool
		v.Decide(protocol.Block, cmp.Or(reason, "Blocked by a hook"))
	}
	m.readChanges(&v, who, top, text)
	if follow := text("followup_message"); follow != "" && m.Can&follows != 0 {
		v.Decide(protocol.Block, follow)
	}
	if user != v.Reason {
		v.SystemMessage = user
	}
	return v, err
}

// readChanges reads the context and the rewrites of an answer.
func (m rule) readChanges(v *dialect.Verdict, who string, top map[string]gjson.Result, text func(string) string) {
	switch added := text("additional_context"); {
	case added == "":
	case m.Can&dialect.Inject == 0:
		v.WarnIgnored(who, `"additional_context"`, m.Name)
	default:
		v.Context = added
	}
	switch input := top["updated_input"]; {
	case input.Type == gjson.Null:
	case m.Can&rewrites == 0:
		v.WarnIgnored(who, `"updated_input"`, m.Name)
	case !input.IsObject():
		v.Decide(protocol.Block, who+" gave an updated_input that is no object")
	case v.Decision != protocol.Block:
		v.UpdatedInput = client.Rewritten(input)
	}
	switch output := top["updated_mcp_tool_output"]; {
	case output.Type == gjson.Null:
	case m.Name != "postToolUse":
		v.WarnIgnored(who, `"updated_mcp_tool_output"`, m.Name)
	default:
		v.UpdatedOutput = client.Rewritten(output)
	}
}

// Merge joins the messages of all hooks that deny or, if no hook denies, of all hooks that ask.
func (hooks) Merge(m *dialect.Merging) {
	m.NoApproval = m.Any(client.IsUnsupported)
	var reasons []string
	for _, h := range m.Hooks {
		if m.Decision != protocol.Continue && h.Verdict.Decision == m.Decision {
			reasons = append(reasons, h.Verdict.Reason)
		}
	}
	if m.Decider != nil && len(reasons) > 0 {
		m.Reason = strings.Join(reasons, "\n\n")
	}
}
