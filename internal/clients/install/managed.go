package install

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
)

// Managed returns the client's settings for all users of a machine. found is false for a client without such settings.
func (c *Client) Managed(system string) (m client.Managed, found bool) {
	m = c.Installer.Managed(system)
	return m, m.Path != ""
}

// planner returns the change of a file before any text is changed.
type planner func(dialect.Place) (*Change, error)

// InstallManaged plans the changes that put the entry into settings for all users of this machine.
func (c *Client) InstallManaged(m client.Managed, e Entry) ([]*Change, error) {
	return c.manage(m, e, plan)
}

// NewManaged returns what InstallManaged writes on a machine of another system that has no such files yet.
func (c *Client) NewManaged(system string, m client.Managed, e Entry) ([]*Change, error) {
	there := *c
	there.system = system
	return there.manage(m, e, func(p dialect.Place) (*Change, error) { return &Change{Path: p.Path, place: p}, nil })
}

// readable are the permission bits of a file that every user's client reads.
const readable = 0o444

func (c *Client) manage(m client.Managed, e Entry, plan planner) (changes []*Change, err error) {
	if m.Own != nil {
		changes, err = c.installOwn(m.Own, managedPlace(m.Path), e, plan)
	} else {
		changes, err = oneChange(c.manageFile(m, e, plan))
	}
	for _, change := range changes {
		change.modeBits |= readable
	}
	return changes, err
}

func (c *Client) manageFile(m client.Managed, e Entry, plan planner) (*Change, error) {
	h, err := c.handler(e)
	if err != nil {
		return nil, err
	}
	h.key = cmp.Or(m.Key, h.key)
	change, err := plan(managedPlace(m.Path))
	if err != nil {
		return nil, err
	}
	change.Exists = true
	if isTOML(m.Path) {
		change.New, err = installBlock(change.Old, change.Existed, h, m.Pins, e.Events)
		return change, inFile(m.Path, err)
	}
	old := change.Old
	if !change.Existed {
		old = "{}"
	}
	if _, h.added, err = c.addPins(old, m.Pins); err == nil {
		change.New, change.Notes, err = c.install(change.Old, change.Existed, h, e.Events)
	}
	if err == nil {
		change.New, _, err = c.addPins(change.New, m.Pins)
	}
	if err == nil && len(change.New) > maxSize {
		err = errors.New(m.Path + " would be larger than 1 MiB, and could not be read again")
	}
	return change, inFile(m.Path, err)
}

// UninstallManaged plans the changes that undo InstallManaged. binary is as for Uninstall.
func (c *Client) UninstallManaged(m client.Managed, binary string) ([]*Change, error) {
	if m.Own != nil {
		return c.uninstallOwn(m.Own, managedPlace(m.Path))
	}
	change, err := plan(managedPlace(m.Path))
	if err != nil || !change.Existed {
		return oneChange(change, err)
	}
	if isTOML(m.Path) {
		change.New, change.Exists, err = uninstallBlock(change.Old)
		return oneChange(change, inFile(m.Path, err))
	}
	d, err := c.parse(change.Old, binary)
	if err != nil {
		return nil, inFile(m.Path, err)
	}
	d.removePins(m.Alone().Pins)
	if change.Exists = d.remove(func(string) bool { return true }); change.Exists {
		change.New = d.String()
	}
	return oneChange(change, nil)
}

// ManagedState says how settings for all users compare with what InstallManaged writes for their entries.
type ManagedState int

// States of the settings.
const (
	ManagedDiffers ManagedState = iota // or there is no entry
	ManagedSame
	ManagedAlone // with the settings that leave the administrator's hooks alone to run
)

// ManagedEntries returns the entries in settings for all users of this machine, and the state of the settings.
func (c *Client) ManagedEntries(m client.Managed, binary string) (found []InstalledEntry, s ManagedState, err error) {
	file, exists, err := c.Text(m.Path)
	if err != nil || !exists {
		return nil, s, err
	}
	found = c.Entries(file, binary)
	found = slices.DeleteFunc(found, func(e InstalledEntry) bool { return !e.IsStandard })
	if len(found) == 0 {
		return nil, s, nil
	}
	program, args, _ := Program(found[0].Command)
	e := Entry{Binary: program, Args: args[1:], Timeout: found[0].Timeout}
	for _, f := range found {
		e.Events = append(e.Events, f.Event)
	}
	same := func(m client.Managed) bool {
		var changes []*Change
		changes, err = c.InstallManaged(m, e)
		return err == nil && !slices.ContainsFunc(changes, func(change *Change) bool { return !change.Empty() })
	}
	switch {
	case m.Only != nil && same(m.Alone()):
		s = ManagedAlone
	case same(m):
		s = ManagedSame
	}
	return found, s, err
}

func managedPlace(path string) dialect.Place {
	return dialect.Place{Root: filepath.VolumeName(path) + string(filepath.Separator), Path: path}
}

// The words of a footnote for a setting that install added to the file, and to an object that install made.
const added, made = "added ", "made "

// addPins returns the text with the pins, and an item of the footnote for each added pin.
func (c *Client) addPins(text string, pins []client.Pin) (_ string, items []string, err error) {
	d, err := c.parse(text, "")
	if err != nil {
		return "", nil, err
	}
	s := d.style()
	for _, pin := range pins {
		outer, key, nested := strings.Cut(pin.Key, ".")
		in, indent := &d.tree, ""
		if nested {
			if in = get(&d.tree, outer); in == nil {
				s.add(&d.tree, "", s.lines, objectOf(outer, objectOf(key, pin.Value)))
				items = append(items, made+pin.Key)
				continue
			}
			indent, _ = d.lineOf(outer)
		}
		key = cmp.Or(key, outer)
		switch there := get(in, key); {
		case object(in) == nil:
			return "", nil, d.fault(in, fmt.Sprintf("%q is no object; write {}", outer))
		case there == nil:
			items = append(items, added+pin.Key)
			if nested {
				items = append(items, foundEmpty(outer, in)...)
			}
			s.add(in, indent, s.lines, objectOf(key, pin.Value))
		case raw(there) != pin.Value:
			return "", nil, d.fault(there, pinFault(pin, raw(there)))
		}
	}
	return d.String(), items, nil
}

func pinFault(pin client.Pin, is string) string {
	return fmt.Sprintf("%q is %s; hookrun's entry needs %s", pin.Key, is, pin.Value)
}

// removePins removes the pins that install added, by the footnotes of the entries.
func (d *document) removePins(pins []client.Pin) {
	found := map[string]string{}
	for _, event := range members(get(&d.tree, "hooks")) {
		for _, handlers := range d.handlers(&event) {
			for i := range handlers {
				if command := commandOf(&handlers[i]); d.isOurs(command) {
					readFootnote(text(command), found)
				}
			}
		}
	}
	for _, pin := range slices.Backward(pins) {
		outer, key, nested := strings.Cut(pin.Key, ".")
		in := &d.tree
		if nested {
			in = get(&d.tree, outer)
		}
		key = cmp.Or(key, outer)
		if found[added+pin.Key] == "" && found[made+pin.Key] == "" || raw(get(in, key)) != pin.Value {
			continue
		}
		removeKey(in, key)
		if nested && len(members(in)) == 0 && !restore(in, found[outer]) {
			removeKey(&d.tree, outer)
		}
	}
}

func removeKey(v *hujson.Value, key string) {
	i := slices.IndexFunc(members(v), func(m hujson.ObjectMember) bool { return keyOf(&m) == key })
	container{object: object(v)}.remove(i)
}
