package client

import (
	"strings"

	"github.com/hookrun/hookrun/internal/core/dialect"
)

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
			head := dialect.PlainPart(whole + between)
			if between == "" {
				head = ""
			}
			if len(head) < len(rest) && strings.EqualFold(dialect.PlainPart(rest)[:len(head)], head) {
				listed, at = append(listed, dialect.MCPName(server, rest[len(head):])), max(at, len(head))
				break
			}
		}
	}
	for i := at; between != "" && i < len(rest); i++ {
		if tool, is := strings.CutPrefix(rest[i:], between); is && i > at && tool != "" {
			guessed = append(guessed, dialect.MCPName(rest[:i], tool))
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

// Name returns the client's name for a tool with the project's name.
func (f MCPForm) Name(name string) string {
	if f == "" {
		return name
	}
	server, tool, _ := strings.Cut(strings.TrimPrefix(name, dialect.MCPPrefix), "__")
	return strings.NewReplacer("SERVER", server, "TITLE", server, "TOOL", tool).Replace(string(f))
}
