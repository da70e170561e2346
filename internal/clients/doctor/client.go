package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/clients/install"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/lib/files/regular"
	"github.com/hookrun/hookrun/protocol"
)

// checked is a client that doctor examines.
type checked struct {
	*install.Client
	dialect  *client.Client
	doctor   *Doctor
	findings []Finding

	found string // how doctor found the client: by a program, a variable or a file; "": not here
	// executable is the client's program in PATH, or "".
	executable string
	release    string // the version that executable prints; "": unknown
	files      []client.SettingsText
	entries    []install.InstalledEntry
	newest     time.Time // last change of a file with an entry
	// unreadable has the files with a fault; install does not write to them.
	unreadable map[string]bool
	// again is the mending of entries for all users; empty for other entries.
	again mending
}

// add adds a finding about the client. mend, if given, replaces the finding's own Mend and Command.
func (c *checked) add(f Finding, mend ...mending) {
	f.Client = c.Name
	for _, m := range mend {
		f.Mend, f.Command = m.text, m.command
	}
	c.findings = append(c.findings, f)
}

// open reads a client's settings, and finds out whether the client is on this machine.
func (d *Doctor) open(name string) *checked {
	known, _ := install.Lookup(name)
	as, _ := clients.All().ClientNamed(name)
	c := &checked{Client: known, dialect: as, doctor: d, unreadable: map[string]bool{}}
	if program, err := d.Look(c.Program); err == nil {
		c.executable, c.found = program, program
	}
	for _, v := range c.Variables {
		if d.Getenv(v) != "" {
			c.found = cmp.Or(c.found, "$"+v)
		}
	}
	c.read()
	return c
}

// client examines one client. A client that is not on this machine gets no findings, unless named in Clients.
func (d *Doctor) client(name string) *checked {
	c := d.open(name)
	switch {
	case c.found == "" && d.Clients == nil:
		return c
	case c.executable == "":
		what := c.Files.Client + " is not in PATH"
		if c.found != "" {
			what += ", and was found by " + c.found
		}
		c.add(Finding{Check: "client", Severity: Note, What: what,
			Mend: "put " + c.Program + " into PATH, or install it"})
	default:
		c.version(c.executable)
	}
	c.checkEntries()
	return c
}

// read reads the client's settings files, the weakest first, and the hookrun entries in them.
func (c *checked) read() {
	w := c.where()
	project, user := c.Project(w.Workspace), c.User(w.Home, w.Getenv)
	var own []string
	weakest, strongest, beside := c.OtherFiles(w)
	places := []dialect.Place{user, project}
	if c.Folder == "" {
		places = places[:1]
	}
	for _, place := range places {
		for _, base := range append([]string{c.Base}, c.Others...) {
			own = append(own, filepath.Join(filepath.Dir(place.Path), base))
		}
		for _, f := range c.OwnFiles() {
			own = append(own, filepath.Join(filepath.Dir(place.Path), f.Base))
		}
	}
	if m, has := c.Client.Managed(runtime.GOOS); has && !slices.Contains(strongest, m.Path) {
		strongest = append(strongest, m.Path)
	}
	for _, path := range slices.Compact(slices.Concat(weakest, own, strongest)) { // the home can be the workspace
		file, exists, err := c.Text(path)
		if !exists {
			continue
		}
		if slices.Contains(own, path) {
			c.found = cmp.Or(c.found, path)
		}
		c.files = append(c.files, file)
		entries := c.Entries(file, c.doctor.Binary)
		if info, err := os.Stat(path); err == nil && len(entries) > 0 && info.ModTime().After(c.newest) {
			c.newest = info.ModTime()
		}
		c.entries = append(c.entries, entries...)
		if c.OwnFiles() != nil {
			runs := func(event string) bool { return c.RunsAt(path, event) }
			if len(entries) > 0 || slices.ContainsFunc(c.wanted(), runs) {
				c.ownFile(file, err)
			}
			continue
		}
		c.unreadable[path] = err != nil
		if err == nil && file.Text != "" {
			_, err = parts.All().ParseAs(path, []byte(file.Text), c.dialect.Dialect)
			c.unreadable[path] = err != nil && c.HasExtension(path)
		}
		c.fault(path, err, len(entries) > 0)
	}
	for _, path := range beside {
		if file, exists, _ := c.Text(path); exists {
			c.files = append(c.files, file)
		}
	}
}

// ownFile reports a file that should be hookrun's own but is foreign, edited or unreadable.
func (c *checked) ownFile(file client.SettingsText, err error) {
	f := Finding{Check: "entry", Severity: Error, Where: file.Path}
	if f.What, f.Mend = c.CheckOwnFile(file); err != nil {
		f.What, f.Mend = err.Error(), "see that it can be read"
	}
	if f.What != "" {
		c.add(f)
	}
}

