package client

import (
	"path/filepath"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
)

// Switch is a setting that decides whether a client runs hooks. If several files have the setting, the strongest file
// counts.
type Switch struct {
	Name string // the key in the file
	Off  bool
	What string // the effect if Off
	Mend string
}

// OffIfFalse reads a switch from a JSON document. If false, the client runs no hook.
func OffIfFalse(doc, path, what, mend string) []Switch {
	return switchAt(doc, path, gjson.False, what, mend)
}

// OffIfTrue reads a switch from a JSON document. If true, the client runs no hook.
func OffIfTrue(doc, path, what, mend string) []Switch {
	return switchAt(doc, path, gjson.True, what, mend)
}

func switchAt(doc, path string, off gjson.Type, what, mend string) []Switch {
	v := gjson.Get(doc, path)
	if !v.IsBool() {
		return nil
	}
	return []Switch{{Name: path, Off: v.Type == off, What: what, Mend: mend}}
}

// Obstacle is another reason why a client does not call hookrun: missing trust, a policy, the environment.
type Obstacle struct {
	Path string // of a file; "": not from a file
	What string // the problem
	Mend string // the remedy
	// Known: the client certainly does not call hookrun. If false, this depends on how the user starts the client.
	Known bool
	// Person: a person has to trust the folder, or start the client with a flag that does. Unless Known, this is
	// missing until the client has run hookrun in the workspace.
	Person bool
}

// Installed is a client's configuration as found at start.
type Installed struct {
	Where
	Files   []SettingsText // settings, the weakest first, plus the client's records of folders and hooks
	Entries []EntryText    // entries that call hookrun, without those for all users of the machine
	Managed bool           // there is an entry for all users
}

// HasEntry reports whether an entry is in the folder of a place.
func (in *Installed) HasEntry(p dialect.Place) bool {
	beside := func(e EntryText) bool { return filepath.Dir(e.Path) == filepath.Dir(p.Path) }
	return slices.ContainsFunc(in.Entries, beside)
}

// SettingsText is a file of a client, without comments. Text is "" if the file is unreadable.
type SettingsText struct{ Path, Text string }

// EntryText is an entry as written in a settings file.
type EntryText struct {
	Path           string
	Event          string
	Group, Handler int    // indexes in the lists
	Matcher        string // JSON; "": no matcher
	Text           string // of the handler, as JSON
}
