package set

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/tenex"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/protocol"
)

// SetClient sets the client of a call that was made without ParseInput.
func (s *Set) SetClient(c *dialect.Call) {
	if c.ClientInput != "" && c.Client == nil {
		event := cmp.Or(protocol.Event(c.Field("hook_event_name")), s.unnamedEvent(c.ClientInput))
		c.Client = s.sender(c, event).Dialect
	}
}

// Event returns the first row of an event, or nil.
func (s *Set) Event(e protocol.Event) *dialect.Event {
	for _, d := range s.Dialects() {
		if row := d.Row(e); row != nil {
			return row
		}
	}
	return nil
}

// Common returns the common name of an event of which only the name is known: see dialect.Event.CommonName.
func (s *Set) Common(e protocol.Event) protocol.Event {
	if row := s.Event(e); row != nil {
		return row.CommonName()
	}
	return e
}

// IsAboutTool reports whether an event of which only the name is known is about a tool call.
func (s *Set) IsAboutTool(e protocol.Event) bool {
	row := s.Event(e)
	return row != nil && row.IsAboutTool()
}

// setClient finds the event and the client by the input alone. name is the input's hook_event_name.
func (s *Set) setClient(c *dialect.Call, name gjson.Result) error {
	event, known := s.ParseEvent(dialect.StringOf(name))
	if !name.Exists() {
		event = s.unnamedEvent(c.ClientInput)
		known = event != ""
	}
	if !known {
		return s.unknownEvent(name)
	}
	c.Event = event
	c.Client = s.sender(c, event).Dialect
	return nil
}

// setClientOfEntry sets the event and the client of an input for an entry of one client. Some clients also run the
// entries in another client's settings, so the input can come from one of these. A client that sets a variable for its
// hooks must have set it, if the entry's own client has the event, too.
func (s *Set) setClientOfEntry(c *dialect.Call, name gjson.Result, entry *client.Client,
	getenv func(string) string) error {
	c.Event = protocol.Event(dialect.StringOf(name))
	own := c.Event
	unnamed := entry.InputEvent != nil
	if unnamed {
		own = inputEvent(entry, c)
	} else if !entry.Events.Has(own) && !tenex.Dialect.Events.Has(own) {
		own = ""
	}
	for _, d := range s.Clients() {
		if !slices.Contains(d.Install.AlsoRuns(), entry.Name) {
			continue
		}
		theirs := *c
		theirs.Event = inputEvent(d, c)
		isHere := len(d.Install.Variables) == 0 || getenv(d.Install.Variables[0]) != ""
		if (own == "" || isHere) && d.Events.Has(theirs.Event) && d.Detect(&theirs) {
			c.Event, c.Client = theirs.Event, d.Dialect
			return nil
		}
	}
	if own != "" {
		c.Event, c.Client = own, entry.Dialect
		return nil
	}
	if _, known := s.ParseEvent(string(c.Event)); !known && !unnamed {
		return s.unknownEvent(name)
	}
	const text = "the hook input is not %s's: %s; give --output the client that sent it, or leave it out"
	why := fmt.Sprintf("%q is no event there", c.Event)
	if unnamed {
		why = "it has another form"
	}
	return fmt.Errorf(text, entry.Files.Client, why)
}

// inputEvent returns the event of an input in a client's form, which may name it in another way.
func inputEvent(d *client.Client, c *dialect.Call) protocol.Event {
	if d.InputEvent != nil {
		return d.InputEvent(c.ClientInput)
	}
	return protocol.Event(dialect.StringOf(gjson.Get(c.ClientInput, "hook_event_name")))
}

func (s *Set) unknownEvent(name gjson.Result) error {
	if !name.Exists() {
		return errors.New("the hook input has no hook_event_name; give it what a client gives its hooks")
	}
	return fmt.Errorf("the hook input's hook_event_name %s is no event that is known%s", name.Raw,
		s.meantEvent(name.String()))
}

func (s *Set) meantEvent(name string) string {
	if near := spelling.Near(name, s.EventNames()); len(near) > 0 {
		return fmt.Sprintf("; did you mean %q?", near[0])
	}
	return ""
}

// sender returns the client that sent an input: the only client with the event, or else the first client whose Detect
// accepts the input, or else the client without Detect, whose form others took over, or the first with the event.
func (s *Set) sender(c *dialect.Call, event protocol.Event) *client.Client {
	var having []*client.Client
	var plain *client.Client
	for _, d := range s.Clients() {
		if d.Detect == nil {
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
		if d.Detect != nil && d.Detect(c) {
			return d
		}
	}
	if len(having) > 0 && (plain == nil || !plain.Events.Has(event)) {
		return having[0]
	}
	return plain
}

// unnamedEvent returns the event of a hook input without hook_event_name, or "" if no client writes such an input.
func (s *Set) unnamedEvent(doc string) (event protocol.Event) {
	for _, d := range s.Clients() {
		if d.InputEvent != nil {
			event = cmp.Or(event, d.InputEvent(doc))
		}
	}
	return event
}
