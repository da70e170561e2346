package dialect

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// Call is a tool call or prompt at one event, with values derived once for all hooks: the arguments as JSON and the
// project's names for the tool. Copies share the arguments. Goroutines can use a Call at the same time, except for the
// methods that change the Call.
type Call struct {
	Event     protocol.Event // as the caller named the event; the outcome repeats the name
	Workspace string         // absolute path of the project; hooks run here
	SessionID string         // of the conversation; hooks get the ID unchanged, "" included
	Prompt    string         // the user's message of this conversation, if the loop has the message

	Tool      string // empty at pre-execute
	Args      string // the tool's arguments as the model wrote them; "" means {}
	Result    string // post-tool: the tool's result, a block's reason or an error's text
	Failed    bool   // post-tool: Result is the text of an error
	Blocked   bool   // post-tool: the tool did not run, and Result is the reason; some clients run no hook then
	ToolUseID string // the model's id of the tool call

	// EqualKeys reports that the model wrote an object with two equal keys, and that Args has only the last. The tool
	// may read the first, so a condition about the arguments counts as met. Callers need not set EqualKeys if Args
	// still has both keys.
	EqualKeys bool

	// Extra is a compact JSON object with further keys for hooks of calls without a client; "" means no further keys.
	Extra string

	TranscriptPath string // "" is null on stdin
	AgentID        string // "" leaves the key out
	OrchestratorID string // of the agent's orchestrator, if any (MassGen)

	// Dir is the absolute path of the session's current directory, if different from the workspace. Some clients follow
	// the cd of their shell and start hooks in Dir.
	Dir string
	// Worktree is the folder that has the place of the workspace in the linked worktree of Dir; "": Dir is in none. The
	// engine sets Worktree. Files in this folder are the project's own.
	Worktree string
	// ClientInput is the compact JSON object that a client puts on the stdin of hooks, if the call comes from a client.
	// Hooks of the client's dialect get ClientInput unchanged; the fields above say the same to all other hooks.
	ClientInput string
	// Client sent ClientInput or reads the outcome. Package clients sets Client when reading the input. If Client is
	// nil, the engine has the Clients detect the client by the input, once.
	Client *Dialect

	Wrappers []string // programs that run the command in their arguments, as named by the project's files
	// Reader reads the arguments as the rules of the project's files do. Without one nobody can tell what the arguments
	// of an unknown tool hold.
	Reader ArgumentReader

	// Kinds are project names that the tool may have by what clients call such a tool. A project's own loop may mean
	// another tool by the name. KindsExact: a client has the very name. Package clients sets both.
	Kinds      []string
	KindsExact bool
	FileTools  *FileTools // the names that files give to tools; see SetToolNames

	clients Clients // see Clients
	row     *Event  // see Resolve

	projectTools [2]string
	addedTools   []string
	guessedTools []string
	serversFrom  string
	known        KnownTool
	input        *input
}

// ArgumentReader reads what the arguments of a tool hold.
type ArgumentReader interface {
	// CommandOf returns the commands in the arguments of a shell tool, one line for each command. ok is false if no
	// argument holds a command, or if a command is unreadable.
	CommandOf(args string) (lines string, ok bool)
	// HasCommand reports whether the arguments of an unknown tool have a command, and under which key.
	HasCommand(args string) (key string, ok bool)
	// HasPatch reports whether the arguments are a patch, or a shell line that may apply one. PatchTools are further
	// names of the tool then.
	HasPatch(names []string, args string, wrappers []string) bool
	PatchTools() []string
	// Shows reports what the arguments show: a command, a file, and text for a file.
	Shows(args string) (command, file, text bool)
	// IsFileTool reports whether a tool with these names works on files, but not on a folder.
	IsFileTool(names []string) bool
}

// input holds the results of Input, computed at first use.
type input struct {
	once, textOnce sync.Once
	value          []byte
	warnings       []string
	err            error
	text           string // value as a string
}

// NewCall returns a copy of c without derived values.
func NewCall(c Call) *Call {
	c.input = new(input)
	return &c
}

