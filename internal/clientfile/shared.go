package clientfile

import (
	"fmt"
	"slices"

	"github.com/hookrun/hookrun/internal/dialect"
)

// Places are the files of a client that may have hookrun's entry: the project's, its user's own there, and that of all
// the user's projects.
func (c *Client) Places(w dialect.Where) []dialect.Place {
	var places []dialect.Place
	if !c.UserOnly {
		places = append(places, c.Project(w.Workspace))
	}
	if local, has := c.LocalProject(w.Workspace); has {
		places = append(places, local)
	}
	if w.Home != "" {
		places = append(places, c.User(w.Home, w.Getenv))
	}
	return places
}

// AskedTwice describes entries of hookrun's in files of other clients. Beside one in a file of this client they make a
// client run each hook twice that runs the hooks of both files. Binary is as for Uninstall.
func (c *Client) AskedTwice(w dialect.Where, binary string) (found []string) {
	for _, name := range Names() {
		other, _ := Lookup(name)
		reader := c
		switch {
		case slices.Contains(c.AlsoRuns, name) && !c.answersOnce:
		case slices.Contains(other.AlsoRuns, c.Name) && !other.answersOnce:
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
