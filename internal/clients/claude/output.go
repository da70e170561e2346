package claude

import (
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// reply returns the outcome as Claude Code's hook output, so hookrun acts as a hook command. A decision that the client
// cannot express at the event becomes the next stricter one.
//
// At two events the client takes plain text only: instructions for a compaction, and the path of a new worktree.
func reply(o protocol.Outcome) (client.Reply, error) {
	text, err := hookOutput(o)
	return client.Reply{Stdout: text, Stderr: o.Reason, Exit: exitCode(o)}, err
}

func hookOutput(o protocol.Outcome) ([]byte, error) {
	event := client.ClaudeEventOf(&dialect.Call{Event: o.Event, Failed: o.Failed})
	if o.Event == skillCommand {
		if event = skillCommand; o.Decision == protocol.Continue && o.UpdatedInput != nil {
			o.Decision, o.Reason = protocol.Block, client.ChangedInput(o, notInSkill)
		}
		o.UpdatedInput = nil // the client does not read any
	}
	if text := plainText(o, event); text != nil {
		return text, nil
	}
	if why := client.InvalidInput(o); why != "" && o.Decision != protocol.Block {
		o.Decision, o.Reason, o.Approved, o.UpdatedInput = protocol.Block, why, false, nil
	}
	out := client.NewHookOutput(o, clientName, event)
	if event == "PostToolUseFailure" {
		fitFailure(&o, &out.Notes)
	}
	if o.Stop {
		out.End(o.StopReason)
	}
	switch held := o.Decision != protocol.Continue; {
	case event == "PermissionRequest":
		client.PermissionRequest(o, &out.Specific)
		o.UpdatedInput = nil // the decision has the input
	case event == skillCommand: // "allow" has no effect
		if held {
			out.SetPermission("deny", client.BlockReason(o, clientName))
		}
	case event == "PreToolUse" || event == "PreModelSwitch":
		if held || o.Approved {
			out.SetPermission(dialect.PermissionWords.Word(o.Decision), o.Reason)
		}
	case held:
		out.Block(o.Reason)
	}
	if o.UpdatedInput != nil {
		out.Specific.Set("updatedInput", o.UpdatedInput)
	}
	if texts := strings.Join(dialect.TextsOf(o), "\n\n"); event != skillCommand {
		out.Set("additionalContext", texts)
	} else if texts != "" {
		out.CannotTell(texts)
	}
	if o.UpdatedOutput != nil {
		out.Specific.Set("updatedToolOutput", shellResult(o.Tool, o.UpdatedOutput))
	}
	for _, f := range dialect.OtherOf(o) {
		switch f.Key {
		case "terminalSequence":
			out.Terminal = f.Value
		case "updatedPermissions": // already in the decision
		default:
			out.Specific.Set(f.Key, f.Value)
		}
	}
	return out.Encode()
}

// plainText returns the plain text that replaces JSON at two events, or nil if the client gets JSON.
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

// fitFailure adapts the outcome to a failed tool: the client can neither stop then nor change the result.
func fitFailure(o *protocol.Outcome, notes *client.Notes) {
	switch {
	case o.Stop && o.Decision == protocol.Continue:
		o.Decision, o.Reason = protocol.Block, o.StopReason
	case o.Stop:
		notes.Note(o.StopReason)
	}
	if o.UpdatedOutput != nil {
		o.UpdatedOutput = nil
		notes.Note("hookrun: " + clientName + " cannot change the result of a tool that failed, so the model sees it " +
			"as it was")
	}
}

// shellResult returns a value in the shape of Bash's results, because the client drops any other and shows the model
// the old result. For other tools the accepted shapes were not recorded.
func shellResult(tool string, output []byte) []byte {
	if tool != "Bash" || isShellResult(gjson.ParseBytes(output)) {
		return output
	}
	result, _ := dialect.FieldsOf("stdout", strictjson.Quote(strictjson.ValueText(output)), "stderr", []byte(`""`),
		"interrupted", []byte("false"), "isImage", []byte("false")).MarshalJSON()
	return result
}

// exitCode returns the exit code beside hookOutput: 0, because the verdict is in the JSON, or 2 for a block at events
// where the client reads the exit code alone.
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
