// Package install adds the entry that calls hookrun to the settings of a client, and removes the entry again.
//
//	client, _ := install.Lookup("claude")
//	entry := install.Entry{Binary: "/usr/bin/hookrun", Timeout: time.Minute, Events: client.Events}
//	change, err := client.Install(client.Project("."), entry)
//	fmt.Print(change.Diff())
//	err = change.Write()
//
// Guaranteed: every byte outside the entry stays, and the entry takes over the file's indentation and line endings. A
// second Install changes nothing; with another path or timeout, Install replaces the entry in place. Uninstall restores
// the bytes from before Install, also if Install created the file, the "hooks" or the list of an event. If one of these
// existed and was empty, a comment at the end of the entry's command says so. Install refuses a file with a syntax
// error (with its position), a file that is not regular, and a path that leads out of the root by a symbolic link. A
// rename replaces the file, so a concurrent reader sees the old text or the new text.
//
// Not guaranteed: if somebody edits the file after Install, Uninstall removes the entry and each container that is
// then empty, even one that existed, empty, before Install. A hard link to the file keeps the old text. A concurrent
// change by another program is detected only up to the rename.
//
// InstallManaged and UninstallManaged do the same in the settings for all users of a machine, with the settings that
// keep a user from switching hooks off.
//
// Some clients have no hooks file and run a plugin or executables. InstallAll and UninstallAll write these too: hookrun
// owns the whole file and recognizes it by a checksum. A foreign or edited file is not replaced or removed.
package install

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"time"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/protocol"
)

// Client is a client whose settings Install can change. Installation and Files come from the client's dialect.
type Client struct {
	Name string
	*client.Installation
	*dialect.Files
	CannotBlock func(protocol.Event) bool
	Flat        func(event string) bool // the event has a list of hooks, without groups

	answersOnce bool   // if several entries match a call, only one answers
	system      string // as in runtime.GOOS, on which the entry will run
}

// Names returns the names of the clients that Lookup knows.
func Names() []string {
	return clients.All().ClientNames()
}

// Lookup returns a client by name.
func Lookup(name string) (*Client, bool) {
	d, known := clients.All().ClientNamed(name)
	if !known {
		return nil, false
	}
	flat := func(event string) bool { return d.IsFlat(protocol.Event(event)) }
	answersAlone := d.AnsweringFiles != nil
	return &Client{d.Name, d.Install, d.Files, d.CannotBlock, flat, answersAlone, runtime.GOOS}, true
}

// Entry describes the entry that Install adds.
type Entry struct {
	Binary  string        // hookrun's absolute path
	ByName  bool          // for a shared file: the command looks hookrun up in PATH (not on Windows)
	Args    []string      // after `fire`: an output form or a dialect, see Client.Command
	Timeout time.Duration // rounded up to the client's unit; 0: the client's default
	Events  []string
}

// Change is a planned change of a file by Install or Uninstall. Only Write applies the change.
type Change struct {
	Path     string
	Old, New string
	Existed  bool     // the file exists now
	Exists   bool     // the file exists after Write
	Notes    []string // for the user: settings that keep the entry from working

	place    dialect.Place
	current  currentFile
	modeBits fs.FileMode // permission bits that New must have
}

// Empty reports whether the file needs no change.
func (c *Change) Empty() bool { return c.Existed == c.Exists && c.Old == c.New && !c.changesMode() }

func (c *Change) changesMode() bool {
	return HasShell && c.Existed && c.Exists && c.current.info.Mode()&c.modeBits != c.modeBits
}

// InstallAll plans the changes that make the client call hookrun: one change of the hooks file, or one for each of
// hookrun's own files.
func (c *Client) InstallAll(p dialect.Place, e Entry) ([]*Change, error) {
	if c.OwnFiles() != nil {
		return c.installOwn(c.OwnFiles(), p, e, plan)
	}
	return oneChange(c.Install(p, e))
}

// UninstallAll plans the changes that undo InstallAll.
func (c *Client) UninstallAll(p dialect.Place, binary string) ([]*Change, error) {
	if c.OwnFiles() != nil {
		return c.uninstallOwn(c.OwnFiles(), p)
	}
	return oneChange(c.Uninstall(p, binary))
}

func oneChange(change *Change, err error) ([]*Change, error) {
	if err != nil {
		return nil, err
	}
	return []*Change{change}, nil
}

// Install plans the change that adds the entry to a file, once for each of the entry's events.
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

// overridden returns an error if the client would read the hooks of another file instead of the entry's file.
func (c *Client) overridden(p dialect.Place) error {
	if c.Instead() == "" {
		return nil
	}
	beside := filepath.Join(filepath.Dir(p.Path), c.Instead())
	doc, err := hookfile.ReadFile(beside)
	if err != nil {
		return nil // no such file, or the client cannot read it
	}
	if d, _ := clients.All().Named(c.Name); d != nil {
		_, err = parts.All().ParseAs(beside, doc, d)
	}
	if err != nil {
		return nil
	}
	return fmt.Errorf("%s takes the hooks of %s, and not those of %s beside it, where the entry would be; move its "+
		"events to \"hooks\" there, and remove it", c.Files.Client, beside, c.Base)
}

// Uninstall plans the change that removes every hookrun entry from a file. A program at the path binary counts as
// hookrun under any name; "" means no such path.
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
	return &Change{Path: p.Path, Old: f.text, Existed: f.info != nil, place: p, current: f}, nil
}

// inFile sets the file name of each diagnostic in err.
func inFile(path string, err error) error {
	var problems hook.Diagnostics
	if errors.As(err, &problems) {
		for i := range problems {
			problems[i].File = path
		}
	}
	return err
}
