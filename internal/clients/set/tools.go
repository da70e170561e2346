package set

import (
	"cmp"
	"os"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/files/regular"
)

// allTools returns the tools of all clients, each name once.
func (s *Set) allTools() []dialect.Tool {
	s.toolsMade.Do(func() {
		seen := make(map[string]bool, 256) // more than all tools
		for _, d := range s.Clients() {
			for _, t := range d.Tools {
				if name := t.Name(); !seen[name] { // clients share some
					seen[name] = true
					s.tools = append(s.tools, t)
				}
			}
		}
	})
	return s.tools
}

// ToolAliases returns the other names that hooks may use for a client's tool, in the files of this client and in every
// .tenex-hooks.json.
func (s *Set) ToolAliases(tool string) (also []string) {
	for _, d := range s.Clients() {
		also = append(also, d.Aliases.Of(tool)...)
	}
	return also
}

// OwnTools returns the names of a client's tools in that client's rules.
func (s *Set) OwnTools(d *dialect.Dialect) (names []string) {
	if of, known := s.ClientNamed(d.Name); known { // d may be a variant
		for _, t := range of.Tools {
			names = append(append(names, t.Name()), of.Aliases.Of(t.Name())...)
		}
	}
	return names
}

// loopTools are names that loops and models' APIs give to tools. Three are Codex's, too, and mean any shell.
var loopTools = []dialect.Tool{"local_shell shell", "exec_command shell", "shell_command shell",
	"execute_bash shell", "run_terminal_cmd shell", "execute_command shell",
	"bash_tool shell", "shell_tool shell", "run_shell shell", "run_bash shell", "developer__shell shell",
	"launch-process shell", "start_process shell", "run_process shell", "edit_file fs_edit fs_write",
	"str_replace_based_edit_tool fs_edit fs_write", "text_editor fs_edit fs_write",
	"developer__text_editor fs_edit fs_write", "fs_create fs_write", "new_file fs_write", "save-file fs_write",
	"fetch_url web_fetch", "read_url web_fetch", "read_web_page web_fetch", "visit_webpage web_fetch",
	"open_url web_fetch", "get_url web_fetch", "browser_navigate web_fetch"}

// nearTools returns loopTools and the tools of all clients, by plainName.
func (s *Set) nearTools() map[string][]dialect.Tool {
	s.nearMade.Do(func() {
		s.near = map[string][]dialect.Tool{}
		add := func(tools []dialect.Tool) {
			for _, t := range tools {
				name := plainName(t.Name())
				s.near[name] = append(s.near[name], t)
			}
		}
		for _, d := range s.Clients() {
			add(d.Tools)
		}
		add(loopTools)
	})
	return s.near
}

// plainName returns a name without a prefix such as functions. and without what differs between spellings of a name.
func plainName(name string) string {
	name = strings.TrimSpace(name[strings.LastIndexByte(name, '.')+1:])
	return strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(name, "_", ""), "-", ""))
}

// kindsOf returns the project's names for tools of the same name, or nearly the same, in the tables of all clients. The
// call is a project's own loop's, or its client has no such tool, so it may mean another tool. exact: a table has the
// very name.
func (s *Set) kindsOf(c *dialect.Call, files *dialect.FileTools) (kinds []string, exact bool) {
	if files.Has(c.Tool) || len(c.Tool) > maxNear || c.Known().IsProjects || strings.HasPrefix(c.Tool, "mcp__") {
		return nil, false
	}
	for _, t := range s.nearTools()[plainName(c.Tool)] {
		exact = exact || t.Name() == c.Tool
		for _, name := range t.Names() {
			if name != "" && !slices.Contains(kinds, name) {
				kinds = append(kinds, name)
			}
		}
	}
	if name := dialect.EditorTool(c); name != "" && slices.Contains(kinds, "fs_edit") {
		kinds = []string{name}
	}
	return kinds, exact
}

const maxNear = 1 << 10 // bytes of a name

// MainTools returns the names by which clients know tools with the project's names, without their special tools of the
// same kind, such as NotebookEdit. A name that is also one of the project's, as Kiro's fs_write, means that alone.
func (s *Set) MainTools(project []string) (main []string) {
	for _, name := range project {
		main = append(main, s.mainTools()[name]...)
	}
	return main
}

