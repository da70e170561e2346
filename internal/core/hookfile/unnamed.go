package hookfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
)

// UnnamedToolWarning returns a warning if a client's tool has no project name, and hooks at this event are for project
// names: a gate for the shell does not run if the client calls its shell by an unknown name. "" means no warning.
func (c *Config) UnnamedToolWarning(call *dialect.Call) string {
	if len(c.Hooks) == 0 {
		return ""
	}
	if key, is := hook.ShellByInput(call); is {
		if note := c.shellNote(call, key); note != "" {
			return note
		}
	}
	if guessed, _ := call.MCPNames(); len(guessed) > 0 {
		return c.serverNote(call, guessed)
	}
	client := call.Sender()
	if client == nil || !call.IsAboutTool() || call.FileTools.Has(call.Tool) ||
		len(call.ProjectTools()) > 0 || len(call.Kinds) > 0 ||
		strings.HasPrefix(call.Tool, "mcp__") {
		return ""
	}
	if call.Known().IsProjects {
		return ""
	}
	names := c.Clients().ProjectNames()
	match := hook.NewMatchContext(call)
	for i := range c.Hooks {
		h := &c.Hooks[i]
		theirs := h.Dialect.Own != nil && h.Dialect.Own != client
		if h.Off() != "" || !theirs && !h.Dialect.HasProjectRules() ||
			!slices.Contains(h.Events, match.Event(h.Dialect)) || match.Runs(h) {
			continue
		}
		globs, is := h.Matcher.(hook.Globs)
		if theirs || is && globs.String() != "" && slices.ContainsFunc(names, globs.Match) ||
			slices.Contains(names, h.IfTool()) {
			const text = "nobody knows what the project calls the tool %s of %s, so hooks that are for names of the " +
				"project's do not run at it, as hook %s of %s; name it in the hooks file, as \"tools\": {%s: \"shell\"}"
			return fmt.Sprintf(text, quote(call.Tool), client.Files.Client, quote(h.Name), h.Source(), quote(call.Tool))
		}
	}
	return ""
}

// shellNote returns a note if hooks for the shell run because the tool's input has a command, or "".
func (c *Config) shellNote(call *dialect.Call, key string) string {
	match := hook.NewMatchContext(call)
	for i := range c.Hooks {
		h := &c.Hooks[i]
		if !h.Dialect.HasProjectRules() || !match.MatchesEvent(h) {
			continue
		}
		globs, is := h.Matcher.(hook.Globs)
		if h.IfTool() == hook.ShellTool || is && globs.Match(hook.ShellTool) && !globs.Match(call.Tool) {
			const text = "nobody knows what the project calls the tool %s, whose input has a command under %s, so " +
				"hooks for the shell run at it, as hook %s of %s; name it in the hooks file, as " +
				"\"tools\": {%s: \"shell\"}"
			return fmt.Sprintf(text, quote(call.Tool), quote(key), quote(h.Name), h.Source(), quote(call.Tool))
		}
	}
	return ""
}

// serverNote returns a note if hooks for MCP tools run because the tool's name may have their server, or "".
func (c *Config) serverNote(call *dialect.Call, guessed []string) string {
	as := *call
	as.SetMCPNames(nil, "")
	match, without := hook.NewMatchContext(call), hook.NewMatchContext(&as)
	for i := range c.Hooks {
		if h := &c.Hooks[i]; match.Runs(h) && !without.Runs(h) {
			isMeant := func(name string) bool {
				as.SetMCPNames([]string{name}, "")
				return hook.NewMatchContext(&as).Runs(h)
			}
			guess := guessed[max(slices.IndexFunc(guessed, isMeant), 0)]
			const text = "nobody knows the MCP server of the tool %s, so hooks for each server that it may be of " +
				"run at it, as hook %s of %s; name it in the hooks file, as \"tools\": {%s: %s}"
			return fmt.Sprintf(text, quote(call.Tool), quote(h.Name), h.Source(), quote(call.Tool),
				quote(guess))
		}
	}
	return ""
}

// OtherServerWarning returns a warning if hooks for MCP tools do not run, and would if the tool were of their server,
// which the client does not tell. "" means no warning.
func (c *Config) OtherServerWarning(call *dialect.Call) string {
	tools := call.Known().OtherServers
	if len(tools) == 0 {
		return ""
	}
	for i := range c.Hooks {
		h := &c.Hooks[i]
		for _, server := range h.MCPServers() {
			for _, tool := range tools {
				name, other := dialect.MCPName(server, tool), *call
				other.SetMCPNames([]string{name}, "")
				if !hook.NewMatchContext(call).Runs(h) && hook.NewMatchContext(&other).Runs(h) {
					const text = "nobody knows the MCP server of the tool %s, so hook %s of %s, which is for " +
						"tools of %s, does not run; if the tool is of that server, name it in the hooks file, as " +
						"\"tools\": {%s: %s}"
					return fmt.Sprintf(text, quote(call.Tool), quote(h.Name), h.Source(), server, quote(call.Tool),
						quote(name))
				}
			}
		}
	}
	return ""
}

// NamesServer reports whether "tools" of a file has a name of a tool of the MCP server.
func (c *Config) NamesServer(server string) bool {
	return c.hasTool(dialect.MCPName(server, "*"), hook.LocalLevel)
}

// OtherServers returns the names of MCP servers in matchers and ifs, or nil if one of them may mean this server. A
// server can call itself anything, so the hooks may have been meant for this server.
func (c *Config) OtherServers(server string) (names []string) {
	for i := range c.Hooks {
		h := &c.Hooks[i]
		if h.Off() != "" {
			continue
		}
		tools := []string{h.IfTool()}
		if h.Matcher != nil {
			tools = append(tools, strings.Split(h.Matcher.String(), "|")...)
		}
		for _, tool := range tools {
			name, isMCP := strings.CutPrefix(strings.TrimSpace(tool), "mcp__")
			if name, _, _ = strings.Cut(name, "__"); !isMCP {
				continue
			}
			if strings.Trim(name, mcpName) != "" || name == server { // an expression or a glob is for several
				return nil
			}
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// mcpName are the characters of a server's name in the name of a tool.
const mcpName = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
