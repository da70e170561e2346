package dialect

import (
	"path/filepath"
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// Installation is how a client is made to call hookrun: the entry in its settings, and what keeps the client from
// running it. Package install has the one editor of all such files.
type Installation struct {
	Events       []string // at which hookrun has something to say
	WindowsShell Shell    // that the client gives the command to on Windows
	JSON         JSONForm // of its files
	Note         string   // what its user must know: what the client still asks of them, or cannot do at all
	Unseen       []Unseen

	Program   string   // its name in PATH
	Versions  []string // that were recorded: what hookrun knows of the client it knows of these
	Variables []string // that it sets for what it starts

	Installer
}

// Installer looks into a client's files. BaseInstaller has a default for all of it.
//
// The Installer of a client may also be a FileWriter, a HeadWriter, an EntryWriter, a VariableEmptier, a SilentBlocker,
// a HintFitter, an EntryTruster, a ShellFinder, an AlsoRunner or a HooksMover, or have Nameless events.
type Installer interface {
	// Switches reads the settings in the text of one of its files, without comments, that decide whether it runs hooks,
	// or this one.
	Switches(doc string) []Switch
	// Obstacles are what else keeps it from running the entry.
	Obstacles(*Installed) []Obstacle
	// Elsewhere are files outside the folders of Files: the settings of all users of the machine that every other file
	// overrides, those that override every other file, and more files that Obstacles looks at.
	Elsewhere(Where) (weakest, strongest, beside []string)
	// Servers are the files with its MCP servers. read is the text of another file of JSON, "" if that has a fault.
	Servers(w Where, read func(path string) string) []ServerFile
}

// BaseInstaller is the default of an Installer, for a client's own to embed.
type BaseInstaller struct{}

// Switches are none.
func (BaseInstaller) Switches(string) []Switch { return nil }

// Obstacles are none.
func (BaseInstaller) Obstacles(*Installed) []Obstacle { return nil }

// Elsewhere are no files.
func (BaseInstaller) Elsewhere(Where) (weakest, strongest, beside []string) { return nil, nil, nil }

// Servers are in no file.
func (BaseInstaller) Servers(Where, func(path string) string) []ServerFile { return nil }

// FileWriter is implemented by the Installer of a client that has no hooks file for an entry: OwnFiles are files that
// hookrun writes whole, a plugin, or an executable for each event. They are in the folder of Files.Base, which is the
// first of them.
type FileWriter interface {
	OwnFiles() []OwnFile
}

// HeadWriter is implemented by the Installer of a client whose file must have something beside "hooks": Head returns
// these members as JSON.
type HeadWriter interface {
	Head() string
}

// EntryWriter is implemented by the Installer of a client whose entry has other members than "type", "command" and
// "timeout": EntryMembers returns the key of the command for a shell, and members that are beside it, as JSON.
type EntryWriter interface {
	EntryMembers(Shell) (commandKey, more string)
}

// VariableEmptier is implemented by the Installer of a client that sets variables to a part of the call, which can be
// longer than a program can be started with: EmptiedVariables are those. The entry empties them.
type VariableEmptier interface {
	EmptiedVariables() []string
}

// SilentBlocker is implemented by the Installer of a client that exit 2 does not stop at every event: SilentBlock is
// how the entry blocks if hookrun is missing, was killed, or printed no answer, which clients take for an approval. It
// prints JSON without a single quote on stdout, and exits.
type SilentBlocker interface {
	SilentBlock() (json string, exit int)
}

// HintFitter is implemented by the Installer of a client that does not take every text in a string of its file: FitHint
// changes a text for people so that it does.
type HintFitter interface {
	FitHint(text string) string
}

// EntryTruster is implemented by the Installer of a client that does not run a changed entry until its user has done
// what TrustAnew says.
type EntryTruster interface {
	TrustAnew() string
}

// ShellFinder is implemented by the Installer of a client that gives commands to a shell of its user's: Shell is the
// program, "" for /bin/sh.
type ShellFinder interface {
	Shell() string
}

// AlsoRunner is implemented by the Installer of a client that runs the hooks of other clients as well, from their
// settings files: AlsoRuns names those. Their entries may get an input of this client's. An entry of hookrun's in both
// files is asked twice, unless the client's Hooks are an Answerer.
type AlsoRunner interface {
	AlsoRuns() []string
}

// Nameless is implemented by the Installer of a client with events whose hook input does not say which event it is, so
// that no entry of hookrun's can be there: NamelessEvents are those.
type Nameless interface {
	NamelessEvents() []protocol.Event
}

// HooksMover is implemented by the Installer of a client that takes the hooks of another file than Files.Base, if that
// is there: Instead is its name.
type HooksMover interface {
	Instead() string
}

// OwnFiles are those of a FileWriter.
func (i *Installation) OwnFiles() []OwnFile {
	if w, ok := i.Installer.(FileWriter); ok {
		return w.OwnFiles()
	}
	return nil
}

// Head is that of a HeadWriter.
func (i *Installation) Head() string {
	if w, ok := i.Installer.(HeadWriter); ok {
		return w.Head()
	}
	return ""
}

// EntryMembers are those of an EntryWriter.
func (i *Installation) EntryMembers(s Shell) (commandKey, more string) {
	if w, ok := i.Installer.(EntryWriter); ok {
		return w.EntryMembers(s)
	}
	return CommandKey, ""
}

// SilentBlock is that of a SilentBlocker, else exit 2 with a text on stderr, and no JSON.
func (i *Installation) SilentBlock() (json string, exit int) {
	if b, ok := i.Installer.(SilentBlocker); ok {
		return b.SilentBlock()
	}
	return "", 2
}

// AlsoRuns are the clients of an AlsoRunner. Of a client that hookrun is not installed in there are none.
func (i *Installation) AlsoRuns() []string {
	if i != nil {
		if r, ok := i.Installer.(AlsoRunner); ok {
			return r.AlsoRuns()
		}
	}
	return nil
}

// Unseen is something that the client does and for which it runs no hook, or waits for none. docs/what-no-hook-sees.md
// has each.
type Unseen struct {
	What  string         // behind the client's name: as "runs write_stdin without a hook"
	Event protocol.Event // of the hooks that count on it: pre-execute, pre-tool or post-tool
	Tools []string       // that those hooks are for, by the project's names; none for hooks of any tool
}

// OwnFile is a file of the client's that has nothing in it but hookrun's text.
type OwnFile struct {
	Base       string
	Events     []string // at which the client runs it
	Executable bool
	Comment    string // how a line of a comment begins in it
	// Text is the file. Package install adds a line, behind one with #!, by which it knows the file again.
	Text func(OwnCall) string
}

// OwnCall is how an OwnFile calls hookrun.
type OwnCall struct {
	Program string   // an absolute path or, to be looked up in PATH, "hookrun"
	Args    []string // with the command, "fire"
	Command string   // the same for a shell, with a block if hookrun gives no answer
	Timeout time.Duration
}

// InstallHookrun is what a person is told who has no hookrun in PATH where an entry looks for it.
const InstallHookrun = `install hookrun: https://github.com/hookrun/hookrun#install (the hooks of this project need ` +
	`it in PATH, and every call is blocked without it)`

// Where says where a client looks for its MCP servers.
type Where struct {
	Workspace string
	Home      string                   // the user's; "": nobody knows it
	Getenv    func(name string) string // of the client
	Everybody bool                     // also what is for other projects of the user alone
}

// ServerFile is a file with MCP servers, and how they are read from its text, which has no comments.
type ServerFile struct {
	Path string
	Read func(doc string) []Server
}

// Server is an MCP server that a client starts.
type Server struct {
	Name string
	At   int      // in the file
	Line []string // the command and its arguments
	Off  bool     // the client does not start it
}

// ServerFiles are a project's file of a name beside its hooks file, and the user's.
func (f *Files) ServerFiles(w Where, name string, read func(doc string) []Server) (files []ServerFile) {
	for _, place := range []Place{f.Project(w.Workspace), f.User(w.Home, w.Getenv)} {
		files = append(files, ServerFile{Path: filepath.Join(filepath.Dir(place.Path), name), Read: read})
	}
	return files
}

// MCPServers reads the "mcpServers" of a document of JSON.
func MCPServers(doc string) []Server { return ServersOf(gjson.Get(doc, "mcpServers"), nil) }

// ServersOf reads the servers of a JSON object. off are the names of those that the client does not start.
func ServersOf(object gjson.Result, off []string) (all []Server) {
	if !object.IsObject() {
		return nil
	}
	object.ForEach(func(key, v gjson.Result) bool {
		s := Server{Name: strictjson.Text(key.Raw), At: key.Index}
		s.Off = slices.Contains(off, s.Name)
		if command := v.Get("command"); command.Type == gjson.String {
			s.Line = []string{strictjson.Text(command.Raw)}
		}
		s.Line = append(s.Line, Texts(v.Get("args"))...)
		all = append(all, s)
		return true
	})
	return all
}

// Texts are the strings of a list.
func Texts(list gjson.Result) (all []string) {
	for _, text := range list.Array() {
		if list.IsArray() && text.Type == gjson.String {
			all = append(all, strictjson.Text(text.Raw))
		}
	}
	return all
}
