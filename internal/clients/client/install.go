package client

import (
	"path/filepath"
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
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
	Page            string // in docs/clients, with the heading above HooklessActions, as "codex.md#what-no-hook-sees"

	Program   string   // the program's name in PATH
	Versions  []string // recorded versions, the source of all facts about the client here
	Variables []string // set by the client for its child processes

	Installer
}

// Installer inspects a client's files, and says what differs in its entry. BaseInstaller has a default for all methods.
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
	// Managed describes, on a system named as in runtime.GOOS, the settings for all users of a machine, which override
	// the users' own. Without a Path the client has no such settings.
	Managed(system string) Managed

	// OwnFiles returns, for a client without a hooks file for an entry, the files that hookrun writes whole: a plugin,
	// or an executable for each event. All are in the folder of Files.Base, which is the first.
	OwnFiles() []OwnFile
	// Head returns the members that the client's file needs beside "hooks", as JSON.
	Head() string
	// EntryMembers returns the key of the command for a shell, and the members of the entry other than "type",
	// "command" and "timeout", as JSON.
	EntryMembers(Shell) (commandKey, more string)
	// EmptiedVariables returns variables that the client sets to a part of the call. Such a value can be too long to
	// start a program, so the entry empties them.
	EmptiedVariables() []string
	// SilentBlock returns how the entry blocks if hookrun is missing, was killed or printed no answer, because clients
	// take no answer for an approval: the entry prints json, which has no single quote, on stdout and exits with exit.
	// By default it exits with 2 and a text on stderr.
	SilentBlock() (json string, exit int)
	// FitHint changes a text for people into one that the client accepts in a string of its file.
	FitHint(text string) string

	// TrustAnew says how the user trusts a changed entry again, or is "" if the client runs changed entries.
	TrustAnew() string
	// Shell returns the user's shell if the client runs commands in that, or else "".
	Shell() string
	// AlsoRuns names the other clients whose settings files have hooks that this client runs as well. Their entries may
	// get an input of this client. With a hookrun entry in both files, hookrun runs twice, unless the client has
	// AnsweringFiles.
	AlsoRuns() []string
	// NamelessEvents returns events whose hook input does not name the event, so hookrun cannot have an entry there.
	NamelessEvents() []protocol.Event
	// Agent returns more signs of the client's agent than Program and Variables, with blanks between them: names of its
	// process, without endings such as -cli, and as $NAME variables of its shells. ides are names of an IDE's process:
	// people work in terminals below it, too.
	Agent() (signs, ides string)
	// Instead returns the name of the file whose hooks the client reads instead of those in Files.Base, if both exist.
	Instead() string
}

// BaseInstaller is the default implementation of Installer, to be embedded: a client with none of these properties.
type BaseInstaller struct{}

func (BaseInstaller) Switches(string) []Switch                               { return nil }
func (BaseInstaller) Obstacles(*Installed) []Obstacle                        { return nil }
func (BaseInstaller) OtherFiles(Where) (weakest, strongest, beside []string) { return nil, nil, nil }
func (BaseInstaller) Servers(Where, func(path string) string) []ServerFile   { return nil }
func (BaseInstaller) Managed(string) Managed                                 { return Managed{} }
func (BaseInstaller) OwnFiles() []OwnFile                                    { return nil }
func (BaseInstaller) Head() string                                           { return "" }
func (BaseInstaller) EntryMembers(Shell) (commandKey, more string)           { return CommandKey, "" }
func (BaseInstaller) EmptiedVariables() []string                             { return nil }
func (BaseInstaller) SilentBlock() (json string, exit int)                   { return "", 2 }
func (BaseInstaller) FitHint(text string) string                             { return text }
func (BaseInstaller) TrustAnew() string                                      { return "" }
func (BaseInstaller) Shell() string                                          { return "" }
func (BaseInstaller) AlsoRuns() []string                                     { return nil }
func (BaseInstaller) NamelessEvents() []protocol.Event                       { return nil }
func (BaseInstaller) Agent() (signs, ides string)                            { return "", "" }
func (BaseInstaller) Instead() string                                        { return "" }

// HooklessAction is an action for which the client runs no hook, or does not wait for the hook. The Page of the
// client describes each.
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
func ServerFiles(f *dialect.Files, w Where, name string, read func(doc string) []Server) (files []ServerFile) {
	for _, place := range []dialect.Place{f.Project(w.Workspace), f.User(w.Home, w.Getenv)} {
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
	for key, v := range object.ForEach {
		s := Server{Name: strictjson.Text(key.Raw), At: key.Index}
		s.Off = slices.Contains(off, s.Name)
		if command := v.Get("command"); command.Type == gjson.String {
			s.Line = []string{strictjson.Text(command.Raw)}
		}
		s.Line = append(s.Line, Texts(v.Get("args"))...)
		servers = append(servers, s)
	}
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