func (c *Call) derivedInput() *input {
	in := c.input
	if in == nil { // not from NewCall, so the fields may still change
		in = new(input)
	}
	in.once.Do(func() { in.value, in.warnings, in.err = c.readInput() })
	return in
}

// Resolve finds out once who sent the call and which event it is at. It returns an error for an unknown event.
func (c *Call) Resolve(clients Clients) error {
	clients.SetClient(c)
	c.clients, c.row = clients, nil
	if sender := c.Sender(); sender != nil {
		c.row = sender.Row(c.Event)
	}
	if c.row == nil {
		c.row = clients.Event(c.Event)
	}
	if c.row == nil {
		return fmt.Errorf("unknown event %q", c.Event)
	}
	return nil
}

// Clients returns the clients that the call was resolved or named with. They are never nil.
func (c *Call) Clients() Clients {
	if c.clients == nil {
		return NoClients{}
	}
	return c.clients
}

// Sender returns the client that sent the call, or nil if no client did.
func (c *Call) Sender() *Dialect {
	if c.ClientInput == "" {
		return nil
	}
	return c.Client
}

// EndsTurn reports whether the call's event ends a turn, of an agent or of a subagent.
func (c *Call) EndsTurn() bool { return c.row != nil && c.row.Can&EndsTurn != 0 }

// CanBlock reports whether hooks can block the call, whichever client sent it.
func (c *Call) CanBlock() bool {
	client := c.Sender()
	if client == nil {
		return slices.Contains(CanonicalEvents(), c.Common())
	}
	return !client.CannotBlock(client.EventOf(c))
}

// Fit applies the rules of the call's client, if the client has any, to the new input that the tool gets, and after the
// tool to the result that the model sees.
func (c *Call) Fit(hook string, v *Verdict) {
	if client := c.Sender(); client != nil && c.IsAboutTool() {
		client.Hooks.Fit(c, hook, v)
	}
}

// Input returns the tool's arguments as one compact JSON value, which the caller must not change. Text that is not JSON
// becomes a JSON string, as in TENEX. A warning names two equal keys of an object, of which the last counts. Input
// returns an error if the arguments are nested too deeply for any hook.
func (c *Call) Input() (value []byte, warnings []string, err error) {
	in := c.derivedInput()
	return in.value, in.warnings, in.err
}

// InputText returns Input as a string.
func (c *Call) InputText() (string, error) {
	in := c.derivedInput()
	in.textOnce.Do(func() { in.text = string(in.value) })
	return in.text, in.err
}

// HasEqualKeys reports whether an object in the tool's arguments has two equal keys, or had two when the call came in.
// Hooks get the last, but another reader may take the first. So no condition on the arguments can be decided.
func (c *Call) HasEqualKeys() bool {
	return c.EqualKeys || len(c.derivedInput().warnings) > 0 // equal keys are the only cause of warnings
}

// SetArgs replaces the arguments.
func (c *Call) SetArgs(args []byte) {
	c.Args, c.EqualKeys, c.input = string(args), false, new(input)
}

// SetToolNames sets the project's own names for the tool (at most two), the names added by files of lower levels, and
// the tool names of all files.
func (c *Call) SetToolNames(names [2]string, added []string, files *FileTools) {
	c.projectTools, c.addedTools, c.FileTools, c.guessedTools, c.serversFrom = names, added, files, nil, ""
}

// SetMCPNames sets further names that the tool may have as the tool of an MCP server. They only make hooks match. from
// is the file, or the hook input, that names the server of ProjectTools, if any.
func (c *Call) SetMCPNames(guessed []string, from string) {
	c.guessedTools, c.serversFrom = guessed, from
}

// KnownTool is what is known of a tool by its name alone, whoever calls it.
type KnownTool struct {
	Names   [2]string // the project's names, in the table of some client
	Aliases []string  // other names that hooks may use for it
	// IsProjects: some client's tool has this name in projects.
	IsProjects bool
	// OtherServers are the names that the tool may have at an MCP server, if the client does not tell which server has
	// the tool.
	OtherServers []string
}

