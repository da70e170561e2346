package install

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/lib/files/regular"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// ProxiedServer is an MCP server that runs behind `hookrun mcp`, so every hook runs twice for its tools.
type ProxiedServer struct {
	hook.Diagnostic
	Mend string
}

func (s ProxiedServer) Error() string { return s.Diagnostic.Error() + "; " + s.Mend }

// ServerNames returns the names of the MCP servers in all files of the client.
func (c *Client) ServerNames(w client.Where) (names []string) {
	for _, f := range c.Servers(w, c.read) {
		for _, s := range f.Read(c.read(f.Path)) {
			names = append(names, s.Name)
		}
	}
	return names
}

// ProxiedServers finds the client's servers that run behind `hookrun mcp`, in all files of the client. binary is the
// path of this hookrun. Unreadable files are skipped.
func (c *Client) ProxiedServers(w client.Where, binary string) (found []ProxiedServer) {
	seen := map[string]bool{}
	for _, f := range c.Servers(w, c.read) {
		absolute, err := filepath.Abs(f.Path)
		if err != nil || seen[absolute] {
			continue
		}
		seen[absolute] = true
		doc := c.read(f.Path)
		locator := strictjson.Locator{Doc: doc}
		for _, s := range f.Read(doc) {
			if s.Off || !runsProxy(s.Line, binary) {
				continue
			}
			line, column := locator.Position(s.At)
			const text = "the MCP server %q runs behind hookrun mcp, so with the hook installed every hook runs " +
				"twice for its tools"
			found = append(found, ProxiedServer{
				hook.Diagnostic{File: f.Path, Line: line, Column: column, Text: fmt.Sprintf(text, s.Name)},
				"start the server without hookrun mcp there, or uninstall the hook",
			})
		}
	}
	return found
}

// read returns the text of a client's file without comments and byte order mark, or "" if the file is unreadable.
func (c *Client) read(path string) string {
	doc, _, _ := regular.Read(path, maxServers)
	return c.plain(path, strings.TrimPrefix(string(doc), byteOrderMark))
}

// maxServers is the maximum size of a file to read. Claude Code keeps the servers among much other data.
const maxServers = 64 << 20

// separates reports whether a character separates words of a line.
func separates(r rune) bool { return strings.ContainsRune(" \t\r\n;&|()'\"", r) }

// runsProxy reports whether a command runs `hookrun mcp`: directly, behind other programs, or in a line for a shell.
// The text in quotes may be such a line too.
func runsProxy(line []string, binary string) bool {
	isHookrun := func(word string) bool {
		return strings.TrimSuffix(filepath.Base(word), ".exe") == "hookrun" || filepath.Clean(word) == binary
	}
	for i, word := range line {
		if i > 0 && word == "mcp" && isHookrun(line[i-1]) {
			return true
		}
		if strings.ContainsAny(word, " \t\n;&|") && runsProxy(strings.FieldsFunc(word, separates), binary) {
			return true
		}
	}
	return false
}
