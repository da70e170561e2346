package dialect

import (
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/httphook"
	"github.com/hookrun/hookrun/protocol"
)

// Entry is a hook of a Document.
type Entry struct {
	Position
	Event protocol.Event
	Name  string // "": what it runs names it
	// Nameless: the file gives it no name, and other hooks may have the same.
	Nameless bool

	Command     Command
	HTTP        *httphook.Endpoint // in the place of Command
	Unsupported string             // its type, which hookrun cannot run
	Runs        Position           // where Command or the address stands

	Globs      *string  // its matcher, as globs
	Pattern    *Pattern // its matcher, as the client reads it
	MatcherAt  Position
	If         string // a permission rule
	IfAt       Position
	When       *LineTest
	Agent      string   // the one that it is for; "": all but NotAgents
	NotAgents  []string // these have hooks of their own
	Timeout    time.Duration
	OnFailure  FailurePolicy
	Env        []string // NAME=VALUE
	Inherit    []string // variables of the caller's beside those that all programs need; if nil, all
	Folder     string   // where it runs
	Async      bool
	Sequential bool
	Off        string // what switches it off, "" for nothing
	Same       string // what equal hooks have in common; "": it is equal to none

	// Who begins messages about it, and GroupWho about its group, with a colon.
	Who, GroupWho string
	From          Source
}

// LineTest is what the command of a tool must be like.
type LineTest struct {
	Text    string                    // for people
	Accepts func(command string) bool // none, if it is nil
}

// Command is what a hook runs: either Argv, spawned directly, or Shell, run by `sh -c`.
type Command struct {
	Argv  []string
	Shell string

	PowerShell   bool     // Shell is for pwsh
	Bash         bool     // Shell is for bash
	ByPath       bool     // the shell is called by its full path, with which its messages begin
	Written      []string // names of variables whose values the client writes into Shell, where it has $NAME
	Placeholders bool     // ${NAME} stands in Argv for the client's folder of that name

	Script   string // instead of both: a program or a Python file, by its path in the folder where the hook runs
	Callable string // instead of all: a Python function, as module.function
}

// Source is where in a document an Entry is from, for who carries it elsewhere.
type Source struct {
	Path, Group string       // the entry, as hooks.PreToolUse.0.hooks.1, and the group that it is in
	JSON        gjson.Result // the entry
	Matcher     gjson.Result
	Line        gjson.Result // the expression of When
	Fields      []Field      // that the client knows there
	// Machine and Plugin name variables in Env: one with a folder of this machine alone, and one with the folder of the
	// plugin that the file is in.
	Machine, Plugin string
	// Counts has the keys of which the first that is there counts as a "command" or as a "timeout".
	Counts map[string][]string
}

// Knows reports whether the client knows a field of the entry.
func (s *Source) Knows(key string) bool { return hasField(s.Fields, key) }

// Position is a place in a file.
type Position struct{ Line, Column int }

// Diagnostic is something to say about a place of a file.
type Diagnostic struct {
	Position
	Text    string
	Warning bool // the file loads
	Gate    bool // as a warning: a hook will never run
	Unit    bool // as a warning: a timeout may be meant in another unit
}

// Note is something in a document that makes no Entry, for who carries the entries elsewhere.
type Note struct {
	Kind NoteKind
	Path string
	At   Position
	Name string // of the field or the event
}

// NoteKind is the kind of a Note.
type NoteKind int

// Kinds of notes.
const (
	OwnSetting   NoteKind = iota // the client's, or the author's, and not about hooks
	Limit                        // of what hooks may reach
	Overwritten                  // an equal key follows, and counts
	NoEvent                      // an event that the client does not have
	AtEvent                      // hooks of an event that it has
	PassedOver                   // a field that the client does not know
	InTurn                       // says whether hooks run in turn, otherwise than the dialect does
	EmptyGroup                   // without hooks
	EmptyCommand                 // a hook that the client skips for that
)

// OffSwitch is a setting that switches all hooks of the client off, or on again.
type OffSwitch struct {
	Off   bool
	Name  string
	Path  string
	KeyAt Position
	By    string // the setting, for messages
	Text  string // what to say of it, if Off
	At    Position
}

// DisabledName is the name of a hook that the settings switch off.
type DisabledName struct {
	Text string // as it is written
	Name string // with the values of variables
	Path string
	At   Position
}
