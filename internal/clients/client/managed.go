package client

import "slices"

// Managed describes the settings for all users of a machine that have hookrun's entry.
type Managed struct {
	Path string    // of the file with the entry
	Key  string    // of the member with the command; "": the same as in other files
	Pins []Pin     // settings of the file that a user could otherwise set to switch hooks off
	Only []Pin     // settings that leave the administrator's hooks alone to run; nil: there are none
	Own  []OwnFile // as from OwnFiles: all in the folder of Path, which is the first
	Ways []string  // by which a user can still get around the entry
	Note string    // for the administrator

	Trial Trial
}

// Alone returns m with the settings that leave the administrator's hooks alone to run.
func (m Managed) Alone() Managed {
	m.Pins = slices.Concat(m.Only, m.Pins)
	return m
}

// Pin is a setting of a file, by a path of keys with dots between, and its value as JSON.
type Pin struct{ Key, Value string }

// Trial is a turn of the client that needs no account and no model: the prompt is one that hookrun blocks. In the
// settings hooks are switched off, as far as a user can. In each text $URL stands for a model that answers nothing.
type Trial struct {
	Args  []string // without the prompt, which is the last; nil: the client cannot be tried
	Env   []string
	Home  map[string]string // texts of files by their path in the home folder
	There map[string]string // texts of files by their path in the project
}
