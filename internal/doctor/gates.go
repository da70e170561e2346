package doctor

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/gate/engine"
	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/install"
	"github.com/hookrun/hookrun/protocol"
)

// switchedOff reports the hooks that their files switch off: a note, or for a hook at tools a warning. Those that only
// observe are warnings.
func (d *Doctor) switchedOff() (found []Finding) {
	for _, h := range d.hooks() {
		if h.Disabled == "" {
			continue
		}
		severity := Note
		if h.AtTools() {
			severity = Warning
		}
		mend := `take "enabled": false out of its entry`
		if h.DisabledAt != "" {
			mend = "take " + strconv.Quote(h.Name) + ` out of "disable" in ` + h.DisabledAt
		}
		found = append(found, Finding{Check: "hook", Severity: severity, Where: h.Source(), Mend: mend,
			What: "hook " + strconv.Quote(h.Name) + " is switched off: " + h.Disabled})
	}
	if skip := d.Getenv(engine.SkipVariable); skip != "" {
		found = append(found, Finding{Check: "hook", Severity: Warning, Where: "$" + engine.SkipVariable,
			What: "hooks are skipped in the sessions of clients that start from here: " + strconv.Quote(skip),
			Mend: "unset " + engine.SkipVariable})
	}
	if cfg := d.Workspace.Config; cfg != nil {
		for _, o := range hook.Observing(cfg.Hooks) {
			found = append(found, Finding{Check: "hook", Severity: Warning, Where: o.Position(), What: o.Text,
				Mend: `take "mode": "observe" or "observe" out of the file once they are to block`})
		}
	}
	return found
}

func (d *Doctor) hooks() (hooks []*hook.Hook) {
	if cfg := d.Workspace.Config; cfg != nil {
		for i := range cfg.Hooks {
			hooks = append(hooks, &cfg.Hooks[i])
		}
	}
	return hooks
}

// Switches are the findings about settings of clients that switch hookrun's entries off.
func (d *Doctor) Switches() (off []Finding) {
	for _, name := range install.Names() {
		c := d.open(name)
		for _, f := range c.switches() {
			if f.Severity == Error && len(c.entries) > 0 {
				f.Client = name
				off = append(off, f)
			}
		}
	}
	return off
}

// gates adds to the clients the hooks that meet none of their tools. It is an error if a hook meets no tool of any
// client that is here.
func (d *Doctor) gates(examined []*client) {
	cfg := d.Workspace.Config
	if cfg == nil {
		return
	}
	var here []*client // looked up for the first hook that needs it
	for _, h := range d.hooks() {
		if h.Disabled != "" || !h.AtTools() || !cfg.IsForKnownTools(h) {
			continue
		}
		meets := func(c *client) bool {
			tools, every := h.MeetsOf(c.dialect)
			return every || len(tools) > 0 || len(c.dialect.Tools()) == 0
		}
		if !slices.ContainsFunc(examined, func(c *client) bool { return !meets(c) }) {
			continue
		}
		if here == nil {
			here = d.here(examined)
		}
		met := slices.ContainsFunc(here, meets)
		for _, c := range examined {
			if meets(c) {
				continue
			}
			f := Finding{Check: "hook", Severity: Warning, Where: h.Source(),
				What: "hook " + strconv.Quote(h.Name) + " meets no tool of " + c.Files.Client,
				Mend: "write the project's name for the tool, as shell or fs_write, if the hook is for this client"}
			if !met {
				f.Severity = Error
				f.What += ", nor of any other client that is here, so it runs for no call of theirs"
			}
			c.add(f)
		}
	}
}

// here are all clients on this machine, those that were examined and others.
func (d *Doctor) here(examined []*client) []*client {
	here := slices.Clone(examined)
	for _, name := range install.Names() {
		if slices.ContainsFunc(examined, func(c *client) bool { return c.Name == name }) {
			continue
		}
		if c := d.open(name); c.found != "" {
			here = append(here, c)
		}
	}
	return here
}

// everyTool are the matchers of entries that are for every tool.
var everyTool = []string{"", "null", `""`, `"*"`, `".*"`}

// narrow reports the matcher of an entry of hookrun's. It is an error if it keeps calls from a gate. at are all entries
// at the event.
func (c *client) narrow(e install.Found, at []install.Found, where string) {
	if slices.Contains(everyTool, e.Matcher) {
		return
	}
	const text = "the entry at %s has the matcher %s, so hookrun runs for no other tool"
	f := Finding{Check: "matcher", Severity: Warning, Where: where, Mend: "take the matcher out there",
		What: fmt.Sprintf(text, e.Event, e.Matcher)}
	if hook, tool := c.unreached(at, protocol.Event(e.Event)); hook != "" {
		f.Severity = Error
		f.What += fmt.Sprintf(": hook %s does not run for %s", strconv.Quote(hook), tool)
	}
	c.add(f)
}

// unreached returns a hook, and a tool that it is for and that no entry at the event matches.
func (c *client) unreached(at []install.Found, event protocol.Event) (hook, tool string) {
	const subject = "tool_name"
	cfg := c.doctor.Workspace.Config
	if cfg == nil || c.dialect.SubjectField(event) != subject || !c.dialect.Files.HasPattern() {
		return "", ""
	}
	var patterns []dialect.Pattern
	for _, e := range at {
		if slices.Contains(everyTool, e.Matcher) {
			return "", ""
		}
		patterns = append(patterns, c.dialect.Files.Pattern(gjson.Parse(e.Matcher).String(), subject))
	}
	for _, h := range c.doctor.hooks() {
		if h.Disabled != "" || !slices.ContainsFunc(h.Events, func(e protocol.Event) bool {
			return dialect.Canonical(e) == dialect.Canonical(event)
		}) {
			continue
		}
		tools, every := h.MeetsOf(c.dialect)
		if every {
			for _, t := range c.dialect.Tools() {
				tools = append(tools, t.Name())
			}
			tools = append(tools, "mcp__server__tool")
		}
		for _, tool := range tools {
			if !slices.ContainsFunc(patterns, func(p dialect.Pattern) bool { return p.Match(tool) }) {
				return h.Name, tool
			}
		}
	}
	return "", ""
}
