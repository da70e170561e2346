package cursor

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// output is the client's hook output.
type output struct {
	Permission    string          `json:"permission,omitempty"`
	Continue      *bool           `json:"continue,omitempty"`
	UserMessage   string          `json:"user_message,omitempty"`
	AgentMessage  string          `json:"agent_message,omitempty"`
	UpdatedInput  json.RawMessage `json:"updated_input,omitempty"`
	MCPOutput     json.RawMessage `json:"updated_mcp_tool_output,omitempty"`
	Context       string          `json:"additional_context,omitempty"`
	FollowMessage string          `json:"followup_message,omitempty"`
}

// hookOutput returns the outcome as the client's hook output at exit 0, so hookrun acts as a hook command. An effect
// that the client cannot express is a deny before the tool, and a text for the model after the tool. "allow" is written
// only if a hook allowed the call, because the client then does not ask its user.
func hookOutput(o protocol.Outcome) ([]byte, error) {
	c := events.CallAt(o.Event)
	c.Failed, c.Tool = o.Failed, o.Tool
	m := ruleOf(eventOf(c))
	out := output{}
	messages := client.Messages(o)
	texts := strings.Join(dialect.TextsOf(o), "\n\n")
	held, why := o.Decision != protocol.Continue, o.Reason
	if o.Stop && !held {
		held, why = true, o.StopReason
	} else if o.Stop && o.StopReason != why {
		messages = append(messages, o.StopReason)
	}
	switch {
	case m.Can&permits != 0:
		why, held = m.permission(&out, o, held, why)
		switch {
		case texts == "":
		case held:
			why += "\n\n" + texts
		case m.Can&dialect.Inject != 0:
			out.Context = texts
		default:
			out.AgentMessage = texts
		}
		if held {
			out.AgentMessage = why
			messages = append([]string{why}, messages...)
		}
	case m.Can&submits != 0:
		if out.Context = texts; held {
			out.Continue, out.Context = new(bool), ""
			messages = append([]string{blockReason(o, why), texts}, messages...)
		}
	case m.Can&follows != 0:
		if held {
			out.FollowMessage = strings.TrimSpace(why + "\n\n" + texts)
		}
	case m.Can&dialect.Inject != 0: // the model gets all texts, because the client shows its user none of them here
		told := []string{texts}
		if held {
			told = append([]string{blockReason(o, why)}, told...)
		}
		if o.UpdatedOutput != nil {
			told = append(told, out.result(o, m.Name))
		}
		out.Context = strings.TrimSpace(strings.Join(append(told, messages...), "\n\n"))
		messages = nil
	case held || texts != "":
		messages = append(messages, fmt.Sprintf("hookrun: Cursor can do nothing about this at %s: %s", m.Name,
			strings.TrimSpace(why+"\n\n"+texts)))
	}
	out.UserMessage = strings.TrimSpace(strings.Join(messages, "\n"))
	return strictjson.Marshal(out)
}

// blockReason returns the reason of a block, or of a stop that becomes a block.
func blockReason(o protocol.Outcome, why string) string {
	if o.Decision == protocol.Continue { // a stop
		return why
	}
	return client.BlockReason(o, "Cursor")
}

// permission writes the decision before a tool.
func (m rule) permission(out *output, o protocol.Outcome, held bool, why string) (string, bool) {
	if !held && o.UpdatedInput != nil {
		why = client.InvalidInput(o)
		if why == "" && m.Can&rewrites == 0 {
			why = client.ChangedInput(o, ", and Cursor cannot take that at "+string(m.Name))
		}
		held = why != ""
	}
	switch {
	// At preToolUse the client accepts an ask, but does not ask its user.
	case held && o.Decision == protocol.Ask && !o.Stop && o.UpdatedInput == nil && m.Can&(asks|rewrites) == asks:
		out.Permission = "ask"
	case held:
		out.Permission, why = "deny", strings.TrimSpace(why)
		if o.Decision == protocol.Ask || o.Decision == protocol.Defer {
			why = client.BlockReason(o, "Cursor")
		}
	default:
		out.UpdatedInput = o.UpdatedInput
		if o.Approved {
			out.Permission = "allow"
		}
	}
	return why, held
}

// Fit withholds the result of an MCP tool after a failure of a hook, which may have been a redactor, or of hookrun
// itself. The client cannot replace the results of other tools.
func (hooks) Fit(c *dialect.Call, hook string, v *dialect.Verdict) {
	if eventOf(c) != "postToolUse" || !isMCP(c.Tool) || !dialect.IsFailureBlock(v.Decision, v.Cause) {
		return
	}
	v.UpdatedOutput = dialect.InPlaceOfResult(nil)
	v.SystemMessage = strings.TrimSpace(v.SystemMessage + "\n" + client.WithheldMessage(hook, v))
}

// result replaces the result of an MCP tool. For other tools, which the client does not let hooks change, it returns a
// text for the model.
func (out *output) result(o protocol.Outcome, e protocol.Event) string {
	if isMCP(o.Tool) && e == "postToolUse" {
		if out.MCPOutput = o.UpdatedOutput; !gjson.ParseBytes(o.UpdatedOutput).IsObject() {
			text := string(strictjson.Quote(strictjson.ValueText(o.UpdatedOutput)))
			out.MCPOutput = json.RawMessage(`{"content":[{"type":"text","text":` + text + `}]}`)
		}
		return ""
	}
	return "hookrun: " + client.AHook(o.UpdatedBy) + " put another result in the place of this one, and Cursor " +
		"takes that of MCP tools alone: do not use or repeat the result above"
}
