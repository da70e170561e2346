package dialect

import "github.com/tidwall/gjson"

// Switch is a setting of a client that decides whether it runs hooks. Of one that stands in several files the strongest
// file counts.
type Switch struct {
	Name string // as its file has it
	Off  bool
	What string // it does where it is off
	Mend string
}

// OffIfFalse reads a switch in a document of JSON: with false the client runs no hook.
func OffIfFalse(doc, path, what, mend string) []Switch {
	return switchAt(doc, path, gjson.False, what, mend)
}

// OffIfTrue reads a switch in a document of JSON: with true the client runs no hook.
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

// Obstacle is what else keeps a client from asking hookrun: a trust that is missing, a policy, its environment.
type Obstacle struct {
	Path string // of a file; "": it stands in none
	What string // is wrong
	Mend string // how to mend it
	// Known: it holds the gate up for certain. Else it does so in some ways to start the client.
	Known bool
}

// Installed is what a client finds where it is started.
type Installed struct {
	Where
	Files   []SettingsText // its settings, the weakest first, and what it knows of folders and hooks beside them
	Entries []EntryText    // those that ask hookrun
}

// SettingsText is a file of a client, without comments; Text is "" where the file cannot be read.
type SettingsText struct{ Path, Text string }

// EntryText is an entry as it stands in a file of settings.
type EntryText struct {
	Path           string
	Event          string
	Group, Handler int    // their numbers in the lists
	Matcher        string // JSON; "": none
	Text           string // of the handler, as JSON
}