// fault reports an error in a settings file.
func (c *checked) fault(path string, err error, hasEntries bool) {
	if err == nil {
		return
	}
	f := Finding{Check: "settings", Severity: Warning, Where: path, What: err.Error()}
	f.Mend = "fix it there, then run hookrun doctor again"
	var problems hook.Diagnostics
	if errors.As(err, &problems) {
		first := diagnosed(Warning, problems[0])
		f.Where, f.What = first.Where, first.What
	}
	if f.What += "; " + c.Files.Client + " may drop the whole file for that, without a word"; hasEntries {
		f.Severity = Error
		f.What += ", and hookrun's entry with it"
	}
	c.add(f)
}

func (c *checked) where() client.Where {
	return client.Where{Workspace: c.doctor.Workspace.Started, Home: c.doctor.Home, Getenv: c.doctor.Getenv}
}

// checkEntries reports whether the client's entries run hookrun.
func (c *checked) checkEntries() {
	if len(c.entries) == 0 {
		c.add(Finding{Check: "entry", Severity: Error,
			What: "hookrun is not installed: no settings of " + c.Files.Client + " run it"}, c.install())
		if status := c.doctor.Workspace.Trust.Status; status == "unknown" || status == "changed" {
			c.checkTrust(true) // an entry needs trust too
		}
		c.lastRun(time.Time{})
		return
	}
	c.obstacles()
	for _, e := range c.uniqueEntries(func(e install.InstalledEntry) string { return e.Path + e.Command }) {
		var events []string
		for _, same := range c.entries {
			if same.Path == e.Path && same.Command == e.Command {
				events = append(events, same.Event)
			}
		}
		c.add(Finding{Check: "entry", Severity: OK, Where: e.Path + ":" + strconv.Itoa(e.Line),
			What: "runs hookrun at " + strings.Join(events, ", ") + ": " + e.Call()})
	}
	c.events()
	c.trust()
	c.unseen()
	c.duplicateEntries()
	c.duplicateHooks()
	for _, e := range c.uniqueEntries(func(e install.InstalledEntry) string { return e.Command }) {
		if !c.program(e) {
			continue
		}
		gate := func(g install.InstalledEntry) bool {
			return g.Command == e.Command && clients.All().Common(protocol.Event(g.Event)) == protocol.PreTool
		}
		switch at := slices.IndexFunc(c.entries, gate); {
		case at < 0:
		case c.isSafeToRun(e):
			c.canary(c.entries[at])
		default:
			const text = "the entry was not tried: it is in the project's settings, and install writes another command"
			c.add(Finding{Check: "canary", Severity: Warning, Where: e.Path + ":" + strconv.Itoa(e.Line), What: text},
				c.otherAnswer(e))
		}
	}
	for _, text := range c.DuplicateEntries(c.where(), c.doctor.Binary) {
		c.add(Finding{Check: "twice", Severity: Warning, What: text,
			Mend: "take one of them out: see hookrun uninstall --help"})
	}
	for _, twice := range c.ProxiedServers(c.where(), c.doctor.Binary) {
		f := diagnosed(Warning, twice.Diagnostic)
		f.Check, f.Mend = "twice", twice.Mend
		c.add(f)
	}
	c.lastRun(c.newest)
}

// isSafeToRun reports whether running the command of an entry is safe: the command runs only this hookrun, or is in the
// user's own settings, which are trusted. A project's settings can hold any command, and a user who runs doctor there
// has not trusted the project yet.
func (c *checked) isSafeToRun(e install.InstalledEntry) bool {
	w := c.where()
	user, project := c.User(w.Home, w.Getenv), c.Project(w.Workspace)
	if filepath.Dir(e.Path) == filepath.Dir(user.Path) && filepath.Dir(e.Path) != filepath.Dir(project.Path) {
		return true
	}
	path, _, known := install.Program(e.Command)
	return known && e.IsStandard && regular.Same(path, c.doctor.Binary)
}

// uniqueEntries returns the first entry of each key.
func (c *checked) uniqueEntries(key func(install.InstalledEntry) string) (some []install.InstalledEntry) {
	seen := map[string]bool{}
	for _, e := range c.entries {
		if !seen[key(e)] {
			some = append(some, e)
		}
		seen[key(e)] = true
	}
	return some
}

// switches returns a finding for each switch in the client's settings. The strongest file with the switch decides.
func (c *checked) switches() (found []Finding) {
	strongest, order := map[string]Finding{}, []string{}
	for _, file := range c.files {
		if file.Text == "" {
			continue
		}
		for _, s := range c.Switches(file.Text) {
			if _, there := strongest[s.Name]; !there {
				order = append(order, s.Name)
			}
			f := Finding{Check: "switch", Severity: OK, Where: file.Path, What: s.Name + " leaves hooks on"}
			if s.Off {
				f.Severity, f.What, f.Mend = Error, s.What, s.Mend
			}
			strongest[s.Name] = f
		}
	}
	for _, name := range order {
		found = append(found, strongest[name])
	}
	return found
}

