package codex

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/nearmiss"
	"github.com/hookrun/hookrun/protocol"
)

// Decode checks, in this order: the start, the timeout, the signal or exit code, the output.
func (hooks) Decode(c *dialect.Call, hook string, r *dialect.HookResult) dialect.Verdict {
	m := ruleOf(eventOf(c))
	who := dialect.MessagePrefix(m.Name, hook)
	if r.AsyncResult {
		return asyncResult(c, hook, *r)
	}
	if v, ok := r.NoAnswer(who); ok {
		return v
	}
	stderr := r.Stderr.Text()
	switch cause, problem := r.Ended(who); {
	case cause == protocol.CauseSignal:
		return dialect.Failed(cause, problem)
	case r.ExitCode == 2 && m.Can&dialect.Block != 0 && stderr != "": // stdout is not read
		var v dialect.Verdict
		v.Decide(protocol.Block, stderr)
		return v
	case r.ExitCode == 2 && m.Can&dialect.Block != 0:
		return dialect.Failed(cause, problem+" and has nothing on stderr, where Codex looks for the reason")
	case r.ExitCode != 0:
		return dialect.Failed(cause, strings.TrimRight(problem+"\n"+stderr, "\n"))
	}
	v, err := decodeOutput(c, m, hook, r)
	if err != nil {
		return dialect.Unreadable(who, err.Error())
	}
	if m.Can&ignoresOutput == 0 {
		v = client.DoubtEqualKeys(who, client.AnswerOf(r.Stdout.Text()), v)
	}
	return v
}

// asyncResult reads the result of an async hook. Decisions do not count any more.
func asyncResult(c *dialect.Call, hook string, r dialect.HookResult) dialect.Verdict {
	r.AsyncResult = false
	v := hooks.Decode(hooks{}, c, hook, &r)
	late := dialect.Verdict{Decision: protocol.Continue, Status: dialect.StatusAsync, Warnings: v.Warnings}
	if v.Problem != "" {
		late.Warnings = append(late.Warnings, "async "+v.Problem)
		return late
	}
	late.Context, late.SystemMessage = v.Context, v.SystemMessage
	return late
}

// decodeOutput reads the output of a hook that exited with 0. After an error no part of the output counts.
func decodeOutput(c *dialect.Call, m rule, hook string, r *dialect.HookResult) (dialect.Verdict, error) {
	text := r.Stdout.Text() // trimmed, but not of a byte order mark
	isJSON := strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")
	v := dialect.OK()
	switch {
	case text == "" || m.Can&ignoresOutput != 0:
		return v, nil
	case isJSON && r.Stdout.LeftOut() > 0:
		return v, errors.New("it is too long: " + dialect.KeptStdout)
	case isJSON:
		v, err := readAnswer(c, m, text)
		if err == nil && v.Decision == protocol.Continue {
			doubt := nearmiss.MisspelledBlock(gjson.Parse(text), validWords, m.specificKeys()...)
			v.NoteDoubt(dialect.MessagePrefix(m.Name, hook), clientName, doubt)
		}
		return v, err
	case m.Can&jsonOnly != 0:
		return v, fmt.Errorf("at %s it must be one JSON object, or nothing", m.Name)
	case m.Can&stdoutIsContext != 0:
		v.Context, v.Truncated = text, r.Stdout.LeftOut() > 0
	}
	// For the client, this is a successful run without an answer.
	v.Doubt = nearmiss.MisspelledBlockInText(dialect.MessagePrefix(m.Name, hook), r.Stdout.All())
	return v, nil
}

// validWords shows the answers that block, for messages.
const validWords = `an answer that blocks is {"decision": "block", "reason": "…"}, or, before a tool, ` +
	`{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", ` +
	`"permissionDecisionReason": "…"}}`
