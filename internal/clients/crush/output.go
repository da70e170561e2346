package crush

import (
	"cmp"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// output returns the outcome as Crush's hook output, so hookrun acts as a hook command. The client shows its user no
// message, so the model gets the messages. Without anything to say the output is empty.
func output(o protocol.Outcome) ([]byte, error) {
	if dialect.ClaudeEventNamed(o.Event) != before {
		return nil, nil
	}
	texts := dialect.TextsOf(o)
	for _, text := range client.Messages(o) {
		texts = append(texts, "For the user: "+text)
	}
	var out strictjson.Fields
	set := func(key string, texts ...string) {
		if text := client.Joined(texts...); text != "" {
			out.Set(key, strictjson.Quote(text))
		}
	}
	unfit := unfitInput(o)
	if o.Decision == protocol.Continue && !o.Stop && unfit == "" {
		if o.Approved {
			set("decision", "allow")
		}
		if set("context", texts...); o.UpdatedInput != nil {
			out.Set("updated_input", o.UpdatedInput)
		}
	} else { // the client drops the context, and shows the reason to model and user
		set("decision", "deny")
		why := client.Joined(o.StopReason, client.BlockReason(o, clientName), unfit)
		set("reason", append([]string{cmp.Or(why, "Blocked by a hook")}, texts...)...)
		if o.Stop {
			out.Set("halt", []byte("true"))
		}
	}
	if len(out) == 0 {
		return nil, nil
	}
	return strictjson.Marshal(out)
}

// unfitInput returns the reason why the client could not give its tool the new input, or "".
func unfitInput(o protocol.Outcome) string {
	input := gjson.ParseBytes(o.UpdatedInput)
	if key, isPath := pathIn(input); input.IsObject() && isPath {
		return client.ChangedInput(o, ", and "+clientName+" takes its key "+spelling.Quote(key)+" for a path, so the "+
			"call is blocked")
	}
	return client.InvalidInput(o)
}

// Fit sets removed keys of a new input to null, because the client merges the new input into the old one.
func (hooks) Fit(c *dialect.Call, _ string, v *dialect.Verdict) {
	old, _, err := c.Input()
	now := gjson.ParseBytes(v.UpdatedInput)
	if c.Common() != protocol.PreTool || err != nil || !now.IsObject() {
		return
	}
	var gone []string
	for key := range gjson.ParseBytes(old).ForEach {
		if !dialect.Has(now, key.String()) {
			gone = append(gone, key.Raw+":null")
		}
	}
	if gone != nil {
		v.UpdatedInput = dialect.MergedJSON(v.UpdatedInput, []byte("{"+strings.Join(gone, ",")+"}"))
	}
}
