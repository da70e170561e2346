package droid

import (
	"cmp"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/nearmiss"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// Values of Verdict.Own beside the words of permissionDecision: the two ways to end the run, and a block at Stop.
const (
	wordStop  = "continue: false"
	wordAbort = "exit 3"
	wordBlock = "decision: block"
)

// Decode reads the output of a hook at every exit code, even if the hook timed out later.
func (hooks) Decode(c *dialect.Call, hook string, r *dialect.HookResult) dialect.Verdict {
	m := ruleOf(eventOf(c))
	who := dialect.MessagePrefix(m.Name, hook)
	late := r.TimedOut && r.Err == nil && !r.Async
	if v, ok := r.NoAnswer(who); ok && !late {
		return v
	}
	code := r.ExitCode
	if late || r.Signal != "" {
		code = 1 // the code of a hook that is being killed does not count
	}
	a, broken := readAnswer(r.Stdout.All(), r.Stdout.LeftOut() > 0)
	v := dialect.OK()
	v.SystemMessage = a.system
	m.decide(&v, a, code, r.Stderr.Text())
	m.readTexts(&v, c, a, broken, code, who, r)
	if late && v.Decision != protocol.Continue {
		v.Warnings = append(v.Warnings, r.TimeoutProblem(who)+"; what it had printed until then counts")
	}
	if v.Decision != protocol.Continue {
		return v
	}
	if a.object.Exists() {
		v.NoteDoubt(who, clientName, a.doubt(m))
	} else if !broken && code == 0 {
		v.Doubt = nearmiss.MisspelledBlockInText(who, r.Stdout.All())
	}
	switch {
	case late:
		v.Cause, v.Problem, v.Status = protocol.CauseTimeout, r.TimeoutProblem(who), dialect.StatusTimeout
	case code != 0:
		v.Cause, v.Problem = r.Ended(who)
		v.Status, v.Answered = dialect.StatusFailed, a.object.Exists() || v.Stop
	case broken:
		return dialect.Unreadable(who, "it begins with { and is no JSON, or has something behind it; "+
			nearmiss.PrintAlone(r.Stdout.All()))
	}
	return client.DoubtEqualKeys(who, a.object, v)
}

// decide reads the decision of a hook.
func (m rule) decide(v *dialect.Verdict, a answer, code int, stderr string) {
	exit := func(code2, code3 string) {
		switch {
		case code == 2:
			v.Decide(protocol.Block, cmp.Or(stderr, code2))
		case code == 3 && code3 != "":
			v.Decide(protocol.Block, cmp.Or(stderr, code3))
		}
	}
	end := func(word, reason, silent string) {
		v.Own, v.Stop, v.StopReason = word, true, cmp.Or(reason, silent)
	}
	silentStop := "Hook requested to stop execution"
	if m.Name == "Stop" {
		silentStop = "Hook requested immediate stop"
	}
	if m.Can&dialect.Stop != 0 && a.stops {
		end(wordStop, a.stopReason, silentStop)
	} else if m.Can&dialect.Stop != 0 && code == 3 {
		end(wordAbort, stderr, "Agent aborted by "+string(m.Name)+" hook")
	}
	switch m.Name {
	case "PreToolUse":
		if v.Stop {
			v.Decide(protocol.Block, v.StopReason)
			return
		}
		switch v.Own = a.word; a.word {
		case "allow":
			v.Approve(a.why)
		case "deny":
			v.Decide(protocol.Block, cmp.Or(a.why, "Tool execution denied by hook"))
			return
		}
		if exit("Tool execution blocked by hook", ""); v.Decision == protocol.Block {
			v.Approved = false
		}
	case "PostToolUse":
		exit("PostToolUse hook reported an issue", "")
	case "UserPromptSubmit":
		const silent = "User prompt submission blocked by hook"
		if a.stops {
			v.Decide(protocol.Block, cmp.Or(stderr, a.stopReason, a.system, silent))
			return
		}
		exit(cmp.Or(a.stopReason, a.system, silent), "User prompt submission aborted by hook")
	case "Stop":
		switch {
		case a.decision == "block":
			if v.Own = cmp.Or(wordOf(v), wordBlock); a.reason != "" {
				v.Decide(protocol.Block, a.reason)
			}
		default:
			exit("Stop hook requested continuation", "")
		}
	case "PreCompact":
		const silent = "Compaction blocked by hook"
		exit(silent, silent)
	}
}

// readTexts reads the hook's text for the model and its changes.
func (m rule) readTexts(v *dialect.Verdict, c *dialect.Call, a answer, broken bool, code int, who string,
	r *dialect.HookResult) {
	switch {
	case m.Can&dialect.Inject == 0 && a.context != "":
		v.Warnings = append(v.Warnings, who+` answered with "additionalContext", which `+
			clientName+" gives nobody there")
	case m.Can&dialect.Inject == 0:
	case a.context != "" && (code == 0 || m.Can&stdoutIsContext == 0):
		v.Context = a.context
	case m.Can&stdoutIsContext != 0 && code == 0 && !broken && !a.known():
		v.Context, v.Truncated = r.Stdout.Text(), r.Stdout.LeftOut() > 0
	}
	if !a.input.IsObject() {
		return
	}
	switch m.Name {
	case "PreToolUse": // also with a word that voids the change: no other hook's change counts then
		if input, _, err := c.Input(); err == nil && a.word != "deny" {
			v.UpdatedInput = dialect.MergedJSON(input, client.Rewritten(a.input))
		}
	case "UserPromptSubmit":
		if prompt := dialect.LastOf(a.input)["prompt"]; prompt.Type == gjson.String {
			v.UpdatedInput = strictjson.Compact(nil, `{"prompt":`+prompt.Raw+`}`)
			if c.Client != nil && c.Client.Name != dialectName { // an entry with the client's rules in a project's file
				v.Decide(protocol.Block, who+" changed the prompt, and this client cannot give the model another one")
				v.Cause = protocol.CauseRewrite
			}
		}
	}
}
