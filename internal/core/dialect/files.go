package dialect

import (
	"cmp"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/protocol"
)

// Files describes the location and the reading of a client's hooks files. Claude Code introduced the form, {"hooks":
// {EVENT: [{"matcher": …, "hooks": [HANDLER, …]}, …]}}. Other clients adopted the form with different fields, units and
// strictness, which their FileReader implements.
type Files struct {
	Client string // the client's name in messages

	// Folder is the folder of the files in a project: "" if the client reads no project files, "." for the project
	// folder. HomeFolder is the folder in the user's home; if "", same as Folder. A path of several names, such as
	// .github/hooks, includes its subfolders. If both are "", the files can be anywhere.
	Folder, HomeFolder string
	// FolderVariable names the variable with the user's folder or, as VARIABLE/FOLDER, with the parent of FOLDER.
	FolderVariable string
	Base           string   // the hooks file in the folder
	Others         []string // more files in the folder with hooks or switches
	Extensions     []string // of files other than JSON, parsed by the Reader

	// OnFault is the client's reaction to a fault in a hooks file, and Drops the same as the end of a message.
	OnFault OnFault
	Drops   string

	Reader FileReader // a client without a Reader has no hooks file, only files of a plugin
	// FolderVariables are variables with a folder, used at the beginning of paths in commands. In arguments, ${NAME}
	// stands for the value.
	FolderVariables []string
	// Takes are the optional keys of an entry in .tenex-hooks.json with the client's rules, beyond the keys of any
	// entry: url, if, async, cwd, on_failure.
	Takes []string

	Timeout Timeout
	Groups  Grouping
	Once    bool // of equal commands at a call, only one runs
}

// Grouping says at which events hooks are in groups with a matcher.
type Grouping int

const (
	AllGrouped   Grouping = iota
	NoneGrouped           // hooks are listed directly under their event
	ToolsGrouped          // only events of tools have groups
)

// FileReader reads a client's hooks file.
type FileReader interface {
	// Normalize turns a document into entries.
	Normalize(*Document)
}

// Matcher is implemented by the FileReader of a client with a matcher syntax of its own. Pattern parses a matcher for
// the field subject.
type Matcher interface {
	Pattern(text, subject string) Pattern
}

// Expander is implemented by the FileReader of a client that expands variables in the texts of the file.
type Expander interface {
	Expand(text string) string
}

// Completer is implemented by the FileReader of a client that modifies each command. Complete makes the same change.
type Completer interface {
	Complete(*Command)
}

// TimeLimiter is implemented by the FileReader of a client that limits the timeout at some events. MaxTimeout returns
// the limit, or 0 at the other events.
type TimeLimiter interface {
	MaxTimeout(protocol.Event) time.Duration
}

// MoreFolders is implemented by the FileReader of a client with hooks files in other folders, too.
type MoreFolders interface {
	Folders() []string
}

// OnFault is a client's reaction to a fault in a file of the client's own folder: an equal key, a comment, a wrong
// type.
type OnFault int

const (
	// Refuses: no hook of the file counts. Every fault is an error in hookrun.
	Refuses OnFault = iota
	// TakesLast: of two equal keys the last counts, with a warning. Any other fault is as with Refuses.
	TakesLast
	// DropsFile: the client allows comments and equal keys, of which the last counts, and skips a hook with an empty
	// command. After any other fault the client continues without the file's hooks. hookrun does the same when running
	// hooks, unless failures are to block; each fault is then a warning of the outcome.
	DropsFile
	// DropsEntry: the client allows comments and equal keys, of which the last counts. The client drops an invalid
	// entry or document and runs the rest. hookrun does the same, with a warning.
	DropsEntry
)

// Timeout converts between durations and the timeouts in a client's file.
type Timeout interface {
	Read(n float64) time.Duration // n is above 0
	Write(time.Duration) int64    // rounded up
	Longest() time.Duration       // the client's maximum; 0: no limit
}

