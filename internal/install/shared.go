package install

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/hookrun/hookrun/internal/dialect"
)

// Places are the files of a client that may have hookrun's entry: the project's, its user's own there, and that of all
// the user's projects.
func (c *Client) Places(w dialect.Where) (places []dialect.Place) {
	for _, t := range c.Targets(w) {
		if t.Flag != userFlag || w.Home != "" {
			places = append(places, t.Place)
		}
	}
	return places
}

const userFlag = "--user"

// Target is one of the files into which install can write.
type Target struct {
	Flag string // of install and uninstall, which names it; "": the project's settings
	dialect.Place
}

// Targets are the files of a client into which install can write. The first is that of install without a flag.
func (c *Client) Targets(w dialect.Where) (all []Target) {
	if c.Folder != "" {
		all = append(all, Target{"", c.Project(w.Workspace)})
		if local, has := c.LocalProject(w.Workspace); has {
			all = append(all, Target{"--local", local})
		}
	}
	return append(all, Target{userFlag, c.User(w.Home, w.Getenv)})
}

// TargetOf returns the target whose entry, or whose file of hookrun's own, is at a path.
func (c *Client) TargetOf(w dialect.Where, path string) (Target, bool) {
	all := c.Targets(w)
	i := slices.IndexFunc(all, func(t Target) bool {
		return t.Path == path || filepath.Dir(t.Path) == filepath.Dir(path) &&
			slices.ContainsFunc(c.OwnFiles(), func(f dialect.OwnFile) bool { return f.Base == filepath.Base(path) })
	})
	if i < 0 {
		return Target{}, false
	}
	return all[i], true
}

// Command is a command line for the target: install or uninstall, of a client. folder is the project; "" names none.
func (t Target) Command(command, client, folder string) []string {
	args := []string{command, client}
	if t.Flag == userFlag {
		args = append(args, t.Flag)
	}
	if folder != "" {
		args = append(args, "-C", folder)
	}
	if t.Flag != "" && t.Flag != userFlag {
		args = append(args, t.Flag)
	}
	return args
}

// ByName reports whether install writes an entry there that looks hookrun up in PATH: colleagues have it elsewhere.
func (t Target) ByName() bool { return t.Flag == "" && HasShell }

// AskedTwice describes entries of hookrun's in files of other clients. Beside one in a file of this client they make a
// client run each hook twice that runs the hooks of both files. Binary is as for Uninstall.
func (c *Client) AskedTwice(w dialect.Where, binary string) (found []string) {
	for _, name := range Names() {
		other, _ := Lookup(name)
		reader := c
		switch {
		case slices.Contains(c.AlsoRuns(), name) && !c.answersOnce:
		case slices.Contains(other.AlsoRuns(), c.Name) && !other.answersOnce:
			reader = other
		default:
			continue
		}
		for _, place := range other.Places(w) {
			if other.Installed(place, binary) {
				const text = "%s has an entry of hookrun's, too, and %s runs the hooks of both, so every hook runs " +
					"twice there"
				found = append(found, fmt.Sprintf(text, place.Path, reader.Client))
			}
		}
	}
	return found
}
