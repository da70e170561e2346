package registry

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/protocol"
)

// ClientOf returns the client that sent the call, or nil if no client did. ParseInput, ParseEntryInput and
// ResolveClient have set Call.Client.
func ClientOf(c *dialect.Call) *dialect.Dialect {
	if c.ClientInput == "" {
		return nil
	}
	d, _ := ClientNamed(c.Client)
	return d
}

// ResolveClient sets the client of a call that was made without ParseInput.
func ResolveClient(c *dialect.Call) error {
	_, known := ClientNamed(c.Client)
	switch {
	case c.ClientInput == "" || known:
		return nil
	case c.Client != "":
		return fmt.Errorf("unknown client %q%s", c.Client, spelling.Suggest(c.Client, ClientNames()))
	}
	name := cmp.Or(protocol.Event(c.Field("hook_event_name")), unnamedEvent(c.ClientInput))
	c.Client = sender(c, name).Name
	return nil
}

// setClient finds the event and the client by the input alone. name is the input's hook_event_name.
func setClient(c *dialect.Call, name gjson.Result) error {
	event, known := ParseEvent(dialect.StringOf(name))
	if !name.Exists() {
		event = unnamedEvent(c.ClientInput)
		known = event != ""
	}
	if !known {
		return unknownEvent(name)
	}
	c.Event = event
	c.Client = sender(c, event).Name
	return nil
}

// setClientOfEntry sets the event and the client of an input for an entry of one client. Some clients also run the
// entries in another client's settings, so the input can come from one of these. A client that sets a variable for its
// hooks must have set it, if the entry's own client has the event, too.
func setClientOfEntry(c *dialect.Call, name gjson.Result, entry *dialect.Dialect, getenv func(string) string) error {
	c.Event = protocol.Event(dialect.StringOf(name))
	own := c.Event
	_, unnamed := entry.Hooks.(dialect.InputNamer)
	if unnamed {
		own = inputEvent(entry, c)
	} else if !entry.Events.Has(own) && !Project().Events.Has(own) {
		own = ""
	}
	for _, d := range dialects() {
		if d.Install == nil || !slices.Contains(d.Install.AlsoRuns(), entry.Name) {
			continue
		}
		theirs := *c
		theirs.Event = inputEvent(d, c)
		isHere := len(d.Install.Variables) == 0 || getenv(d.Install.Variables[0]) != ""
		if (own == "" || isHere) && d.Events.Has(theirs.Event) && d.Client.Detect(&theirs) {
			c.Event, c.Client = theirs.Event, d.Name
			return nil
		}
	}
	if own != "" {
		c.Event, c.Client = own, entry.Name
		return nil
	}
	if _, known := ParseEvent(string(c.Event)); !known && !unnamed {
		return unknownEvent(name)
	}
	const text = "the hook input is not %s's: %s; give --output the client that sent it, or leave it out"
	why := fmt.Sprintf("%q is no event there", c.Event)
	if unnamed {
		why = "it has another form"
	}
	return fmt.Errorf(text, entry.Files.Client, why)
}

// inputEvent returns the event of an input in a client's form, which may name it in another way.
func inputEvent(d *dialect.Dialect, c *dialect.Call) protocol.Event {
	if namer, is := d.Hooks.(dialect.InputNamer); is {
		return namer.InputEvent(c.ClientInput)
	}
	return protocol.Event(dialect.StringOf(gjson.Get(c.ClientInput, "hook_event_name")))
}

func unknownEvent(name gjson.Result) error {
	if !name.Exists() {
		return errors.New("the hook input has no hook_event_name; give it what a client gives its hooks")
	}
	return fmt.Errorf("the hook input's hook_event_name %s is no event that is known%s", name.Raw,
		meantEvent(name.String()))
}

func meantEvent(name string) string {
	if near := spelling.Near(name, EventNames()); len(near) > 0 {
		return fmt.Sprintf("; did you mean %q?", near[0])
	}
	return ""
}

// sender returns the client that sent an input: the only client with the event, or else the first client whose Detect
// accepts the input, or else the client without Detect, whose form others took over, or the first with the event.
func sender(c *dialect.Call, event protocol.Event) *dialect.Dialect {
	var having []*dialect.Dialect
	var plain *dialect.Dialect
	for _, d := range dialects() {
		if d.Client == nil {
			continue
		}
		if d.Client.Detect == nil {
			plain = d
		}
		if d.Events.Has(event) {
			having = append(having, d)
		}
	}
	if len(having) == 1 {
		return having[0]
	}
	for _, d := range having {
		if d.Client.Detect != nil && d.Client.Detect(c) {
			return d
		}
	}
	if len(having) > 0 && !plain.Events.Has(event) {
		return having[0]
	}
	return plain
}

// unnamedEvent returns the event of a hook input without hook_event_name, or "" if no client writes such an input.
func unnamedEvent(doc string) (event protocol.Event) {
	for _, d := range dialects() {
		if namer, ok := d.Hooks.(dialect.InputNamer); ok {
			event = cmp.Or(event, namer.InputEvent(doc))
		}
	}
	return event
}

// FitVerdict applies the rules of the call's client, if the client has any, to the new input that the tool gets, and
// after the tool to the result that the model sees.
func FitVerdict(c *dialect.Call, hook string, v *dialect.Verdict) {
	client := ClientOf(c)
	if client != nil && dialect.HasTool(c.Event) {
		client.Hooks.Fit(c, hook, v)
	}
}

// Withhold makes a block by hookrun itself act like a block by a failed hook: if the client takes another result of the
// tool, the model gets a blank one, because a hook that did not run may have been a redactor. takesOther reports
// whether the client does.
func Withhold(c *dialect.Call, o *protocol.Outcome) (takesOther bool) {
	v := dialect.Verdict{Decision: protocol.Block, Cause: o.Cause, Reason: o.Reason}
	FitVerdict(c, "", &v)
	if v.Withholds(c.Event) {
		o.UpdatedOutput, o.UpdatedBy = dialect.InPlaceOfResult(v.UpdatedOutput), ""
	}
	if v.SystemMessage != "" {
		o.SystemMessages = append(o.SystemMessages, v.SystemMessage)
	}
	return v.UpdatedOutput != nil
}