// Unit is a Timeout in a fixed unit, without a limit.
type Unit time.Duration

// Read returns the duration of n units.
func (u Unit) Read(n float64) time.Duration {
	if n >= float64(math.MaxInt64/u) { // would overflow Duration
		return math.MaxInt64
	}
	return time.Duration(n * float64(u))
}

// Write returns d in units.
func (u Unit) Write(d time.Duration) int64 {
	return int64((d + time.Duration(u) - 1) / time.Duration(u))
}

// Longest returns 0, which means no limit.
func (u Unit) Longest() time.Duration { return 0 }

// LongTimeout is the longest timeout that is probably meant in seconds.
const LongTimeout = 10 * time.Minute

// Place is the path of a client's file, and the folder that must contain the file.
type Place struct{ Root, Path string }

// IsPlaced reports whether the files are in folders of the client's own.
func (f *Files) IsPlaced() bool { return f.Folder != "" || f.HomeFolder != "" }

// Project returns the client's hooks file of a project.
func (f *Files) Project(dir string) Place {
	return Place{dir, filepath.Join(dir, cmp.Or(f.Folder, f.HomeFolder), f.Base)}
}

// LocalProject returns one person's hooks file in a project, if the client has such a file. It is next to the shared
// file, and its name ends in .local.json.
func (f *Files) LocalProject(dir string) (p Place, found bool) {
	i := slices.IndexFunc(f.Others, func(base string) bool {
		return strings.HasSuffix(base, ".local.json") && filepath.Base(base) == base
	})
	if i < 0 {
		return Place{}, false
	}
	return Place{dir, filepath.Join(dir, f.Folder, f.Others[i])}, true
}

// User returns the client's hooks file of the user.
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

// ProjectOf returns the project folder, or the user's home, of a client's file. The file must be in a folder of the
// client or, if the files are in the project folder, have one of the client's file names.
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

// HasExtension reports whether a file is in the client's own format.
func (f *Files) HasExtension(path string) bool {
	return f != nil && slices.Contains(f.Extensions, strings.ToLower(filepath.Ext(path)))
}

// Expanded returns a text of the file with variables expanded.
func (f *Files) Expanded(text string) string {
	if e, ok := f.Reader.(Expander); ok {
		return e.Expand(text)
	}
	return text
}

// Expands reports whether the client expands variables in the file.
func (f *Files) Expands() bool {
	_, is := f.Reader.(Expander)
	return is
}

// HasPattern reports whether the client has a matcher syntax of its own.
func (f *Files) HasPattern() bool {
	_, is := f.Reader.(Matcher)
	return is
}

// Pattern parses a matcher as the client does. Call Pattern only if HasPattern.
func (f *Files) Pattern(text, subject string) Pattern {
	return f.Reader.(Matcher).Pattern(text, subject)
}

// MaxTimeoutAt returns the longest timeout at an event, or 0 if the client has no such limit.
func (f *Files) MaxTimeoutAt(e protocol.Event) time.Duration {
	if l, ok := f.Reader.(TimeLimiter); ok {
		return l.MaxTimeout(e)
	}
	return 0
}

// May reports whether an entry of .tenex-hooks.json with the client's rules can have the key, one of Takes.
func (f *Files) May(key string) bool { return slices.Contains(f.Takes, key) }

// Completed returns a command as the client runs the command.
func (f *Files) Completed(c Command) Command {
	if f, ok := f.Reader.(Completer); ok {
		f.Complete(&c)
	}
	return c
}

// InheritedFault returns the fault in the name of an inherited variable, or "".
func InheritedFault(name string) string {
	switch {
	case strings.Trim(name, "*") == "":
		return " has the name " + spelling.Quote(name) + "; write true for all variables"
	case strings.Contains(name, "=") || strings.Contains(strings.TrimSuffix(name, "*"), "*"):
		return ": " + spelling.Quote(name) + " cannot be the name of a variable; a * may stand at its end"
	}
	return ""
}
