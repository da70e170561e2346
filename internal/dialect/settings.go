package dialect

import (
	"cmp"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/internal/toml"
	"github.com/hookrun/hookrun/protocol"
)

// Settings is the form in which a client writes its hooks file, and where that file is. Claude Code began the form,
// {"hooks": {EVENT: [{"matcher": …, "hooks": [HANDLER, …]}, …]}}, and others took it over with fields, units and a
// strictness of their own. Package projecthooks has the one reader of all of them.
type Settings struct {
	Client string // as messages name it

	// Folder is where its files are, in a project and in the user's home. A file there is in this form, whatever it
	// says. AnyFolder are names of files that are in this form in all other folders, too: one dialect has them, and is
	// the one for files whose "hooks" is an object and whose place names no client.
	Folder    string
	AnyFolder []string
	// Folder can be several names, as .github/hooks: its subfolders are the client's then, too, and a file of hooks
	// there must have hooks. Folders are more folders with files in this form. HomeFolder is where the user's files
	// are, if that is another folder than Folder; FolderVariable names the first of its names.
	Folders    []string
	HomeFolder string
	Base       string   // the file in there with the hooks
	Local      string   // the file in a project's for one person alone, which nobody commits; "": there is none
	Others     []string // more files in there that have hooks or switches
	// TopEvents is a file in there with the events at its top level, which takes the place of the hooks in Base; "":
	// there is none.
	TopEvents string
	// UserOnly: it reads no hooks file of a project, but the user's alone.
	UserOnly bool
	// FolderVariable names the user's folder itself, HomeVariable another home of the user's; "": there is no such
	// variable.
	FolderVariable, HomeVariable string

	// Top are the fields of the document; with a ? behind the type null is as good as none. The first About of them are
	// those about hooks: of unknown fields the reader warns where they come near one of these. Closed: the client takes
	// no others.
	Top    []Field
	About  int
	Closed bool
	// Off is the field of Top that switches all hooks off. Switches are what stands under "hooksConfig"; nil: there is
	// no such field.
	Off      string
	Switches []Field
	// Within are switches that stand in "hooks" beside the events; the first switches all hooks off.
	Within []Field
	// OnFault is what the client does with a fault of its file.
	OnFault OnFault

	Group []Field
	// CommandOf is the tool whose command a group's "commandRegex" is held against, as JavaScript; "": there is no such
	// field. A group that has it is for that tool alone.
	CommandOf string
	Common    []Field // fields of handlers of every type
	Handlers  []HandlerType

	// Pattern reads a matcher that is held against the field subject.
	Pattern func(text, subject string) Pattern
	Timeout TimeoutForm
	// MatcherStops: at a matcher that is no text the client drops all hooks of the event. OneOfName: of hooks of one
	// name (or command, without a name), with one matcher and one "sequential", the file has the first alone.
	MatcherStops, OneOfName bool
	// Flat: a handler stands in the list of an event without a group around it; where there are fields of a Group, it
	// can also be in one. DefaultType is the type of a handler that has none; "": it must have one.
	Flat        bool
	DefaultType string
	// Commands are the keys of a command line, of which the first that is there counts; nil: it is "command", which
	// must not be empty. Exec is the key of a program that runs without a shell, with "args". FileVariable is the
	// variable with the folder of the hooks file.
	Commands     []string
	Exec         string
	FileVariable string
	Bash         bool // it runs command lines with bash, not with sh
	ByPath       bool // it calls the shell by its full path
	Expand       bool // $NAME in a text of the file stands for a variable

	// FolderVariables are the variables with a folder that commands begin their paths with; ${NAME} in arguments stands
	// for their values. PluginVariable is the one with the folder of a plugin; "": a hooks.json is never a plugin's.
	// Written are those that the client writes into the text of a command as $NAME.
	FolderVariables []string
	PluginVariable  string
	Written         []string

	// Drops is what the client does with a file that has a fault, as the end of a message; DropsAt the same for a fault
	// at an event (nil: Drops), DropsGroup in a group without hooks ("": Drops).
	Drops      string
	DropsAt    func(protocol.Event) string
	DropsGroup string
}