// obstacles reports the settings and trust rules that keep the client from running the entries.
func (c *checked) obstacles() {
	for _, f := range c.switches() {
		c.add(f)
	}
	in := &client.Installed{Where: c.where(), Files: c.files}
	m, _ := c.Client.Managed(runtime.GOOS)
	for _, e := range c.entries {
		if e.Path == m.Path { // needs no trust
			in.Managed = true
			continue
		}
		in.Entries = append(in.Entries, e.EntryText)
	}
	for _, o := range c.Obstacles(in) {
		severity := Warning
		if o.Known || o.Person && !c.hasRun() {
			severity = Error
		}
		c.add(Finding{Check: "client-trust", Severity: severity, Where: o.Path, What: o.What, Mend: o.Mend})
	}
}

// trust reports whether the entries check that a person has allowed the current hooks, and pin them for a session.
func (c *checked) trust() {
	w := &c.doctor.Workspace
	if w.Config == nil {
		return
	}
	required, pinned, blocks := w.Config.Trust == "required", true, false
	var notPinned, notRequired mending
	for _, e := range c.uniqueEntries(func(e install.InstalledEntry) string { return e.Command }) {
		_, args, known := install.Program(e.Command)
		value := c.doctor.Getenv("HOOKRUN_TRUST")
		for i, word := range args { // the last --trust counts
			if word == "--trust" && i+1 < len(args) {
				value = args[i+1]
			} else if joinedValue, joined := strings.CutPrefix(word, "--trust="); joined {
				value = joinedValue
			}
		}
		if required = required || value == "required"; !required {
			notRequired = c.reinstall(e)
		}
		for i := range args {
			blocks = blocks || strings.Join(args[i:min(i+2, len(args))], "=") == "--before-allow=block"
		}
		if known && !slices.Contains(args, "--pin") && !slices.Contains(args, "--managed") {
			pinned, notPinned = false, c.reinstall(e)
		}
	}
	if required {
		c.checkTrust(blocks)
	} else {
		c.add(Finding{Check: "trust", Severity: Note,
			What: "the entry has no --trust required: changed hooks run, whoever changed them"}, notRequired)
	}
	if !pinned {
		c.add(Finding{Check: "pin", Severity: Note,
			What: "the entry has no --pin: hooks that change during a session run at once"}, notPinned)
	}
}

// checkTrust reports whether a person has allowed the current hooks. blocks: until then every tool call is blocked.
func (c *checked) checkTrust(blocks bool) {
	w := &c.doctor.Workspace
	f, mend := Finding{Check: "trust", Severity: Error}, []mending{run("allow", w.Folder)}
	switch {
	case w.Trust.Problem != "":
		mend = nil
		f.What = "every call is blocked, since hookrun cannot read whether the hooks were allowed: " + w.Trust.Problem
		f.Mend = "chmod 700 the folder " + c.doctor.State
	case w.Trust.Status == "unknown":
		f.What = "nobody has allowed the project's hooks, so "
		if blocks {
			f.What += "every tool call is blocked"
		} else {
			f.What += "they do not run"
		}
	case w.Trust.Status == "changed":
		f.What = w.Trust.Reason
	default:
		mend = nil
		f.Severity, f.What = OK, "there are no hooks that must be allowed"
		if w.Trust.Status == "allowed" {
			f.What = "the hooks are those that were allowed on " + w.Trust.Allowed.Local().Format(time.DateTime)
		}
	}
	c.add(f, mend...)
}

// duplicateEntries reports two entries that run hookrun for the same call.
func (c *checked) duplicateEntries() {
	first := map[string]install.InstalledEntry{}
	if c.dialect.AnsweringFiles != nil { // the client lets only one entry answer
		return
	}
	for _, e := range c.entries {
		before, there := first[e.Event]
		if !there {
			first[e.Event] = e
			continue
		}
		if c.Once && before.Command == e.Command || before.Matcher != e.Matcher {
			continue
		}
		c.add(Finding{
			Check: "twice", Severity: Warning, Where: e.Path + ":" + strconv.Itoa(e.Line),
			What: fmt.Sprintf("another entry runs hookrun at %s: %s:%d, so every hook runs twice", e.Event, before.Path,
				before.Line),
		}, c.removeDuplicate(e, before))
	}
}

// list returns the first names, and the number of further names.
func list(names []string) string {
	const most = 3
	text := ""
	for i, name := range names[:min(most, len(names))] {
		if i > 0 {
			text += ", "
		}
		text += strconv.Quote(name)
	}
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