// SetTables sets the Clients, and what they know of the call's tool.
func (c *Call) SetTables(clients Clients, tool KnownTool) { c.clients, c.known = clients, tool }

// Known returns what is known of the tool by its name. Only a call that Clients have named has it.
func (c *Call) Known() *KnownTool { return &c.known }

// KnownNames returns the project's names for a tool of this name of any client.
func (c *Call) KnownNames() []string { return namesOf(&c.known.Names) }

// MayBeUnnamed reports whether hooks may not know the tool: no table has the project's name for the tool, or the MCP
// server is not known. Only then there can be a warning about the name.
func (c *Call) MayBeUnnamed() bool {
	if len(c.guessedTools) > 0 || len(c.known.OtherServers) > 0 {
		return true
	}
	names := c.ProjectTools()
	isOfServer := len(names) > 0 && strings.HasPrefix(names[0], MCPPrefix)
	return !c.known.IsProjects && (isOfServer || len(names)+len(c.Kinds) == 0)
}

// MCPNames returns the values of SetMCPNames.
func (c *Call) MCPNames() (guessed []string, from string) { return c.guessedTools, c.serversFrom }

// AddedTools returns Kinds, and names of the tool added by files of lower levels. These names only make hooks match.
func (c *Call) AddedTools() []string { return c.addedTools }

// ProjectTool returns the project's first own name for the tool, or Tool if the project has no other name.
func (c *Call) ProjectTool() string { return cmp.Or(c.projectTools[0], c.Tool) }

// ProjectTools returns the project's own names for the tool; empty if the project has no other name.
func (c *Call) ProjectTools() []string { return namesOf(&c.projectTools) }

// namesOf returns the names that are not empty.
func namesOf(names *[2]string) []string {
	for i, name := range names {
		if name == "" {
			return names[:i]
		}
	}
	return names[:]
}

// Field returns a field of the client's input as text, or "" if the input lacks the field.
func (c *Call) Field(key string) string {
	return strictjson.ValueText([]byte(gjson.Get(c.ClientInput, key).Raw))
}

// readInput computes the results of Input.
func (c *Call) readInput() (value []byte, warnings []string, err error) {
	if strings.TrimSpace(c.Args) == "" {
		return []byte("{}"), nil, nil
	}
	// Lossy runs first because two keys may become equal only through Lossy
	args, warnings, err := strictjson.LastOfEqual(strictjson.Lossy(c.Args), c.argsName())
	switch {
	case errors.As(err, new(strictjson.SyntaxError)):
		return strictjson.AppendString(make([]byte, 0, len(c.Args)+len(c.Args)/16+2), c.Args), nil, nil
	case err != nil:
		return nil, nil, err
	}
	if warning := equalKeysInText(args, c.argsName()); warning != "" {
		warnings = append(warnings, warning)
	}
	return strictjson.Compact(make([]byte, 0, len(args)), args), warnings, nil
}

// maxTexts limits how often a JSON string is decoded as further JSON. A loop that encodes JSON once too often does so
// once.
const maxTexts = 3

// equalKeysInText returns a warning if the arguments are a JSON string that holds an object or list with equal keys, or
// else "". The tool may parse the string, so the string counts like the object. Hooks get the string unchanged.
func equalKeysInText(args, what string) (warning string) {
	for range maxTexts {
		args = strings.TrimSpace(args)
		if !strings.HasPrefix(args, `"`) || len(strictjson.Check(args, strictjson.MaxDepth)) > 0 {
			return ""
		}
		args = strings.TrimSpace(strings.TrimPrefix(strictjson.Text(args), "\ufeff"))
		if !strings.HasPrefix(args, "{") && !strings.HasPrefix(args, "[") {
			continue
		}
		found, more, _ := strictjson.FindEqualKeys(args, what)
		if found == "" {
			return ""
		}
		return found + "; hooks were given the text with both" + more
	}
	return ""
}

// argsName returns the name of the arguments in warnings.
func (c *Call) argsName() string { return fmt.Sprintf("arguments of tool %q", c.Tool) }
