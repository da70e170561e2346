package doctor

import (
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/hookrun/hookrun/internal/clients/install"
	"github.com/hookrun/hookrun/internal/lib/files/regular"
	"github.com/hookrun/hookrun/internal/lib/shellword"
)

// mending says how to mend a finding: in words, and as a command line if one command is enough.
type mending struct {
	text    string
	command []string
}

// run returns a mending by a hookrun command.
func run(args ...string) mending {
	words := []string{"hookrun"}
	for _, arg := range args {
		words = append(words, shellword.Local(arg))
	}
	return mending{strings.Join(words, " "), append([]string{"hookrun"}, args...)}
}

// target returns the install target with the entry, or with hookrun's own file, at a path.
func (c *checked) target(path string) (install.Target, bool) { return c.TargetOf(c.where(), path) }

// at returns a mending by install or uninstall at a target, with flags.
func (c *checked) at(command string, p install.Target, flags ...string) mending {
	folder := c.doctor.Workspace.Started
	if p.Flag == "--user" {
		folder = ""
	}
	return run(append(p.Command(command, c.Name, folder), flags...)...)
}

// installed returns the mending by an install at a target. The mending has no command if install would not help yet: a
// faulty file must be mended first, and an entry by name needs a hookrun in PATH.
func (c *checked) installed(p install.Target, flags ...string) mending {
	m := c.at("install", p, flags...)
	switch {
	case c.unreadable[p.Path]:
		return mending{text: "fix " + p.Path + " first, then run: " + m.text}
	case !c.reaches(p):
		return mending{text: c.doctor.putInPath() + ", then run: " + m.text}
	}
	return m
}

// install returns the mending for a missing entry. If the client has entries, the new one goes into the same file.
func (c *checked) install(flags ...string) mending {
	at := max(0, slices.IndexFunc(c.entries, func(e install.InstalledEntry) bool { return !e.Replaceable }))
	if at < len(c.entries) {
		return c.reinstall(c.entries[at], flags...)
	}
	return c.installed(c.Targets(c.where())[0])
}

// installAt returns the mending for an event without an entry. Only with -C does install add a project's events to the
// user's settings.
func (c *checked) installAt(event string) mending {
	var more []string
	if p, known := c.target(c.entries[0].Path); known && p.Flag == "--user" && !slices.Contains(c.Events, event) {
		more = []string{"-C", c.doctor.Workspace.Started}
	}
	return c.install(more...)
}

// reinstall returns the mending for an entry that install would write differently. Install replaces only its own
// entries: beside a foreign entry, it would add a second one.
func (c *checked) reinstall(e install.InstalledEntry, flags ...string) mending {
	if c.again.text != "" {
		return c.again
	}
	p, known := c.target(e.Path)
	if !known {
		p = c.Targets(c.where())[0]
	}
	if !known || !e.Replaceable {
		return mending{text: "take the entry out of " + e.Path + ", then run: " + c.at("install", p).text}
	}
	m := c.installed(p, append(flags, e.Flags()...)...)
	if trust := c.TrustAnew(); trust != "" { // the client runs neither the new nor the old entry until then
		m = mending{text: m.text + ", then " + trust}
	}
	return m
}

// putInPath describes how to make this hookrun findable in PATH.
func (d *Doctor) putInPath() string {
	if name := filepath.Base(d.Binary); strings.TrimSuffix(name, ".exe") != "hookrun" {
		return "put a link to " + d.Binary + " with the name hookrun into a folder of PATH"
	}
	return "put " + filepath.Dir(d.Binary) + " on PATH"
}

// otherProgram returns the mending for an entry that runs another hookrun than this one.
func (c *checked) otherProgram(e install.InstalledEntry) mending {
	p, known := c.target(e.Path)
	found, err := c.doctor.Look("hookrun")
	if known && p.ByName() && err == nil && !regular.Same(found, c.doctor.Binary) {
		return mending{text: "put " + filepath.Dir(c.doctor.Binary) + " first on PATH, or go on with that one"}
	}
	return c.reinstall(e)
}

// otherAnswer returns the mending for an entry that gives the canary a wrong answer, or was not tried.
func (c *checked) otherAnswer(e install.InstalledEntry) mending {
	switch path, _, known := install.Program(e.Command); {
	case !known || !e.IsStandard:
		return c.reinstall(e)
	case regular.Same(path, c.doctor.Binary): // install would write the same
		return mending{text: "run the command of the entry in a shell, and see what it prints"}
	}
	return c.otherProgram(e)
}

// notInPath is the mending of an entry whose program is not in PATH.
func (c *checked) notInPath(e install.InstalledEntry) mending {
	if p, known := c.target(e.Path); known && !p.ByName() {
		return c.reinstall(e) // with the path of this hookrun
	}
	return mending{text: c.doctor.putInPath()}
}

// removeDuplicate returns the mending for two entries that run hookrun for the same call. A --local entry can go.
// Between the project's and the user's entry, the user decides: one serves colleagues, the other the user's other
// projects.
func (c *checked) removeDuplicate(one, other install.InstalledEntry) mending {
	a, known := c.target(one.Path)
	b, knownToo := c.target(other.Path)
	switch {
	case !known || !knownToo || !one.Replaceable || !other.Replaceable:
		return mending{text: "take one of them out"}
	case a == b:
		return mending{text: "take one of them out, or run: " + c.at("uninstall", a).text + "; then: " +
			c.at("install", a, one.Flags()...).text}
	case a.Flag == "--local" && c.reaches(b):
		return c.at("uninstall", a)
	case b.Flag == "--local" && c.reaches(a):
		return c.at("uninstall", b)
	}
	return mending{text: "run one of: " + c.at("uninstall", a).text + ", or: " + c.at("uninstall", b).text}
}

// reaches reports whether the target's entry would find hookrun: by path, or by a hookrun in PATH.
func (c *checked) reaches(p install.Target) bool {
	_, err := c.doctor.Look("hookrun")
	return !p.ByName() || err == nil
}

// Fix is a command line that mends findings.
type Fix struct {
	Command  []string
	Findings []Finding
}

// String returns the command line for a shell.
func (f *Fix) String() string { return run(f.Command[1:]...).text }

// Fixes returns the commands of all findings, each once, in the order to run: uninstall before install, so no entry is
// written and then removed, and allow last, so a person allows the final hooks.
func (r *Report) Fixes() (fixes []Fix) {
	for _, f := range r.Findings {
		if f.Command == nil {
			continue
		}
		i := slices.IndexFunc(fixes, func(x Fix) bool { return slices.Equal(x.Command, f.Command) })
		if i < 0 {
			i = len(fixes)
			fixes = append(fixes, Fix{Command: f.Command})
		}
		fixes[i].Findings = append(fixes[i].Findings, f)
	}
	order := []string{"uninstall", "install", "allow"}
	sort.SliceStable(fixes, func(i, j int) bool {
		return slices.Index(order, fixes[i].Command[1]) < slices.Index(order, fixes[j].Command[1])
	})
	return slices.DeleteFunc(fixes, func(f Fix) bool {
		return f.Command[1] == "install" && slices.ContainsFunc(r.Findings, func(g Finding) bool {
			return g.Command != nil && g.Command[1] == "uninstall" && slices.Equal(g.Command[2:], f.Command[2:])
		})
	})
}
