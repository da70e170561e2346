package dialect

import "strings"

// MCPPrefix begins the name of an MCP tool in projects, mcp__SERVER__TOOL.
const MCPPrefix = "mcp__"

// PlainMCP returns mcp__SERVER__TOOL, or a glob for such names, with _ in the place of the characters that some client
// replaces, and of several _ in the tool.
func PlainMCP(name string) string {
	server, tool, has := strings.Cut(strings.TrimPrefix(name, MCPPrefix), "__")
	if has {
		tool = "__" + strings.ReplaceAll(PlainPart(tool), "__", "_")
	}
	return MCPPrefix + PlainPart(server) + tool
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

func PlainPart(text string) string {
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
