package install

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
)

// Places returns the files of a client that may have hookrun's entry: the project's, the user's for the project, and
// the user's for all projects.
func (c *Client) Places(w client.Where) (places []dialect.Place) {
	for _, t := range c.Targets(w) {
		if t.Flag != userFlag || w.Home != "" {
			places = append(places, t.Place)
		}
	}
	return places
}

const userFlag = "--user"

// Target is a file into which install can write.
type Target struct {
	Flag string // the flag of install and uninstall; "": the project's settings
	dialect.Place
}

// Targets returns the files of a client into which install can write. The first is the default, without a flag.
func (c *Client) Targets(w client.Where) (all []Target) {
	if c.Folder != "" {
		all = append(all, Target{"", c.Project(w.Workspace)})
		if local, has := c.LocalProject(w.Workspace); has {
			all = append(all, Target{"--local", local})
		}
	}
	return append(all, Target{userFlag, c.User(w.Home, w.Getenv)})
}

// TargetOf returns the target with the file at a path, or with a file of hookrun's own there.
func (c *Client) TargetOf(w client.Where, path string) (Target, bool) {
	all := c.Targets(w)
	i := slices.IndexFunc(all, func(t Target) bool {
		return t.Path == path || filepath.Dir(t.Path) == filepath.Dir(path) &&
			slices.ContainsFunc(c.OwnFiles(), func(f client.OwnFile) bool { return f.Base == filepath.Base(path) })
	})
	if i < 0 {
		return Target{}, false
	}
	return all[i], true
}

// Command returns the command line of install or uninstall for the target and a client. folder: the project, or "".
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

// ByName reports whether install writes an entry that looks hookrun up in PATH, because colleagues have hookrun at
// another path.
func (t Target) ByName() bool { return t.Flag == "" && HasShell }

// DuplicateEntries describes hookrun entries in files of other clients, if one client runs the hooks of both files:
// with another entry in a file of this client, every hook runs twice. binary is as for Uninstall.
func (c *Client) DuplicateEntries(w client.Where, binary string) (found []string) {
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
			if !slices.Contains(c.Places(w), place) && other.Installed(place, binary) {
				const text = "%s has an entry of hookrun's, too, and %s runs the hooks of both, so every hook runs " +
					"twice there"
				found = append(found, fmt.Sprintf(text, place.Path, reader.Client))
			}
		}
	}
	return found
}
