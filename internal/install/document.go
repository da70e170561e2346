// Package install puts the one hook that calls hookrun into the settings of a client, and takes it out again.
//
//	client, _ := install.Lookup("claude")
//	entry := install.Entry{Binary: "/usr/bin/hookrun", Timeout: time.Minute, Events: client.Events}
//	change, err := client.Install(client.Project("."), entry)
//	fmt.Print(change.Diff())
//	err = change.Write()
//
// It guarantees: every byte that is not the entry's own stays, with the file's indentation and ends of lines around the
// entry. A second Install changes nothing; one with another path or timeout replaces the entry where it stands.
// Uninstall gives back the bytes that were there before Install, also where Install made the file, the "hooks" or the
// list of an event; where one of these was there and empty, a comment at the end of the entry's command says so. What
// cannot be parsed is refused with its position; so is what is no regular file, and a path that leads out of the root
// by a symbolic link. A file is replaced by a rename: whoever reads it meanwhile sees the old text or the new one.
//
// What it does not guarantee: if somebody edits the file between the two, Uninstall removes the entry and what is empty
// without it, and that may be a list that was there, empty, before. A hard link to the file keeps the old text. Two
// programs that change the file at the same time are detected only up to the rename.
//
// Some clients have no hooks file, and run a plugin or executables. InstallAll and UninstallAll are for these too: such
// a file is hookrun's whole and has a checksum by which it is known again. It is not replaced or removed if it is
// somebody else's or was edited.
package install

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/registry"
	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/protocol"
)

// Client is a client whose settings Install can change. It has Install and Files of the client's dialect.
type Client struct {
	Name string
	*dialect.Installation
	*dialect.Files
	CannotBlock func(protocol.Event) bool
	Flat        func(event string) bool // an event has hooks, and no groups of them

	answersOnce bool // of several entries for one call one answers
}

// Names are the clients that Lookup knows.
func Names() (names []string) {
	for _, d := range registry.All() {
		if d.Install != nil {
			names = append(names, d.Name)
		}
	}
	return names
}

// Lookup returns a client by its name.
func Lookup(name string) (*Client, bool) {
	d, known := registry.Named(name)
	if !known || d.Install == nil {
		return nil, false
	}
	flat := func(event string) bool { return d.IsFlat(protocol.Event(event)) }
	_, answersAlone := d.Hooks.(dialect.Answerer)
	return &Client{d.Name, d.Install, d.Files, d.CannotBlock, flat, answersAlone}, true
}

// Entry is what Install puts into a file.
type Entry struct {
	Binary  string        // hookrun's absolute path
	ByName  bool          // for a file that others get, too: the command looks hookrun up in PATH (not on Windows)
	Args    []string      // behind `fire`: a form of output or a dialect, see Client.Command
	Timeout time.Duration // rounded up to the client's unit; 0 leaves the client its own
	Events  []string
}

// Change is what Install or Uninstall would do to a file. Nothing is done before Write.
type Change struct {
	Path     string
	Old, New string
	Existed  bool     // Old is a file
	Exists   bool     // New is one
	Notes    []string // what keeps the entry from doing its work, for the user to see to

	place dialect.Place
	found found
	bits  fs.FileMode // that the mode of New has
}

// Empty reports whether the file is already as it should be.
func (c *Change) Empty() bool { return c.Existed == c.Exists && c.Old == c.New && !c.changesMode() }

func (c *Change) changesMode() bool {
	return HasShell && c.Existed && c.Exists && c.found.info.Mode()&c.bits != c.bits
}

// InstallAll plans the changes that make the client call hookrun: one in its hooks file, or one for each file of
// hookrun's own.
func (c *Client) InstallAll(p dialect.Place, e Entry) ([]*Change, error) {
	if c.OwnFiles() != nil {
		return c.installOwn(p, e)
	}
	return oneChange(c.Install(p, e))
}

// UninstallAll plans the changes that undo InstallAll.
func (c *Client) UninstallAll(p dialect.Place, binary string) ([]*Change, error) {
	if c.OwnFiles() != nil {
		return c.uninstallOwn(p)
	}
	return oneChange(c.Uninstall(p, binary))
}

func oneChange(change *Change, err error) ([]*Change, error) {
	if err != nil {
		return nil, err
	}
	return []*Change{change}, nil
}

// Install plans the change that puts the entry into a file, once for each of its events.
func (c *Client) Install(p dialect.Place, e Entry) (*Change, error) {
	h, err := c.handler(e)
	if err != nil {
		return nil, err
	}
	if err := c.overridden(p); err != nil {
		return nil, err
	}
	change, err := plan(p)
	if err != nil {
		return nil, err
	}
	if change.New, change.Notes, err = c.install(change.Old, change.Existed, h, e.Events); err != nil {
		return nil, inFile(p.Path, err)
	}
	if len(change.New) > maxSize {
		return nil, fmt.Errorf("%s would be larger than 1 MiB, and could not be read again", p.Path)
	}
	change.Exists = true
	return change, nil
}

// overridden is an error where the client would take the hooks of another file than the one that the entry goes into.
func (c *Client) overridden(p dialect.Place) error {
	mover, ok := c.Installer.(dialect.HooksMover)
	if !ok {
		return nil
	}
	beside := filepath.Join(filepath.Dir(p.Path), mover.Instead())
	doc, err := hookfile.ReadFile(beside)
	if err != nil {
		return nil // there is none, or none that the client reads
	}
	if d, _ := registry.Named(c.Name); d != nil {
		_, err = hookfile.ParseAs(beside, doc, d)
	}
	if err != nil {
		return nil
	}
	return fmt.Errorf("%s takes the hooks of %s, and not those of %s beside it, where the entry would be; move its "+
		"events to \"hooks\" there, and remove it", c.Files.Client, beside, c.Base)
}

// Uninstall plans the change that takes every entry of hookrun's out of a file. Binary is a path that is hookrun
// whatever its name is, or "".
func (c *Client) Uninstall(p dialect.Place, binary string) (*Change, error) {
	change, err := plan(p)
	if err != nil || !change.Existed {
		return change, err
	}
	if change.New, change.Exists, err = c.uninstall(change.Old, binary); err != nil {
		return nil, inFile(p.Path, err)
	}
	return change, nil
}

func plan(p dialect.Place) (*Change, error) {
	f, err := find(p)
	if err != nil {
		return nil, err
	}
	return &Change{Path: p.Path, Old: f.text, Existed: f.info != nil, place: p, found: f}, nil
}

// inFile gives problems the name of their file.
func inFile(path string, err error) error {
	var problems hook.Diagnostics
	if errors.As(err, &problems) {
		for i := range problems {
			problems[i].File = path
		}
	}
	return err
}
