package dialect

import "strings"

// MCPForm is how a client writes the name of an MCP server's tool, such as SERVER-TOOL; "" is mcp__SERVER__TOOL. In
// MCP:TOOL the server is missing. TITLE is what the server calls itself.
type MCPForm string

// NamesServer reports whether the name has the server as the files of the client call it.
func (f MCPForm) NamesServer() bool { return f == "" || strings.Contains(string(f), "SERVER") }

// parts returns the text before the server and the text between server and tool.
func (f MCPForm) parts() (prefix, between string) {
	text := strings.Replace(strings.TrimSuffix(string(f), "TOOL"), "TITLE", "SERVER", 1)
	prefix, between, _ = strings.Cut(text, "SERVER")
	return prefix, between
}

// Names returns the project's names that a client's name may stand for. Clients replace characters of both parts, and
// either part can contain the text in between. listed are the names by the servers given; guessed are further names, of
// servers longer than these.
func (f MCPForm) Names(name string, servers []string) (listed, guessed []string) {
	prefix, between := f.parts()
	rest, at := name[len(prefix):], 0
	for _, server := range servers {
		for _, whole := range []string{server, server[:min(len(server), maxTitle)]} {
			head := plainMCP(whole + between)
			if between == "" {
				head = ""
			}
			if len(head) < len(rest) && strings.EqualFold(plainMCP(rest)[:len(head)], head) {
				listed, at = append(listed, MCPName(server, rest[len(head):])), max(at, len(head))
				break
			}
		}
	}
	for i := at; between != "" && i < len(rest); i++ {
		if tool, is := strings.CutPrefix(rest[i:], between); is && i > at && tool != "" {
			guessed = append(guessed, MCPName(rest[:i], tool))
		}
	}
	return listed, guessed
}

// maxTitle is the length to which a client shortens the name of a server.
const maxTitle = 13

// Tools returns the tools that a client's name may be of, whatever the server.
func (f MCPForm) Tools(name string) (tools []string) {
	prefix, between := f.parts()
	rest := strings.TrimPrefix(name, prefix)
	if between == "" {
		return []string{rest}
	}
	for i := range rest {
		if tool, is := strings.CutPrefix(rest[i:], between); is && i > 0 {
			tools = append(tools, tool)
		}
	}
	return tools
}

// Fits reports whether a name may be that of an MCP tool in another form than the project's.
func (f MCPForm) Fits(name string) bool {
	prefix, between := f.parts()
	rest, has := strings.CutPrefix(name, prefix)
	return f != "" && has && strings.Contains(rest, between) && len(name) <= 1<<10
}

// MCPPrefix begins the name of an MCP tool in projects, mcp__SERVER__TOOL.
const MCPPrefix = "mcp__"

// Name returns the client's name for a tool with the project's name.
func (f MCPForm) Name(name string) string {
	if f == "" {
		return name
	}
	server, tool, _ := strings.Cut(strings.TrimPrefix(name, MCPPrefix), "__")
	return strings.NewReplacer("SERVER", server, "TITLE", server, "TOOL", tool).Replace(string(f))
}

// PlainMCP returns mcp__SERVER__TOOL, or a glob for such names, with _ in the place of the characters that some client
// replaces, and of several _ in the tool.
func PlainMCP(name string) string {
	server, tool, has := strings.Cut(strings.TrimPrefix(name, MCPPrefix), "__")
	if has {
		tool = "__" + strings.ReplaceAll(plainMCP(tool), "__", "_")
	}
	return MCPPrefix + plainMCP(server) + tool
}

// PluginMCP returns the names without the plugin that a tool mcp__plugin_PLUGIN_SERVER__TOOL may have.
func PluginMCP(name string) (names []string) {
	rest, of := strings.CutPrefix(name, MCPPrefix+"plugin_")
	server, _, _ := strings.Cut(rest, "__")
	for i := 1; of && i < len(server); i++ {
		if server[i-1] == '_' {
			names = append(names, MCPPrefix+rest[i:])
		}
	}
	return names
}

func plainMCP(text string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '*' || r == '?' {
			return r
		}
		return '_'
	}, text)
}

// UnhashedMCP returns the name without the hash that some clients append to a name in which they replaced characters:
// seven digits of base 36, or eight of base 16. cut reports that the client's name has the length to which clients
// shorten names; then what is left is the beginning of the name.
func UnhashedMCP(name, clients string) (rest string, cut bool) {
	if n := len(clients); n == 63 || n == 64 {
		return name[:max(len(name)-len("_-01234567"), 0)], true
	}
	at := max(strings.LastIndexByte(name, '_'), 0)
	hash := name[at:]
	const digits = "0123456789abcdefghijklmnopqrstuvwxyz"
	if len(hash) == 8 && hash[1] < '2' && strings.Trim(hash[1:], digits) == "" ||
		len(hash) == 9 && strings.Trim(hash[1:], digits[:16]) == "" {
		return name[:at], false
	}
	return name, false
}
