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
	Events []string // at which hookrun has something to say
	// Nameless are events whose hook input does not say which event it is, so that no entry of hookrun's can be there.
	Nameless []protocol.Event
	// NoAnswer is how the entry blocks if hookrun is missing, was killed, or printed no answer, which clients take for
	// an approval. The zero value is exit 2 with a text on stderr.
	NoAnswer  NoAnswer
	OnWindows CommandForm
	Asks      string // what the client still wants of its user before it runs the hook
	Lacks     string // what hooks of a project cannot do in the client at all
	Unseen    []Unseen

	LoginShell bool // the login shell of its user runs the command
	// Empties are variables that it sets to a part of the call, which can be longer than a program can be started with.
	// The entry empties them.
	Empties []string

	Comments bool // it reads JSON with comments
	NoMark   bool // it drops a file that begins with a byte order mark
	Named    bool // its hooks have names
	// NoURLs: it takes a // for the start of a comment, also in a string.
	NoURLs bool
	// Head is what a file must have beside "hooks", and Extra what the entry has beside its command: members as JSON.
	Head, Extra string
	Trusts      bool // a change of the entry switches it off until its user has trusted it again

	// OwnFiles are the files that hookrun writes whole where the client has no hooks file for an entry: a plugin, or an
	// executable for each event. They are in the folder of Files.Base, which is the first of them; nil: there is an
	// entry.
	OwnFiles []OwnFile

	// ReadSwitches reads the settings in the text of one of its files, without comments, that decide whether it runs
	// hooks, or this one; nil: there are none.
	ReadSwitches func(doc string) []Switch
	// Obstacles are what else keeps it from running the entry; nil: nothing does.
	Obstacles func(*Installed) []Obstacle
	// Machine are the settings of all users of the machine: those that every other file overrides, and those that
	// override every other file; nil: there are none. Beside are more files that Obstacles looks at; nil: none.
	Machine func(getenv func(string) string) (weakest, strongest []string)
	Beside  func(w Where) []string

	// AlsoRuns names the clients whose hooks this one runs as well, from their settings files. Their entries may get an
	// input of this client's. An entry of hookrun's in both files is asked twice, unless the client has
	// Dialect.AnsweredBy.
	AlsoRuns []string

	Program   string   // its name in PATH
	Versions  []string // that were recorded: what hookrun knows of the client it knows of these
	Variables []string // that it sets for what it starts
	// Shell is the program that it gives a command to, behind -c; nil: what Files.Complete says.
	Shell func() string
	// Servers are the files with its MCP servers. read is the text of another file of JSON, "" if that has a fault.
	// nil: there are none.
	Servers func(w Where, read func(path string) string) []ServerFile
}

// Unseen is something that the client does and for which it runs no hook, or waits for none. docs/what-no-hook-sees.md
// has each.
type Unseen struct {
	What  string         // behind the client's name: as "runs write_stdin without a hook"
	Event protocol.Event // of the hooks that count on it: pre-execute, pre-tool or post-tool
	Tools []string       // that those hooks are for, by the project's names; nil: any
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
