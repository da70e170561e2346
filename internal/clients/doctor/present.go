package doctor

import (
	"path/filepath"
	"regexp"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/install"
	"github.com/hookrun/hookrun/internal/lib/files/regular"
	"github.com/hookrun/hookrun/internal/record/lastrun"
	"github.com/hookrun/hookrun/internal/record/runlog"
)

// Present is a client on this machine, with the settings that keep the client from running hookrun's entries.
type Present struct {
	runlog.Client
	Off []Finding
}

// Present returns the clients on this machine. It starts no program: only files tell a client's version.
func (d *Doctor) Present() (clients []Present) {
	for _, name := range install.Names() {
		if c := d.open(name); c.found != "" || len(c.entries) > 0 {
			clients = append(clients, c.present())
		}
	}
	return clients
}

func (c *checked) present() (p Present) {
	p.Client = runlog.Client{Name: c.Name, Program: c.executable, Entries: []runlog.ClientEntry{}}
	p.Version = versionBeside(c.executable)
	for _, e := range c.entries {
		binary, _, known := install.Program(e.Command)
		if !known {
			binary = e.Command
		}
		same := func(o runlog.ClientEntry) bool { return o.File == e.Path && o.Binary == binary }
		at := slices.IndexFunc(p.Entries, same)
		if at < 0 {
			at = len(p.Entries)
			p.Entries = append(p.Entries, runlog.ClientEntry{File: e.Path, Line: e.Line, Binary: binary})
		}
		p.Entries[at].Events = append(p.Entries[at].Events, e.Event)
	}
	if len(p.Entries) > 0 {
		c.obstacles()
		for _, f := range c.findings {
			if f.Severity == Error {
				p.Off = append(p.Off, f)
				p.Client.Off = append(p.Client.Off, f.Where+": "+f.What)
			}
		}
	}
	if c.doctor.StateErr != nil {
		return p
	}
	if at, err := c.lastTime(); err == nil && !at.IsZero() {
		p.Last = &at
	}
	for _, workspace := range pathsOf(c.doctor.Workspace.Folder) {
		if last := lastrun.LastCanary(c.doctor.State, c.Name, workspace); last != nil &&
			(p.Canary == nil || last.Time.After(p.Canary.Time)) {
			p.Canary = last
		}
	}
	return p
}

// versionBeside returns the version of a program by its path or by the package.json of its npm package, or "".
func versionBeside(program string) string {
	path, err := filepath.EvalSymlinks(program)
	if program == "" || err != nil {
		return ""
	}
	if base := filepath.Base(path); regexp.MustCompile(`^\d+\.\d+\.\d+[\w.+-]*$`).MatchString(base) {
		return base
	}
	for range 4 {
		path = filepath.Dir(path)
		text, _, err := regular.Read(filepath.Join(path, "package.json"), 1<<20)
		if err == nil && gjson.GetBytes(text, "bin").Exists() {
			return gjson.GetBytes(text, "version").String()
		}
	}
	return ""
}

// RecordCanaries records the results of the test calls of a report.
func (d *Doctor) RecordCanaries(r *Report) {
	results := map[string]lastrun.Canary{}
	for _, f := range r.Findings {
		if before, there := results[f.Client]; f.Check == "canary" && (!there || before.OK) {
			results[f.Client] = lastrun.Canary{Time: d.Now.UTC(), OK: f.Severity == OK, What: f.What}
		}
	}
	lastrun.ForgetBeats(d.State)
	for client, c := range results {
		if d.StateErr == nil {
			_ = lastrun.RecordCanary(d.State, client, d.Workspace.Folder, c) // Examine reports an unusable state folder
		}
	}
}