// OnFault is what a client does with a fault of a file in its own folder: an equal key, a comment, a wrong type.
type OnFault int

const (
	// Refuses: no hook of the file counts. Every fault is an error of hookrun's.
	Refuses OnFault = iota
	// TakesLast: of two equal keys the last counts, with a warning. All else is as with Refuses.
	TakesLast
	// DropsFile: the client's JSON may have comments and equal keys, of which the last counts, and it skips a hook with
	// an empty command. It goes on without the hooks of a file that has another fault. So does hookrun where it runs
	// hooks and no failure is to block; each fault is a warning of the outcome then.
	DropsFile
	// DropsEntry: the client reads comments, takes the last of equal keys, and drops what it cannot use, an entry alone
	// or the whole document, and runs the rest. So does hookrun, with a warning.
	DropsEntry
)

// HandlerType is a type of handler: its own fields, the first Required of which it must have, and the fields that equal
// hooks have in common.
type HandlerType struct {
	Name     string
	Required int
	Members  []Field
	Same     []string // nil: no two are equal
	Kind     HandlerKind
}

// Knows reports whether hooks of a kind may have a field; "": whether there are such hooks.
func (s *Settings) Knows(kind HandlerKind, key string) bool {
	is := func(f Field) bool { return f.Key() == key }
	return slices.ContainsFunc(s.Handlers, func(t HandlerType) bool {
		return t.Kind == kind && (key == "" || slices.ContainsFunc(s.Common, is) || slices.ContainsFunc(t.Members, is))
	})
}

// HandlerKind is what hookrun does with a handler.
type HandlerKind int

// Kinds of handlers.
const (
	CannotRun HandlerKind = iota // it needs a model or a client
	Runs
	Posts
)

// TimeoutForm is how a timeout is written.
type TimeoutForm struct {
	Unit  time.Duration
	Name  string // of the unit
	Key   string // the field that counts before "timeout"; "": there is none
	Less  string // the unit that is meant by a number of more than an hour
	More  string // the unit that is meant by a number of less than a second; "": none
	Whole bool   // there are no fractions
	// Longest is the longest that there may be; 0: there is no limit.
	Longest time.Duration
	Zero    time.Duration // what 0 stands for; 0: it is an error
	// Negative is what stands for a number below 0, with which the client kills a hook at once; 0: it is an error.
	Negative time.Duration
	// Milliseconds is from which number on it is one of milliseconds; 0: none is. Odd: what is no number above 0 is
	// passed over, and a text can be a number.
	Milliseconds float64
	Odd          bool
	Most         func(protocol.Event) time.Duration
}

// MostAt is the longest time at an event, 0 if the client has no such limit.
func (f *TimeoutForm) MostAt(e protocol.Event) time.Duration {
	if f.Most == nil {
		return 0
	}
	return f.Most(e)
}

// Read is the time that a number above 0 stands for.
func (f *TimeoutForm) Read(n float64) time.Duration {
	if f.Milliseconds > 0 && n >= f.Milliseconds {
		return time.Duration(min(n, math.MaxInt32) * float64(time.Millisecond))
	}
	if n >= float64(math.MaxInt64/f.Unit) { // more than a Duration holds
		return math.MaxInt64
	}
	return time.Duration(n * float64(f.Unit))
}

// Write is a time as a number, rounded up.
func (f *TimeoutForm) Write(d time.Duration) int64 {
	if n := int64((d + f.Unit - 1) / f.Unit); f.Milliseconds == 0 || float64(n) < f.Milliseconds {
		return n
	}
	return int64((d + time.Millisecond - 1) / time.Millisecond)
}

// Place is where a client's file is, and the folder that it must not lie outside of.
type Place struct{ Root, Path string }

// Project is the client's hooks file of a project.
func (s *Settings) Project(dir string) Place {
	return Place{dir, filepath.Join(dir, s.Folder, s.Base)}
}

