package claude

import (
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// reply returns the outcome as Claude Code's hook output, which makes hookrun a hook command of its own. Where the
// client has no word for a decision at the event, the stricter one is used.
//
// At two events the client takes plain text alone: instructions for a compaction, and the path of a new worktree.
func reply(o protocol.Outcome) (dialect.Reply, error) {
	text, err := hookOutput(o)
	return dialect.Reply{Stdout: text, Stderr: o.Reason, Exit: exitCode(o)}, err
}

func hookOutput(o protocol.Outcome) ([]byte, error) {
	event := dialect.ClaudeEventOf(&dialect.Call{Event: o.Event, Failed: o.Failed})
	if text := plainText(o, event); text != nil {
		return text, nil
	}
	if why := dialect.UnfitInput(o); why != "" && o.Decision != protocol.Block {
		o.Decision, o.Reason, o.Approved, o.UpdatedInput = protocol.Block, why, false, nil
	}
	out := dialect.NewHookOutput(o, client, event)
	if event == "PostToolUseFailure" {
		fitFailure(&o, &out.Notes)
	}
	if o.Stop {
		out.End(o.StopReason)
	}
	switch held := o.Decision != protocol.Continue; {
	case event == "PermissionRequest":
		dialect.PermissionRequest(o, &out.Specific)
		o.UpdatedInput = nil // it stands in the decision
	case event == "PreToolUse" || event == "PreModelSwitch":
		if held || o.Approved {
			out.Permit(dialect.PermissionWords.Word(o.Decision), o.Reason)
		}
	case held:
		out.Block(o.Reason)
	}
	if o.UpdatedInput != nil {
		out.Specific.Set("updatedInput", o.UpdatedInput)
	}
	out.Set("additionalContext", strings.Join(dialect.TextsOf(o), "\n\n"))
	if o.UpdatedOutput != nil {
		out.Specific.Set("updatedToolOutput", shellResult(o.Tool, o.UpdatedOutput))
	}
	for _, f := range dialect.OtherOf(o) {
		switch f.Key {
		case "terminalSequence":
			out.Terminal = f.Value
		case "updatedPermissions": // stands in the decision
		default:
			out.Specific.Set(f.Key, f.Value)
		}
	}
	return out.Encode()
}

// plainText is what the client takes at two events in the place of JSON; nil: it gets JSON.
func plainText(o protocol.Outcome, event protocol.Event) []byte {
	texts := dialect.TextsOf(o)
	if event == "PreCompact" && len(texts) > 0 && o.Decision == protocol.Continue && !o.Stop {
		return []byte(strings.Join(texts, "\n\n"))
	}
	if path := dialect.OtherOf(o).Get("worktreePath"); event == "WorktreeCreate" && path != nil &&
		o.Decision == protocol.Continue {
		return []byte(strictjson.ValueText(path))
	}
	return nil
}

// fitFailure changes the outcome for a tool that failed, where the client has no word for a stop or another result.
func fitFailure(o *protocol.Outcome, notes *dialect.Notes) {
	switch {
	case o.Stop && o.Decision == protocol.Continue:
		o.Decision, o.Reason = protocol.Block, o.StopReason
	case o.Stop:
		notes.Note(o.StopReason)
	}
	if o.UpdatedOutput != nil {
		o.UpdatedOutput = nil
		notes.Note("hookrun: " + client + " cannot change the result of a tool that failed, so the model sees it as " +
			"it was")
	}
}

// shellResult writes a value in the form of the shell's results: the client drops any other, and shows the model the
// old one. What it takes for a result of its other tools was not recorded.
func shellResult(tool string, output []byte) []byte {
	if tool != "Bash" || isShellResult(gjson.ParseBytes(output)) {
		return output
	}
	result, _ := dialect.FieldsOf("stdout", strictjson.Quote(strictjson.ValueText(output)), "stderr", []byte(`""`),
		"interrupted", []byte("false"), "isImage", []byte("false")).MarshalJSON()
	return result
}

// exitCode is the exit status that goes with hookOutput: 0, since the verdict is in the JSON, but at events where the
// client looks at the exit alone.
func exitCode(o protocol.Outcome) int {
	switch o.Event {
	case "TeammateIdle", "TaskCreated", "TaskCompleted", "WorktreeCreate", "WorktreeRemove",
		"Elicitation", "ElicitationResult":
		if o.Decision != protocol.Continue {
			return 2
		}
	}
	return 0
}
