package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/lib/files/atomic"
	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/internal/lib/spelling"
)

// ManagedClient is a client with its settings for all users.
type ManagedClient struct {
	*Client
	Settings client.Managed
}

// ManagedClients returns the named clients on a system.
func ManagedClients(names []string, system string) (all []ManagedClient, err error) {
	var can []string
	for _, name := range Names() {
		if c, _ := Lookup(name); c != nil {
			if _, has := c.Managed(system); has {
				can = append(can, name)
			}
		}
	}
	if len(names) == 0 {
		return nil, errors.New("no client; give some of " + strings.Join(can, ", "))
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			continue
		}
		c, known := Lookup(name)
		if !known {
			return nil, fmt.Errorf("unknown client %q; give some of %s%s", name, strings.Join(can, ", "),
				spelling.Suggest(name, can))
		}
		managed, has := c.Managed(system)
		if !has {
			const text = "%s has no settings for all users that override a user's own, so a user could override an " +
				"entry there; leave %s out, and give some of %s"
			return nil, fmt.Errorf(text, c.Files.Client, name, strings.Join(can, ", "))
		}
		all = append(all, ManagedClient{c, managed})
	}
	return all, nil
}

// noHooks is the managed hooks file if there is no other.
const noHooks = "{\"hooks\": []}\n"

// Policy returns the managed hooks file of a system: its path, its text, and its hooks. from is a file to copy, or "";
// here: on this machine, the file that is there counts.
func Policy(p hookfile.Parts, system, from string, here bool) (path, text string, hooks []hook.Hook, err error) {
	path = hookfile.ManagedPath(system)
	source, text := path, noHooks
	if here {
		if path, err = filepath.Abs(hookfile.ManagedFile()); err != nil {
			return "", "", nil, err
		}
		source = path
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			doc, err := hookfile.ReadFile(path)
			if err != nil {
				return "", "", nil, err
			}
			text = string(doc)
		}
	}
	if from != "" {
		doc, err := hookfile.ReadFile(from)
		if err != nil {
			return "", "", nil, err
		}
		source, text = from, string(doc)
	}
	cfg, err := p.ParseManaged(source, text)
	if err != nil {
		return "", "", nil, err
	}
	return path, text, cfg.Hooks, nil
}

// MayWriteManaged returns an error if this user cannot write the files, or if other users could change them or the
// program.
func MayWriteManaged(binary, policy string, changes []*Change, dryRun bool) error {
	if how, may := MayManage(); !may && !dryRun {
		return errors.New("the settings for all users belong to the administrator; " + how +
			", or print them with --print")
	}
	if binary != "" {
		if err := CheckManaged(binary, 0o5); err != nil {
			return fmt.Errorf("all users would run this hookrun: %w", err)
		}
	}
	paths := []string{policy}
	for _, c := range changes {
		paths = append(paths, c.Path)
	}
	for _, path := range paths {
		if err := CheckManaged(path, 0o4); err != nil {
			return err
		}
	}
	if dryRun {
		return nil
	}
	for _, path := range paths {
		if err := MakeFolder(filepath.Dir(path)); err != nil {
			return err
		}
	}
	return nil
}

// WritePolicy writes the managed hooks file, if that is missing, and returns a line that says so. from is the file that
// it is a copy of, or "".
func WritePolicy(path, text, from string, dryRun bool) (done string, err error) {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		doc, err := hookfile.ReadFile(path)
		if err == nil && string(doc) != text {
			const text = "%s is there and differs from %s; replace it yourself if that is the policy"
			err = fmt.Errorf(text, path, from)
		}
		return "", err
	}
	if dryRun {
		return printable.Sprintf("would write %s\n", path), nil
	}
	return printable.Sprintf("wrote %s: the managed hooks\n", path), atomic.Create(path, 0o644, text)
}

// ManagedNotes returns what the administrator has still to know.
func ManagedNotes(clients []ManagedClient, policy string, hooks []hook.Hook) (notes []string) {
	if len(hooks) == 0 {
		notes = append(notes, policy+" has no hooks, so nothing is blocked until you write some there")
	}
	for _, c := range clients {
		notes = append(notes, c.UnsupportedEvents(hooks)...)
		if c.Settings.Note != "" {
			notes = append(notes, c.Files.Client+": "+c.Settings.Note)
		}
		if len(c.Settings.Ways) > 0 {
			const text = "a user can still get around hookrun in %s: %s"
			notes = append(notes, fmt.Sprintf(text, c.Files.Client, strings.Join(c.Settings.Ways, "; ")))
		}
	}
	return notes
}

// ManagedText returns the files for another machine, each behind a line with its path, mode and owner.
func ManagedText(system, policy, text string, changes []*Change) string {
	owner := dialect.OnSystem(system, "root", "root", "Administrators")
	all := fmt.Sprintf("# %s (0644, %s)\n%s\n", policy, owner, strings.TrimSuffix(text, "\n"))
	for _, c := range changes {
		all += fmt.Sprintf("\n# %s (0644, %s)\n%s", c.Path, owner, c.New)
	}
	return all
}