// LocalProject is the client's hooks file of one person in a project, if it has one.
func (s *Settings) LocalProject(dir string) (p Place, found bool) {
	return Place{dir, filepath.Join(dir, s.Folder, s.Local)}, s.Local != ""
}

// User is the client's hooks file of the user.
func (s *Settings) User(home string, getenv func(string) string) Place {
	first, rest, _ := strings.Cut(cmp.Or(s.HomeFolder, s.Folder), "/")
	if folder := getenv(s.FolderVariable); folder != "" {
		return Place{folder, filepath.Join(folder, rest, s.Base)}
	}
	home = cmp.Or(getenv(s.HomeVariable), home)
	return Place{home, filepath.Join(home, first, rest, s.Base)}
}

// OfHooks reports whether all files in a folder are the client's files of hooks, and no settings.
func (s *Settings) OfHooks(folder string) bool {
	path := filepath.ToSlash(folder) + "/"
	return slices.ContainsFunc([]string{s.Folder, s.HomeFolder}, func(own string) bool {
		return strings.Contains(own, "/") && strings.Contains(path, "/"+own+"/")
	})
}

// ProjectOf finds the folder of the project, or the user's home, that one of the client's folders lies in.
func (s *Settings) ProjectOf(folder string) (project string, found bool) {
	path := filepath.ToSlash(folder) + "/"
	for _, own := range append([]string{s.Folder, s.HomeFolder}, s.Folders...) {
		at := strings.LastIndex(path, "/"+own+"/")
		if own == "" || at < 0 || !strings.Contains(own, "/") && at+len(own)+2 != len(path) {
			continue
		}
		return filepath.FromSlash(path[:max(at, 1)]), true
	}
	return "", false
}

// OwnKey reports whether a key may stand in any object of a hooks file: it is the author's own.
func OwnKey(key string) bool { return key == "$schema" || strings.HasPrefix(key, "x-") }

// InheritedFault returns what is wrong with the name of a variable that a hook is to inherit, or "".
func InheritedFault(name string) string {
	switch {
	case strings.Trim(name, "*") == "":
		return " has the name " + spelling.Quote(name) + "; write true for all variables"
	case strings.Contains(name, "=") || strings.Contains(strings.TrimSuffix(name, "*"), "*"):
		return ": " + spelling.Quote(name) + " cannot be the name of a variable; a * may stand at its end"
	}
	return ""
}

// Format is a hooks file that is not JSON: how its name ends, and how it is read.
type Format struct {
	Extensions []string
	Read       func(doc string) File
}

// Is reports whether a file is in the format.
func (f *Format) Is(path string) bool {
	return f != nil && slices.Contains(f.Extensions, strings.ToLower(filepath.Ext(path)))
}

// File is what such a file says: either hooks as JSON in the form of Settings, or entries.
type File struct {
	JSON   string
	From   toml.Origins // of the pieces of JSON
	Others []string     // what else is in the file, that is the client's

	Entries []Entry
	Agents  []string // that the file knows, where hooks are not the same for all of them

	Diagnostics []Diagnostic
}

// Position is a place in a file.
type Position struct{ Line, Column int }

// Diagnostic is something to say about a place of a file.
type Diagnostic struct {
	Position
	Text    string
	Warning bool // the file loads
	Gate    bool // as a warning: a hook will never run
}

// Entry is a hook of a File.
type Entry struct {
	Position
	Name      string
	Event     protocol.Event
	Agent     string   // the one that it is for; "": all but NotAgents
	NotAgents []string // these have hooks of their own
	Matcher   *string  // globs; nil: there is none
	Timeout   time.Duration
	OnFailure protocol.FailurePolicy
	// Inherit are names of the caller's variables that the hook gets beside those that every program needs; nil: it
	// gets all of them.
	Inherit []string

	Shell, Script, Function string   // what it runs, one of the three
	Runs                    Position // where that stands
}
