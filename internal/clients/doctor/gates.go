package doctor

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/install"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/lib/glob"
	"github.com/hookrun/hookrun/protocol"
)

// switchedOff reports hooks that a file switches off (a note; for a hook at tools, a warning), hooks skipped by the
// environment, and hooks that only observe (warnings).
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
		switch {
		case h.DisabledAt != "":
			mend = "take " + strconv.Quote(h.Name) + ` out of "disable" in ` + h.DisabledAt
		case h.PackRule() != nil:
			mend = "take " + strconv.Quote(h.Name) + ` out of "except" in ` + h.File
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
		for _, o := range hook.Observing(cfg.Hooks, d.Now) {
			if o.Over || o.Soon {
				continue // a warning of check
			}
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

// gates adds to each client the hooks that match none of its tools: a warning, or an error if a hook matches no tool of
// any client on this machine.
func (d *Doctor) gates(examined []*checked) {
	cfg := d.Workspace.Config
	if cfg == nil {
		return
	}
	var here []*checked // computed for the first hook that needs the list
	for _, h := range d.hooks() {
		if h.Disabled != "" || !h.AtTools() || !cfg.IsForKnownTools(h) {
			continue
		}
		meets := func(c *checked) bool {
			tools, every := h.MatchingTools(c.dialect.Tools, clients.All())
			return every || len(tools) > 0 || len(c.dialect.Tools) == 0
		}
		if !slices.ContainsFunc(examined, func(c *checked) bool { return !meets(c) }) {
			continue
		}
		if here == nil {
			here = d.presentClients(examined)
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

// unnamedServers adds to each client that does not tell the MCP server of a tool the hooks for servers in none of its
// files: an error, because such a hook runs for no call.
func (d *Doctor) unnamedServers(examined []*checked) {
	for _, c := range examined {
		form := c.dialect.MCP
		if form.NamesServer() || d.Workspace.Config == nil {
			continue
		}
		listed := c.ServerNames(c.where())
		for _, h := range d.hooks() {
			for _, server := range h.MCPServers() {
				if !h.AtTools() || slices.ContainsFunc(listed, glob.New(server).Match) ||
					d.Workspace.Config.NamesServer(server) {
					continue
				}
				theirs := form.Name(dialect.MCPName(server, "TOOL"))
				c.add(Finding{Check: "hook", Severity: Error, Where: h.Source(),
					What: fmt.Sprintf("hook %q is for tools of the MCP server %s, which is in no file of %[3]s, and "+
						"%[3]s does not tell which server a tool is of", h.Name, server, c.Files.Client),
					Mend: fmt.Sprintf(`name each tool of it in the hooks file, as "tools": {%q: %q}`, theirs,
						dialect.MCPName(server, "TOOL"))})
			}
		}
	}
}

// presentClients returns all clients on this machine, examined or not.
func (d *Doctor) presentClients(examined []*checked) []*checked {
	here := slices.Clone(examined)
	for _, name := range install.Names() {
		if slices.ContainsFunc(examined, func(c *checked) bool { return c.Name == name }) {
			continue
		}
		if c := d.open(name); c.found != "" {
			here = append(here, c)
		}
	}
	return here
}

// everyTool has the matchers that match every tool.
var everyTool = []string{"", "null", `""`, `"*"`, `".*"`}

// checkMatcher reports the matcher of a hookrun entry: a warning, or an error if a hook misses calls. at has all
// entries at the event.
func (c *checked) checkMatcher(e install.InstalledEntry, at []install.InstalledEntry, where string) {
	if slices.Contains(everyTool, e.Matcher) {
		return
	}
	const text = "the entry at %s has the matcher %s, so hookrun runs for no other tool"
	f := Finding{Check: "matcher", Severity: Warning, Where: where, Mend: "take the matcher out there",
		What: fmt.Sprintf(text, e.Event, e.Matcher)}
	if hook, tool := c.uncoveredTool(at, protocol.Event(e.Event)); hook != "" {
		f.Severity = Error
		f.What += fmt.Sprintf(": hook %s does not run for %s", strconv.Quote(hook), tool)
	}
	c.add(f)
}

// uncoveredTool returns a hook and a tool of this hook that no entry at the event matches.
func (c *checked) uncoveredTool(at []install.InstalledEntry, event protocol.Event) (hook, tool string) {
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
			return clients.All().Common(e) == clients.All().Common(event)
		}) {
			continue
		}
		tools, every := h.MatchingTools(c.dialect.Tools, clients.All())
		if every {
			for _, t := range c.dialect.Tools {
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
