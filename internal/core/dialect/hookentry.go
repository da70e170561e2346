package dialect

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/endpoint"
	"github.com/hookrun/hookrun/internal/lib/strictjson/document"
	"github.com/hookrun/hookrun/protocol"
)

// Entry is a hook of a Document.
type Entry struct {
	document.Position
	Event protocol.Event
	Name  string // "": named by the command
	// Unnamed: Name is not from the file and may not be unique.
	Unnamed bool

	Command     Command
	HTTP        *endpoint.Endpoint // instead of Command
	Unsupported string             // the hook's type, if hookrun cannot run the type
	Runs        document.Position  // the position of the command or URL

	Globs      *string  // the matcher, as globs
	Pattern    *Pattern // the matcher, in the client's syntax
	MatcherAt  document.Position
	If         string // a permission rule
	IfAt       document.Position
	When       *LineTest
	Agent      string   // the agent of the hook; "": all agents but NotAgents
	NotAgents  []string // agents with hooks of their own
	Timeout    time.Duration
	OnFailure  FailurePolicy
	Env        []string // NAME=VALUE
	Inherit    []string // variables to inherit beyond the commonly needed; all, if nil
	Folder     string   // the working directory
	Async      bool
	Sequential bool
	Off        string // the setting that turns the hook off, or ""
	DedupKey   string // the same for equal hooks; "": equal to no other hook

	// Who begins messages about the hook, and GroupWho messages about the group, with a colon.
	Who, GroupWho string
	From          Source
}

// LineTest is a condition on the command of a tool.
type LineTest struct {
	Text    string                    // for people
	Accepts func(command string) bool // no command matches, if nil
}

// Command is the command of a hook: either Argv, started directly, or Shell, run by `sh -c`.
type Command struct {
	Argv  []string
	Shell string

	PowerShell   bool     // Shell is for pwsh
	Bash         bool     // Shell is for bash
	ByPath       bool     // start the shell by full path, because the shell's messages begin with the path
	Written      []string // variables that the client replaces by their values in Shell
	Placeholders bool     // in Argv, ${NAME} stands for the client's folder of that name

	Script   string // instead of both: a program or a Python file, by its path in the hook's folder
	Callable string // instead of all: a Python function, as module.function
}

// Source is the origin of an Entry in a document, for the importer.
type Source struct {
	Path, Group string       // of the entry, as hooks.PreToolUse.0.hooks.1, and of the group
	JSON        gjson.Result // the entry
	Matcher     gjson.Result
	Line        gjson.Result // the expression of When
	Fields      []Field      // known to the client
	// Machine names the variable in Env with a folder that only this machine has, and Plugin the variable with the
	// folder of the file's plugin.
	Machine, Plugin string
	// KeyAliases lists the keys for "command" and for "timeout", of which the first present key counts.
	KeyAliases map[string][]string
}

// Knows reports whether the client knows a field of the entry.
func (s *Source) Knows(key string) bool {
	return slices.ContainsFunc(s.Fields, func(f Field) bool { return f.Key() == key })
}

// Note describes a part of a document that is not an Entry, for the importer.
type Note struct {
	Kind NoteKind
	Path string
	At   document.Position
	Name string // of the field or the event
}

// NoteKind is the kind of a Note.
type NoteKind int

// Kinds of notes.
const (
	OwnSetting   NoteKind = iota // a setting of the client or the author, not about hooks
	Limit                        // a limit on URLs or variables of hooks
	Overwritten                  // an equal key follows and counts
	NoEvent                      // an event unknown to the client
	AtEvent                      // hooks of a known event
	PassedOver                   // a field unknown to the client
	InTurn                       // sets whether hooks run in turn, differently from the dialect
	EmptyGroup                   // without hooks
	EmptyCommand                 // a hook that the client skips for an empty command
)

// OffSwitch is a setting that turns all hooks of the client off, or on again.
type OffSwitch struct {
	Off   bool
	Name  string
	Path  string
	KeyAt document.Position
	By    string // the setting, in messages
	Text  string // the message if Off
	At    document.Position
}

// DisabledName is the name of a hook that the settings turn off.
type DisabledName struct {
	Text string // as written
	Name string // with variables expanded
	Path string
	At   document.Position
}

// DedupKey encodes texts as one unique text.
func DedupKey(parts ...string) string {
	b, _ := json.Marshal(parts) // strings always have a JSON form
	return string(b)
}
