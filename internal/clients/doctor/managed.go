package doctor

import (
	"errors"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/clients/install"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/protocol"
)

// ExamineManaged checks the settings for all users of this machine, and whether a user's own settings can switch
// hookrun off there.
func (d *Doctor) ExamineManaged() *Report {
	hooks, findings := d.managedHooks()
	r := &Report{Version: 1, Workspace: d.Workspace.Folder, Clients: []string{}, Findings: findings}
	names := d.Clients
	if names == nil {
		names = install.Names()
	}
	examined := make([]*checked, len(names))
	var wait sync.WaitGroup
	for i, name := range names {
		wait.Go(func() {
			examined[i] = d.open(name)
			examined[i].findings = nil // about the settings of this user
			examined[i].managed(hooks)
		})
	}
	wait.Wait()
	for _, c := range examined {
		if len(c.findings) > 0 {
			r.Clients = append(r.Clients, c.Name)
			r.Findings = append(r.Findings, c.findings...)
		}
	}
	if len(r.Clients) == 0 {
		r.Findings = append(r.Findings, Finding{Check: "clients", Severity: Error,
			What: "no client has hookrun in the settings for all users, and none is in PATH",
			Mend: "run hookrun install --managed CLIENT as administrator"})
	}
	r.OK = !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Severity == Error })
	return r
}

// managedHooks returns the hooks of the managed hooks file, and reports on the file.
func (d *Doctor) managedHooks() (hooks []hook.Hook, found []Finding) {
	o := hookfile.Options{Parts: parts.All()}
	path := hookfile.ManagedFile()
	f := Finding{Check: "hooks-file", Severity: OK, Where: path}
	cfg, err := o.LoadFile(o.Named([]string{path})[0])
	var faults hook.Diagnostics
	switch {
	case errors.As(err, &faults):
		for _, fault := range faults {
			found = append(found, diagnosed(Error, fault))
		}
		return nil, found
	case err != nil:
		f.Severity, f.What = Error, err.Error()
		return nil, []Finding{f}
	case !slices.ContainsFunc(cfg.Hooks, func(h hook.Hook) bool { return h.Active() }):
		f.Severity, f.What, f.Mend = Warning, "it has no hook that runs, so nothing is blocked", "write hooks there"
	default:
		f.What = "managed hooks file, " + spelling.Count(len(cfg.Hooks), "hook")
	}
	if err := install.CheckManaged(path, 0o4); err != nil {
		f.Severity, f.What, f.Mend = Error, err.Error(), ""
	}
	return cfg.Hooks, []Finding{f}
}

// managed checks the client's settings for all users. A client that is not here gets no findings, unless named.
func (c *checked) managed(hooks []hook.Hook) {
	m, has := c.Client.Managed(runtime.GOOS)
	isHere := c.doctor.Clients != nil || c.executable != ""
	if !has {
		if isHere {
			c.add(Finding{Check: "managed", Severity: Warning,
				What: c.Files.Client + " has no settings for all users that override a user's own, so a user can " +
					"switch hookrun off there",
				Mend: "do not have it on this machine, if that matters"})
		}
		return
	}
	entries, state, err := c.ManagedEntries(m, c.doctor.Binary)
	c.again = mending{text: "run as administrator: hookrun install --managed " + c.Name}
	f := Finding{Check: "managed", Severity: Error, Where: m.Path}
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		f.What = err.Error()
		c.add(f, c.again)
		return
	case len(entries) == 0 && !isHere:
		return
	case len(entries) == 0:
		f.What = "no entry of hookrun install --managed is here, so no user has to run hookrun"
		c.add(f, c.again)
		return
	case state == install.ManagedDiffers:
		f.What = "the settings are not as hookrun install --managed writes them, so a user may be able to switch " +
			"hooks off"
		c.add(f, c.again)
	default:
		var events []string
		for _, e := range entries {
			events = append(events, e.Event)
		}
		f.Severity, f.Where = OK, m.Path+":"+strconv.Itoa(entries[0].Line)
		f.What = "all users run hookrun at " + strings.Join(events, ", ") + ": " + entries[0].Call()
		c.add(f)
	}
	c.managedEvents(m.Path, entries, hooks)
	c.managedOwners(m, entries[0])
	for _, s := range c.managedSwitches() {
		c.add(s)
	}
	if at := slices.IndexFunc(entries, func(e install.InstalledEntry) bool {
		return clients.All().Common(protocol.Event(e.Event)) == protocol.PreTool
	}); at >= 0 && c.program(entries[at]) {
		c.canary(entries[at])
	}
	if m.Only != nil && state != install.ManagedAlone {
		c.add(Finding{Check: "other-hooks", Severity: Warning, Where: m.Path,
			What: "a hook of a user's own can change a call that hookrun has let pass",
			Mend: "run as administrator: hookrun install --managed " + c.Name + " --only"})
	}
	for _, way := range m.Ways {
		c.add(Finding{Check: "way-out", Severity: Warning,
			What: "a user can get around hookrun in " + c.Files.Client + ": " + way,
			Mend: "see docs/scale/managed.md#what-users-tried"})
	}
	c.try(m)
}

// managedEvents reports events that need an entry and have none.
func (c *checked) managedEvents(path string, entries []install.InstalledEntry, hooks []hook.Hook) {
	for _, event := range c.NeededEvents(hooks, false) {
		if !slices.ContainsFunc(entries, func(e install.InstalledEntry) bool { return e.Event == event }) {
			c.add(Finding{Check: "entry", Severity: Error, Where: path, What: "no entry runs hookrun at " + event},
				c.again)
		}
	}
}

// managedOwners reports files that users other than root could change, or could not read.
func (c *checked) managedOwners(m client.Managed, e install.InstalledEntry) {
	rights := map[string]fs.FileMode{m.Path: 0o4}
	for _, own := range m.Own {
		rights[filepath.Join(filepath.Dir(m.Path), own.Base)] = 0o4
	}
	if program, _, known := install.Program(e.Command); known {
		rights[program] = 0o5
	}
	for path, needs := range rights {
		if err := install.CheckManaged(path, needs); err != nil {
			c.add(Finding{Check: "owner", Severity: Error, Where: path, What: err.Error(),
				Mend: "do that as administrator"})
		}
	}
}

// managedSwitches reports the administrator's own settings that switch hooks off.
func (c *checked) managedSwitches() (found []Finding) {
	_, strongest, _ := c.OtherFiles(c.where())
	for _, path := range strongest {
		file, exists, err := c.Text(path)
		if !exists || err != nil {
			continue
		}
		for _, s := range c.Switches(file.Text) {
			if s.Off {
				found = append(found,
					Finding{Check: "switch", Severity: Error, Where: path, What: s.What, Mend: s.Mend})
			}
		}
	}
	return found
}
