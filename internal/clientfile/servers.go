package clientfile

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/hookrun/hookrun/internal/regularfile"
	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/internal/toml"
	"github.com/hookrun/hookrun/projecthooks"
)

// Where says where a client looks for its MCP servers.
type Where struct {
	Workspace string
	Home      string                   // the user's; "": nobody knows it
	Getenv    func(name string) string // of the client
	Everybody bool                     // also what is for other projects of the user alone
}

// server is an MCP server that a client starts.
type server struct {
	name string
	at   int      // in the file
	line []string // the command and its arguments
	off  bool     // the client does not start it
}

// Proxied finds the servers of the client that run behind `hookrun mcp`, in all its files. Binary is the path of this
// hookrun. A file that cannot be read says nothing.
func (c *Client) Proxied(w Where, binary string) (found []projecthooks.Problem) {
	seen := map[string]bool{}
	c.servers(c, w, func(path string, read func(text string) []server) {
		absolute, err := filepath.Abs(path)
		if err != nil || seen[absolute] {
			return
		}
		seen[absolute] = true
		doc, _, err := regularfile.Read(path, maxServers)
		if err != nil {
			return
		}
		text := strings.TrimPrefix(string(doc), mark)
		places := strictjson.Locator{Doc: text}
		for _, s := range read(text) {
			if s.off || !runsProxy(s.line, binary) {
				continue
			}
			line, column := places.Position(s.at)
			found = append(found, projecthooks.Problem{File: path, Line: line, Column: column, Text: fmt.Sprintf(
				"the MCP server %q runs behind hookrun mcp, so with the hook installed every hook runs twice for its "+
					"tools; "+
					"start the server without hookrun mcp there, or uninstall the hook", s.name)})
		}
	})
	return found
}

// maxServers is the size of the largest file that is looked at. Claude Code keeps the servers among much else.
const maxServers = 64 << 20

// separates reports whether a character stands between words of a line.
func separates(r rune) bool { return strings.ContainsRune(" \t\r\n;&|()'\"", r) }

// runsProxy reports whether a command runs `hookrun mcp`, behind whatever other programs, or in a line for a
// shell. What stands between quotes there may be a line too.
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

// visit is told of each file of a client's, and how its servers are read.
type visit func(path string, read func(text string) []server)

// claudeServers are in .mcp.json of the project and of the folders above it, and in the user's .claude.json, for all
// projects or for one. Its settings switch those of .mcp.json off.
func claudeServers(c *Client, w Where, each visit) {
	disabled := c.disabledServers(c.Project(w.Workspace), c.User(w.Home, w.Getenv))
	inProject := func(text string) []server {
		return c.jsonServers(text, func(top *hujson.Value) ([]*hujson.Value, []string) {
			return []*hujson.Value{get(top, "mcpServers")}, disabled
		})
	}
	workspace, err := existing(w.Workspace)
	if err != nil {
		workspace = w.Workspace
	}
	each(filepath.Join(w.Workspace, ".mcp.json"), inProject)
	for dir := workspace; dir != filepath.Dir(dir); {
		dir = filepath.Dir(dir)
		each(filepath.Join(dir, ".mcp.json"), inProject)
	}
	folder := cmp.Or(w.Getenv(c.folderVariable), w.Home)
	if folder == "" {
		return
	}
	each(filepath.Join(folder, ".claude.json"), func(text string) []server {
		return c.jsonServers(text, func(top *hujson.Value) (all []*hujson.Value, disabled []string) {
			all = []*hujson.Value{get(top, "mcpServers")}
			for _, project := range members(get(top, "projects")) {
				dir := keyOf(&project)
				place, err := existing(dir)
				if w.Everybody || dir == workspace || err == nil && place == workspace {
					all = append(all, get(&project.Value, "mcpServers"))
				}
			}
			return all, nil
		})
	})
}

// disabledServers are the names that the settings of these places switch off.
func (c *Client) disabledServers(places ...Place) (names []string) {
	for _, p := range places {
		for _, base := range append([]string{c.Base}, c.others...) {
			text, _, _ := regularfile.Read(filepath.Join(filepath.Dir(p.Path), base), maxServers)
			if d, err := c.parse(string(text), ""); err == nil { // of no file there is no text, which is a fault
				names = append(names, texts(get(&d.tree, "disabledMcpjsonServers"))...)
			}
		}
	}
	return names
}

// codexServers are in config.toml, the user's and the project's.
func codexServers(c *Client, w Where, each visit) {
	for _, p := range []Place{c.Project(w.Workspace), c.User(w.Home, w.Getenv)} {
		each(filepath.Join(filepath.Dir(p.Path), "config.toml"), func(text string) (all []server) {
			top, err := toml.Parse(text)
			if err != nil || top.Get("mcp_servers") == nil {
				return nil
			}
			for _, m := range top.Get("mcp_servers").Members {
				s := server{name: m.Key, at: m.Offset}
				if v := m.Value.Get("command"); v != nil && v.Kind == toml.String {
					s.line = append(s.line, v.Text)
				}
				if v := m.Value.Get("args"); v != nil {
					for _, a := range v.Items {
						s.line = append(s.line, a.Text)
					}
				}
				v := m.Value.Get("enabled")
				s.off = v != nil && v.Text == "false"
				all = append(all, s)
			}
			return all
		})
	}
}

// geminiServers are in the settings, the user's and the project's.
func geminiServers(c *Client, w Where, each visit) {
	for _, p := range []Place{c.Project(w.Workspace), c.User(w.Home, w.Getenv)} {
		each(p.Path, func(text string) []server {
			return c.jsonServers(text, func(top *hujson.Value) ([]*hujson.Value, []string) {
				return []*hujson.Value{get(top, "mcpServers")}, texts(get(get(top, "mcp"), "excluded"))
			})
		})
	}
}

// jsonServers reads the servers in the objects that find returns, and which names of them are off.
func (c *Client) jsonServers(doc string,
	find func(top *hujson.Value) (objects []*hujson.Value, off []string)) (all []server) {
	d, err := c.parse(doc, "")
	if err != nil {
		return nil
	}
	objects, disabled := find(&d.tree)
	for _, o := range objects {
		for _, m := range members(o) {
			s := server{name: keyOf(&m), at: m.Name.StartOffset, off: slices.Contains(disabled, keyOf(&m))}
			if command := get(&m.Value, "command"); isText(command) {
				s.line = append(s.line, text(command))
			}
			s.line = append(s.line, texts(get(&m.Value, "args"))...)
			all = append(all, s)
		}
	}
	return all
}

// texts are those of a list.
func texts(list *hujson.Value) (all []string) {
	for _, v := range elements(list) {
		if isText(&v) {
			all = append(all, text(&v))
		}
	}
	return all
}
