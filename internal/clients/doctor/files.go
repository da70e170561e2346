package doctor

import (
	"fmt"
	"slices"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/clients/install"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/protocol"
)

// duplicateHooks reports hooks that the client runs from its own file and, through hookrun, from the project's file.
func (c *checked) duplicateHooks() {
	if c.doctor.Workspace.Config == nil || c.OwnFiles() != nil {
		return
	}
	for _, file := range c.files {
		cfg, err := parts.All().ParseAs(file.Path, []byte(file.Text), c.dialect.Dialect)
		if err != nil || cfg == nil {
			continue
		}
		for i := range cfg.Hooks {
			theirs := &cfg.Hooks[i]
			if install.RunsHookrun(theirs.Process().String()) {
				continue
			}
			if ours, at := c.sameHook(theirs); ours != nil {
				c.add(Finding{Check: "twice", Severity: Warning, Where: theirs.Source(),
					What: fmt.Sprintf("every hook runs twice that is here and in hookrun's file: at %s the hook %q of "+
						"%s does the same", at, ours.Name, ours.Source()),
					Mend: "take the hook out here, or there"})
			}
		}
	}
}

// sameHook returns the project's hook that equals a hook in the client's own file, and their common event.
func (c *checked) sameHook(theirs *hook.Hook) (ours *hook.Hook, at protocol.Event) {
	hooks := c.doctor.Workspace.Config.Hooks
	for i := range hooks {
		h := &hooks[i]
		if !h.Active() || !theirs.Active() || h.Rule() != nil || h.String() != theirs.String() {
			continue
		}
		n := slices.IndexFunc(theirs.Events, func(e protocol.Event) bool {
			same := func(o protocol.Event) bool { return clients.All().Common(o) == clients.All().Common(e) }
			return h.Wants(e, clients.All()) || slices.ContainsFunc(h.Events, same)
		})
		if n >= 0 {
			return h, theirs.Events[n]
		}
	}
	return nil, ""
}

// missingEvents reports hook events that no examined client with an entry has.
func (d *Doctor) missingEvents(examined []*checked) (found []Finding) {
	if d.Workspace.Config == nil {
		return nil
	}
	where := client.Where{Workspace: d.Workspace.Folder, Home: d.Home, Getenv: d.Getenv}
	for _, m := range install.FindMissing(where, d.Workspace.Config.Hooks, d.Binary) {
		shown := slices.ContainsFunc(examined, func(c *checked) bool { return c.Client.Client == m.Client })
		if m.Mend != "" || !shown { // the client's own findings report an event with a Mend
			continue
		}
		f := Finding{Check: "event", Severity: Error, Where: m.Hook.Source(), What: m.String(),
			Mend: "give the entry the dialect and the event of a client that is used here, or take it out"}
		if m.RunsElsewhere {
			f.Severity = Note
		}
		found = append(found, f)
	}
	return found
}
