package dialect

import (
	"path/filepath"
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// Installation describes how to make a client call hookrun: the entry in the client's settings, and the obstacles to
// running the entry. Package install has the editor of all such files.
type Installation struct {
	Events          []string // with an entry for hookrun
	WindowsShell    Shell    // the shell for the command on Windows
	JSON            JSONForm // the syntax of the client's files
	Note            string   // for the user: what the client still asks of them, or cannot do
	HooklessActions []HooklessAction

	Program   string   // the program's name in PATH
	Versions  []string // recorded versions, the source of all facts about the client here
	Variables []string // set by the client for its child processes

	Installer
}

// Installer inspects a client's files. BaseInstaller has a default for all methods.
//
// A client's Installer may also implement FileWriter, HeadWriter, EntryWriter, VariableEmptier, SilentBlocker,
// HintFitter, EntryTruster, ShellFinder, AlsoRunner, HooksMover, Nameless or Managing.
type Installer interface {
	// Switches reads from the text of a file, without comments, the settings that decide whether the client runs hooks,
	// or the entry.
	Switches(doc string) []Switch
	// Obstacles returns other reasons why the client does not run the entry.
	Obstacles(*Installed) []Obstacle
	// OtherFiles returns files outside the folders of Files: machine-wide settings that every other file overrides,
	// machine-wide settings that override every other file, and more files for Obstacles.
	OtherFiles(Where) (weakest, strongest, beside []string)
	// Servers returns the files with the client's MCP servers. read returns the text of another JSON file, or "" if
	// that file has a fault.
	Servers(w Where, read func(path string) string) []ServerFile
}

// BaseInstaller is the default implementation of Installer, to be embedded.
type BaseInstaller struct{}

// Switches returns nil.
func (BaseInstaller) Switches(string) []Switch { return nil }

// Obstacles returns nil.
func (BaseInstaller) Obstacles(*Installed) []Obstacle { return nil }

// OtherFiles returns no files.
func (BaseInstaller) OtherFiles(Where) (weakest, strongest, beside []string) { return nil, nil, nil }

// Servers returns nil.
func (BaseInstaller) Servers(Where, func(path string) string) []ServerFile { return nil }

// FileWriter is implemented by the Installer of a client without a hooks file for an entry. OwnFiles returns files that
// hookrun writes whole: a plugin, or an executable for each event. All are in the folder of Files.Base, which is the
// first.
type FileWriter interface {
	OwnFiles() []OwnFile
}

// HeadWriter is implemented by the Installer of a client whose file needs more members than "hooks". Head returns these
// members as JSON.
type HeadWriter interface {
	Head() string
}

// EntryWriter is implemented by the Installer of a client whose entry has other members than "type", "command" and
// "timeout". EntryMembers returns the key of the command for a shell, and the other members as JSON.
type EntryWriter interface {
	EntryMembers(Shell) (commandKey, more string)
}

// VariableEmptier is implemented by the Installer of a client that sets variables to a part of the call. Such a value
// can be too long to start a program, so the entry empties EmptiedVariables.
type VariableEmptier interface {
	EmptiedVariables() []string
}

// SilentBlocker is implemented by the Installer of a client for which exit 2 does not block at every event. SilentBlock
// returns how the entry blocks if hookrun is missing, was killed or printed no answer, because clients take no answer
// for an approval: the entry prints json, which has no single quote, on stdout and exits with exit.
type SilentBlocker interface {
	SilentBlock() (json string, exit int)
}

// HintFitter is implemented by the Installer of a client that rejects some texts in a string of its file. FitHint
// changes a text for people into an accepted text.
type HintFitter interface {
	FitHint(text string) string
}

// EntryTruster is implemented by the Installer of a client that does not run a changed entry until the user has trusted
// the entry again. TrustAnew says how.
type EntryTruster interface {
	TrustAnew() string
}

// ShellFinder is implemented by the Installer of a client that runs commands in the user's shell. Shell returns the
// program, or "" for /bin/sh.
type ShellFinder interface {
	Shell() string
}

// AlsoRunner is implemented by the Installer of a client that also runs the hooks in other clients' settings files.
// AlsoRuns names the other clients. Their entries may get an input of this client. With a hookrun entry in both files,
// hookrun runs twice, unless the client's Hooks implement Answerer.
type AlsoRunner interface {
	AlsoRuns() []string
}

// Nameless is implemented by the Installer of a client with events whose hook input does not name the event. hookrun
// cannot have an entry at NamelessEvents.
type Nameless interface {
	NamelessEvents() []protocol.Event
}

// HooksMover is implemented by the Installer of a client that reads hooks from another file instead of Files.Base, if
// the other file exists. Instead returns the other file's name.
type HooksMover interface {
	Instead() string
}

// OwnFiles returns the files of a FileWriter, or nil.
func (i *Installation) OwnFiles() []OwnFile {
	if w, ok := i.Installer.(FileWriter); ok {
		return w.OwnFiles()
	}
	return nil
}

// Head returns the members of a HeadWriter, or "".
func (i *Installation) Head() string {
	if w, ok := i.Installer.(HeadWriter); ok {
		return w.Head()
	}
	return ""
}

// EntryMembers returns the members of an EntryWriter, or the defaults.
func (i *Installation) EntryMembers(s Shell) (commandKey, more string) {
	if w, ok := i.Installer.(EntryWriter); ok {
		return w.EntryMembers(s)
	}
	return CommandKey, ""
}

// SilentBlock returns the block of a SilentBlocker, or exit 2 without JSON, with a text on stderr.
func (i *Installation) SilentBlock() (json string, exit int) {
	if b, ok := i.Installer.(SilentBlocker); ok {
		return b.SilentBlock()
	}
	return "", 2
}

// AlsoRuns returns the clients of an AlsoRunner, or nil if i is nil or not an AlsoRunner.
func (i *Installation) AlsoRuns() []string {
	if i != nil {
		if r, ok := i.Installer.(AlsoRunner); ok {
			return r.AlsoRuns()
		}
	}
	return nil
}

// HooklessAction is an action for which the client runs no hook, or does not wait for the hook.
// docs/what-no-hook-sees.md describes each.
type HooklessAction struct {
	What  string         // follows the client's name, as "runs write_stdin without a hook"
	Event protocol.Event // of the affected hooks: pre-execute, pre-tool or post-tool
	Tools []string       // of the affected hooks, by the project's names; any tool, if empty
	Until string         // the client's first version that runs the hook; "": none does
}

// OwnFile is a client's file that hookrun writes whole.
type OwnFile struct {
	Base       string
	Events     []string // at which the client runs the file
	Executable bool
	Comment    string // the beginning of a comment line
	// Text returns the file's text. Package install adds a line, after a #! line if present, to recognize the file
	// later.
	Text func(OwnCall) string
}

// OwnCall is how an OwnFile calls hookrun.
type OwnCall struct {
	Program string   // an absolute path, or "hookrun" to search in PATH
	Args    []string // including the subcommand, "fire"
	Command string   // the same as a shell command, which blocks if hookrun gives no answer
	Timeout time.Duration
}

// InstallHookrun is the message if an entry does not find hookrun in PATH.
const InstallHookrun = `install hookrun: curl -fsSL https://github.com/hookrun/hookrun/releases/latest/download/` +
	`install.sh | sh (the hooks of this project need it in PATH, and every call is blocked without it)`

// A Where is the environment in which a client looks for its MCP servers.
type Where struct {
	Workspace   string
	Home        string                   // the user's; "": unknown
	Getenv      func(name string) string // of the client's environment
	AllProjects bool                     // include settings for the user's other projects
}

// ServerFile is a file with MCP servers, and the function that reads the servers from the text without comments.
type ServerFile struct {
	Path string
	Read func(doc string) []Server
}

// Server is an MCP server started by a client.
type Server struct {
	Name string
	At   int      // offset in the file
	Line []string // the command and the arguments
	Off  bool     // the client does not start the server
}

// ServerFiles returns the files with a name next to the project's hooks file and next to the user's.
func (f *Files) ServerFiles(w Where, name string, read func(doc string) []Server) (files []ServerFile) {
	for _, place := range []Place{f.Project(w.Workspace), f.User(w.Home, w.Getenv)} {
		files = append(files, ServerFile{Path: filepath.Join(filepath.Dir(place.Path), name), Read: read})
	}
	return files
}

// MCPServers reads "mcpServers" from a JSON document.
func MCPServers(doc string) []Server { return ServersOf(gjson.Get(doc, "mcpServers"), nil) }

// ServersOf reads the servers from a JSON object. off are names of servers that the client does not start.
func ServersOf(object gjson.Result, off []string) (servers []Server) {
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
		servers = append(servers, s)
		return true
	})
	return servers
}

// Texts returns the strings of a list.
func Texts(list gjson.Result) (texts []string) {
	for _, text := range list.Array() {
		if list.IsArray() && text.Type == gjson.String {
			texts = append(texts, strictjson.Text(text.Raw))
		}
	}
	return texts
}
