package dialect

import (
	"cmp"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/protocol"
)

// Files is where a client has its hooks files, and who reads them. Claude Code began their form,
// {"hooks": {EVENT: [{"matcher": …, "hooks": [HANDLER, …]}, …]}}, and others took it over with fields, units and a
// strictness of their own, which their FileReader knows.
type Files struct {
	Client string // as messages name it

	// Folder is where its files are in a project, "" if it reads none there, "." if they lie in the project itself, and
	// HomeFolder where they are in the user's home; "": as in a project. Either can be several names, as .github/hooks:
	// its subfolders are the client's then, too. No folder at all: the files can be anywhere.
	Folder, HomeFolder string
	// FolderVariable names the user's folder itself or, as VARIABLE/FOLDER, the folder that it lies in.
	FolderVariable string
	Base           string   // the file in there with the hooks
	Others         []string // more files in there that have hooks or switches
	Extensions     []string // of files that are no JSON, which the Reader parses itself

	// OnFault is what the client does with a fault of its file, and Drops the same as the end of a message.
	OnFault OnFault
	Drops   string

	Reader FileReader // without one the client has no hooks file, but files for a plugin
	// FolderVariables are the variables with a folder that commands begin their paths with; ${NAME} in arguments stands
	// for their values.
	FolderVariables []string
	// Takes are the keys that an entry of .tenex-hooks.json with the client's rules can have beside those of any entry:
	// url, if, async, cwd, on_failure.
	Takes []string

	Timeout Timeout
	Groups  Grouping
	Once    bool // of equal commands at a call one runs
}

// Grouping says at which events hooks stand in groups, which have a matcher.
type Grouping int

const (
	AllGrouped   Grouping = iota
	NoneGrouped           // a hook stands in the list of its event
	ToolsGrouped          // events of tools have groups, and all others have none
)

// FileReader is how a client reads its hooks file. It may also be a Matcher, an Expander, a Completer or a TimeLimiter,
// or have MoreFolders.
type FileReader interface {
	// Normalize turns a document into entries.
	Normalize(*Document)
}

// Matcher is implemented by the FileReader of a client whose matchers are its own: Pattern reads one that is held
// against the field subject.
type Matcher interface {
	Pattern(text, subject string) Pattern
}

// Expander is implemented by the FileReader of a client that replaces variables in the texts of its file by what they
// are.
type Expander interface {
	Expand(text string) string
}

// Completer is implemented by the FileReader of a client that does something with each command: Complete adds that.
type Completer interface {
	Complete(*Command)
}

// TimeLimiter is implemented by the FileReader of a client that gives hooks of some events a limited time: Most is the
// longest, 0 at all other events.
type TimeLimiter interface {
	Most(protocol.Event) time.Duration
}

// MoreFolders is implemented by the FileReader of a client that has such files in other folders, too.
type MoreFolders interface {
	Folders() []string
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

// Timeout is how a client writes a timeout.
type Timeout interface {
	Read(n float64) time.Duration // n is above 0
	Write(time.Duration) int64    // rounded up
	Longest() time.Duration       // that the client takes; 0: there is no limit
}

// Unit is a Timeout in a unit, without a limit.
type Unit time.Duration

// Read is the time that a number stands for.
func (u Unit) Read(n float64) time.Duration {
	if n >= float64(math.MaxInt64/u) { // more than a Duration holds
		return math.MaxInt64
	}
	return time.Duration(n * float64(u))
}

// Write is a time as a number.
func (u Unit) Write(d time.Duration) int64 {
	return int64((d + time.Duration(u) - 1) / time.Duration(u))
}

// Longest is no limit.
func (u Unit) Longest() time.Duration { return 0 }

// Place is where a client's file is, and the folder that it must not lie outside of.
type Place struct{ Root, Path string }

// IsPlaced reports whether the files lie in folders of the client's own.
func (f *Files) IsPlaced() bool { return f.Folder != "" || f.HomeFolder != "" }

// Project is the client's hooks file of a project.
func (f *Files) Project(dir string) Place {
	return Place{dir, filepath.Join(dir, cmp.Or(f.Folder, f.HomeFolder), f.Base)}
}

// LocalProject is the client's hooks file of one person in a project, if it has one: its name says that it is local,
// and it lies beside that of all.
func (f *Files) LocalProject(dir string) (p Place, found bool) {
	i := slices.IndexFunc(f.Others, func(base string) bool {
		return strings.HasSuffix(base, ".local.json") && filepath.Base(base) == base
	})
	if i < 0 {
		return Place{}, false
	}
	return Place{dir, filepath.Join(dir, f.Folder, f.Others[i])}, true
}

// User is the client's hooks file of the user.
func (f *Files) User(home string, getenv func(string) string) Place {
	first, rest, _ := strings.Cut(cmp.Or(f.HomeFolder, f.Folder), "/")
	variable, folder, isHome := strings.Cut(f.FolderVariable, "/")
	switch root := getenv(variable); {
	case root != "" && isHome:
		return Place{root, filepath.Join(root, folder, rest, f.Base)}
	case root != "":
		return Place{root, filepath.Join(root, rest, f.Base)}
	}
	return Place{home, filepath.Join(home, first, rest, f.Base)}
}

// ProjectOf finds the folder of the project, or the user's home, that a file is the client's of: one in a folder of the
// client's or, if its files lie in the project itself, one of their names.
func (f *Files) ProjectOf(file string) (project string, found bool) {
	folder, base := filepath.Dir(file), filepath.Base(file)
	path, folders := filepath.ToSlash(folder)+"/", []string{f.Folder, f.HomeFolder}
	if more, ok := f.Reader.(MoreFolders); ok {
		folders = append(folders, more.Folders()...)
	}
	for _, own := range folders {
		at := strings.LastIndex(path, "/"+own+"/")
		if own == "" || at < 0 || !strings.Contains(own, "/") && at+len(own)+2 != len(path) {
			continue
		}
		return filepath.FromSlash(path[:max(at, 1)]), true
	}
	if f.Folder == "." && (base == f.Base || slices.Contains(f.Others, base)) {
		return folder, true
	}
	return "", false
}

// HasExtension reports whether a file is in a format of the client's own.
func (f *Files) HasExtension(path string) bool {
	return f != nil && slices.Contains(f.Extensions, strings.ToLower(filepath.Ext(path)))
}

// Expanded is a text of the file with the values of variables.
func (f *Files) Expanded(text string) string {
	if e, ok := f.Reader.(Expander); ok {
		return e.Expand(text)
	}
	return text
}

// Expands reports whether the client replaces variables in its file.
func (f *Files) Expands() bool {
	_, is := f.Reader.(Expander)
	return is
}

// HasPattern reports whether the client reads matchers in its own way.
func (f *Files) HasPattern() bool {
	_, is := f.Reader.(Matcher)
	return is
}

// Pattern is a matcher as the client reads it, if it HasPattern.
func (f *Files) Pattern(text, subject string) Pattern {
	return f.Reader.(Matcher).Pattern(text, subject)
}

// MostAt is the longest time at an event, 0 if the client has no such limit.
func (f *Files) MostAt(e protocol.Event) time.Duration {
	if l, ok := f.Reader.(TimeLimiter); ok {
		return l.Most(e)
	}
	return 0
}

// May reports whether an entry of .tenex-hooks.json with the client's rules can have one of Takes.
func (f *Files) May(key string) bool { return slices.Contains(f.Takes, key) }

// Completed is a command as the client runs it.
func (f *Files) Completed(c Command) Command {
	if f, ok := f.Reader.(Completer); ok {
		f.Complete(&c)
	}
	return c
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
