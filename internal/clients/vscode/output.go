package vscode

import (
	"cmp"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// hookOutput returns the outcome as the client's hook output at exit 0, so hookrun acts as a hook command. An effect
// that the client cannot express at the event becomes a block, or a message.
func hookOutput(o protocol.Outcome) ([]byte, error) {
	m := events.Of(eventOf(&dialect.Call{Event: o.Event, Failed: o.Failed}))
	out := client.NewHookOutput(o, clientName, m.Name)
	held, why := o.Decision != protocol.Continue, client.BlockReason(o, clientName)
	texts := strings.Join(dialect.TextsOf(o), "\n\n")
	if m.Name == "PostToolUse" && (o.UpdatedOutput != nil || o.Stop) { // the model has the result in any case
		held, why = true, client.Joined(why, o.StopReason)
	}
	if o.UpdatedOutput != nil && m.Name == "PostToolUse" {
		why = client.Joined(why, "hookrun: "+client.AHook(o.UpdatedBy)+" put another result in the place of this "+
			"one, and "+clientName+" takes none from a hook: do not use or repeat the result above")
	}
	if unfit := client.InvalidInput(o); m.Name == "PreToolUse" && unfit != "" && o.Decision != protocol.Block {
		held, why, o.Decision = true, client.Joined(o.Reason, unfit), protocol.Block
	}
	if o.Stop && m.Can&dialect.Stop != 0 {
		held, why = true, cmp.Or(client.Joined(o.StopReason, why), "Stopped by a hook")
		out.End(why)
		o.Decision = protocol.Block
	}
	why = cmp.Or(why, "Blocked by a hook")
	switch {
	case held && m.Can&dialect.Block == 0:
		out.Cannot("be blocked", why)
	case held && (m.Name != "PreToolUse" || o.Decision != protocol.Ask): // beside a block texts may get lost
		why, texts = client.Joined(why, texts), ""
	}
	switch {
	case m.Name == "PreToolUse" && held && o.Decision == protocol.Ask:
		out.SetPermission("ask", o.Reason)
	case m.Name == "PreToolUse" && held:
		out.SetPermission("deny", why)
	case m.Name == "PreToolUse" && o.Approved:
		out.SetPermission("allow", o.Reason)
	case held && m.Can&dialect.EndsTurn != 0: // by the documents one level counts, by the source the other
		out.Block(why)
		out.Set("decision", "block")
		out.Set("reason", why)
	case held && m.Can&dialect.Block != 0:
		out.Block(why)
	}
	if m.Name == "PreToolUse" && o.UpdatedInput != nil && o.Decision != protocol.Block {
		out.Specific.Set("updatedInput", o.UpdatedInput)
	}
	if m.Can&dialect.Inject != 0 {
		out.Set("additionalContext", texts)
	} else if texts != "" {
		out.CannotTell(texts)
	}
	return out.Encode()
}

// Fit blocks a change of the tool's input that the client may drop: it checks the input by the schema of the tool, and
// without a word runs the old one if the new one does not fit. An input with the keys of the old one, and values of the
// same types, fits.
func (hooks) Fit(c *dialect.Call, hook string, v *dialect.Verdict) {
	old, now := gjson.Get(c.ClientInput, "tool_input"), dialect.LastOf(gjson.ParseBytes(v.UpdatedInput))
	if c.Common() != protocol.PreTool || len(now) == 0 || v.Decision == protocol.Block {
		return
	}
	added := addedKey(c.Tool)
	fits := now[added].Raw == gjson.Get(c.Args, added).Raw
	delete(now, added)
	var input strictjson.Fields
	for key, value := range old.ForEach {
		name := strictjson.Text(key.Raw)
		changed, has := now[name]
		fits = fits && has && (changed.Type == value.Type || changed.IsBool() && value.IsBool())
		input.Set(name, []byte(changed.Raw))
	}
	if v.UpdatedInput = dialect.ObjectOf(input); fits && len(input) == len(now) {
		return
	}
	v.Decide(protocol.Block, dialect.MessagePrefix(eventOf(c), hook)+" changed the tool's input, and "+clientName+
		" drops a change that does not fit the tool, and runs the old input; answer with all keys of the old input "+
		"and no other, and values of the same types")
	v.Cause, v.Approved, v.UpdatedInput = protocol.CauseRewrite, false, nil
}