func (s *Set) mainTools() map[string][]string {
	s.mainMade.Do(func() {
		s.main = map[string][]string{}
		project := s.ProjectNames()
		add := func(t dialect.Tool, name string) {
			if !slices.Contains(project, t.Name()) {
				s.main[name] = append(s.main[name], t.Name())
			}
		}
		for _, d := range s.Clients() {
			seen := map[string]bool{"": true}
			for _, t := range d.Tools {
				for _, name := range t.Names() {
					if !seen[name] {
						seen[name] = true
						add(t, name)
					}
				}
			}
		}
		for _, t := range loopTools {
			names := t.Names()
			add(t, names[0])
			add(t, names[1])
		}
	})
	return s.main
}

// WhoCalls names the clients with a tool of the name: "Claude Code or Codex".
func (s *Set) WhoCalls(tool string) string {
	has := func(d *client.Client) bool { _, has := d.ToolNamed(tool); return has }
	if !slices.ContainsFunc(s.Clients(), has) {
		return "the APIs of models"
	}
	return s.clientList(has)
}

// AliasedTools returns the tools of clients that have Aliases, in order.
func (s *Set) AliasedTools() (names []string) {
	for _, d := range s.Clients() {
		for _, row := range d.Aliases {
			name, _, _ := strings.Cut(row, " ")
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// ToolNames returns the project's names for a tool of any client; the list is empty if no client has the tool.
func (s *Set) ToolNames(client string) []string {
	var c dialect.Call
	c.SetToolNames(s.namesOf(client), nil, nil)
	return c.ProjectTools()
}

// ClientTools returns all tools of clients that have names in projects, each once: clients share names.
func (s *Set) ClientTools() (names []string) {
	for _, t := range s.allTools() {
		names = append(names, t.Name())
	}
	return names
}

// IsProjectName reports whether a name is among ProjectNames. It makes no index, which takes longer than a call.
func (s *Set) IsProjectName(name string) bool {
	return slices.ContainsFunc(s.Clients(), func(d *client.Client) bool {
		return slices.ContainsFunc(d.Tools, func(t dialect.Tool) bool { return t.IsCalled(name) })
	})
}

// ProjectNames returns the project's names for the tools of clients.
func (s *Set) ProjectNames() (names []string) {
	for _, t := range s.allTools() {
		for _, name := range t.Names() {
			if name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// KnownTools returns the names of all known tools: the clients' names and the project's. A client's name is left out if
// it differs from a project's name only by case: in a project's file such a name is mostly a slip, and would match in
// this client alone.
func (s *Set) KnownTools() (names []string) {
	known := make(map[string]bool, 2*len(s.allTools()))
	add := func(name string) {
		if !known[name] {
			known[name] = true
			names = append(names, name)
		}
	}
	for _, t := range s.allTools() {
		add(t.Names()[0])
	}
	for _, t := range s.allTools() {
		if name := t.Name(); !known[strings.ToLower(name)] {
			add(name)
		}
	}
	for _, t := range loopTools {
		add(t.Name())
	}
	return names
}

// NameTool sets the project's names for the tool: from "tools" in files, or else from the tools of the client that sent
// the call. A tool of a project's own loop keeps its name, unless files have names; its kinds only make hooks match.
func (s *Set) NameTool(c *dialect.Call, files *dialect.FileTools) {
	c.SetToolNames([2]string{}, nil, files)
	c.Kinds, c.KindsExact = nil, false
	if !c.IsAboutTool() {
		c.SetTables(s, dialect.KnownTool{})
		return
	}
	c.SetTables(s, dialect.KnownTool{Names: s.namesOf(c.Tool), Aliases: s.ToolAliases(c.Tool),
		IsProjects: s.IsProjectName(c.Tool), OtherServers: s.toolsOfOtherServers(c, files)})
	names, own := [2]string{files.Name(c.Tool)}, false
	var guessed []string
	from := ""
	if by := s.ClientWith(c.Sender()); names[0] == "" && by != nil {
		names, guessed, from = NamesOfTool(by, c)
		_, own = by.ToolNamed(c.Tool)
		own = own || len(guessed) > 0 || strings.HasPrefix(names[0], dialect.MCPPrefix)
	}
	if !own {
		c.Kinds, c.KindsExact = s.kindsOf(c, files)
	}
	if names[0] == c.Tool {
		names = [2]string{names[1]}
	}
	c.SetToolNames(names, slices.Concat(files.Added(c.Tool), c.Kinds), files)
	if !files.Has(c.Tool) {
		c.SetMCPNames(guessed, from)
	}
}

// NamesOfTool returns the names from the tables and the client. For a tool that may be an MCP server's, see
// dialect.Call.SetMCPNames.
func NamesOfTool(of *client.Client, c *dialect.Call) (names [2]string, guessed []string, from string) {
	form, tool := of.MCP, c.Tool
	if name := of.ToolName; name != nil {
		names[0] = name(c)
	}
	if names[0] != "" {
		if !strings.HasPrefix(names[0], dialect.MCPPrefix) || form.NamesServer() || c.Field(serverKey) != "" {
			return names, nil, ""
		}
		tool = form.Name(names[0])
	} else if t, has := of.ToolNamed(c.Tool); has {
		return t.Names(), nil, ""
	}
	listed, guessed, from := mcpNames(of, c, tool)
	if names[0] == "" {
		names = c.Known().Names
	}
	if names[0] != "" {
		return names, listed, ""
	}
	return names, append(guessed, listed[copy(names[:], listed):]...), from
}

// mcpNames returns the project's names for a tool whose name has the client's form for MCP tools: listed with a server
// that the input or a file of the client has. A client has more servers than files say, so others are guessed.
func mcpNames(of *client.Client, c *dialect.Call, tool string) (listed, guessed []string, from string) {
	if !of.MCP.Fits(tool) {
		return nil, nil, ""
	}
	given := gjson.Get(c.ClientInput, "mcp_servers")
	servers := client.Texts(given)
	if one := c.Field("mcp_context.server_name"); one != "" {
		servers = append(servers, one)
	}
	if given.IsArray() || len(servers) > 0 {
		listed, _ = of.MCP.Names(tool, servers)
		return listed, nil, "the hook input"
	}
	home, _ := os.UserHomeDir()
	where := client.Where{Workspace: c.Workspace, Home: home, Getenv: os.Getenv}
	for _, f := range of.Install.Servers(where, func(string) string { return "" }) {
		doc, _, _ := regular.Read(f.Path, 4<<20)
		for _, s := range f.Read(strings.TrimPrefix(string(doc), "\ufeff")) {
			fits, _ := of.MCP.Names(tool, []string{s.Name})
			if len(fits) > 0 && !slices.Contains(servers, s.Name) {
				servers, from = append(servers, s.Name), cmp.Or(from, f.Path)
			}
		}
	}
	listed, guessed = of.MCP.Names(tool, servers)
	return listed, guessed, from
}

// serverKey is the key of Cursor's input with the MCP server.
const serverKey = "mcp_server_name"

// toolsOfOtherServers returns the names that the call's tool may have at an MCP server, if the client does not tell
// which server has the tool.
func (s *Set) toolsOfOtherServers(c *dialect.Call, files *dialect.FileTools) (tools []string) {
	by := s.ClientWith(c.Sender())
	if by == nil || by.MCP.NamesServer() || !by.MCP.Fits(c.Tool) ||
		c.Field(serverKey) != "" || files.Has(c.Tool) || strings.HasPrefix(c.Tool, dialect.MCPPrefix) {
		return nil
	}
	if _, known := by.ToolNamed(c.Tool); known {
		return nil
	}
	return by.MCP.Tools(c.Tool)
}

// namesOf searches client after client, because an index of all tools takes longer to build than a call.
func (s *Set) namesOf(tool string) (names [2]string) {
	for _, d := range s.Clients() {
		if t, has := d.ToolNamed(tool); has {
			return t.Names()
		}
	}
	return names
}
