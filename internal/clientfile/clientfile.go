// Package clientfile puts the one hook that calls hookrun into the settings of a client, and takes it out again.
//
//	client, _ := clientfile.Lookup("claude")
//	change, err := client.Install(client.Project("."), clientfile.Entry{Binary: "/usr/bin/hookrun", Timeout: time.Minute, Events: client.Events})
//	fmt.Print(change.Diff())
//	err = change.Write()
//
// It guarantees: every byte that is not the entry's own stays, with the file's indentation and ends of lines around the
// entry. A second Install changes nothing; one with another path or timeout replaces the entry where it stands.
// Uninstall gives back the bytes that were there before Install, also where Install made the file, the "hooks" or the
// list of an event; where one of these was there and empty, a comment at the end of the entry's command says so. What
// cannot be parsed is refused with its place; so is what is no regular file, and a path that leads out of the root by a
// symbolic link. A file is replaced by a rename: whoever reads it meanwhile sees the old text or the new one.
//
// What it does not guarantee: if somebody edits the file between the two, Uninstall removes the entry and what is empty
// without it, and that may be a list that was there, empty, before. A hard link to the file keeps the old text. Two
// programs that change the file in the same moment are found out only up to the rename.
package clientfile

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/hookrun/hookrun/projecthooks"
)

// Client is what differs between the settings of clients.
type Client struct {
	Name   string
	Folder string   // of its files, in a project and in the user's home
	Base   string   // the file with the hooks in there
	Events []string // at which hookrun has something to say
	Asks   string   // what the client still wants of its user before it runs the hook
	Drops  bool     // it drops a file with a fault whole, without a word

	folderVariable string        // names the user's folder itself; "" where the client has no such variable
	homeVariable   string        // names another home of the user's
	others         []string      // files beside Base, of the project and of the user, with switches in them
	unit           time.Duration // of a timeout
	comments       bool          // the client reads JSON with comments
	noMark         bool          // it drops a file that begins with a byte order mark
	named          bool          // its hooks have names
	expands        bool          // it puts variables into the strings of the file, whatever their quotes
	trusts         bool          // a change of the entry switches it off until its user has trusted it again

	servers func(*Client, Where, visit) // the files with its MCP servers

	off     func(*document) []string // what in a file of settings keeps the client from running hooks, or this one
	orBlock string                   // ends the command: it blocks where hookrun itself is missing or was killed
}

// Claude Code blocks at exit 2 alone. Codex and Gemini CLI want a text beside it, or they let the call pass. Codex runs
// the command with the login shell of its user, and in fish a group in braces is no syntax.
const (
	orBlock       = " || exit 2"
	orBlockAndSay = ` || /bin/sh -c 'echo "hookrun gave no answer" >&2; exit 2'`
)

var clients = [...]Client{
	{Name: "claude", Folder: ".claude", Base: "settings.json", folderVariable: "CLAUDE_CONFIG_DIR",
		others: []string{"settings.local.json"}, unit: time.Second, orBlock: orBlock, Drops: true, off: offInClaude,
		servers: claudeServers,
		Events:  []string{"UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure"}},
	{Name: "codex", Folder: ".codex", Base: "hooks.json", folderVariable: "CODEX_HOME",
		others: []string{"config.toml"}, unit: time.Second, noMark: true, trusts: true, orBlock: orBlockAndSay,
		Drops: true, servers: codexServers,
		Events: []string{"UserPromptSubmit", "PreToolUse", "PostToolUse"},
		Asks: "Codex runs a hook only when its user has trusted the project and the hook, and asks again when the " +
			"entry changes: start codex and look at /hooks; " +
			"until then codex exec runs each call without the hook and without a word"},
	{Name: "gemini", Folder: ".gemini", Base: "settings.json", homeVariable: "GEMINI_CLI_HOME", unit: time.Millisecond,
		comments: true, named: true, expands: true, orBlock: orBlockAndSay, off: offInGemini, servers: geminiServers,
		Events: []string{"BeforeAgent", "BeforeTool", "AfterTool"},
		Asks: "Gemini CLI runs a project's hooks only in a folder that its user has trusted, and with --skip-trust " +
			"not even there"},
}

// Names are the clients that Lookup knows.
func Names() []string {
	var names []string
	for _, c := range clients {
		names = append(names, c.Name)
	}
	return names
}

// Lookup returns a client by its name.
func Lookup(name string) (*Client, bool) {
	for i := range clients {
		if clients[i].Name == name {
			return &clients[i], true
		}
	}
	return nil, false
}

// Place is where a client's file is, and the folder that it must not lie outside of.
type Place struct{ Root, Path string }

// Project is the client's file of a project.
func (c *Client) Project(dir string) Place {
	return Place{dir, filepath.Join(dir, c.Folder, c.Base)}
}

// User is the client's file of the user.
func (c *Client) User(home string, getenv func(string) string) Place {
	if folder := getenv(c.folderVariable); folder != "" {
		return Place{folder, filepath.Join(folder, c.Base)}
	}
	return c.Project(cmp.Or(getenv(c.homeVariable), home))
}

// Entry is what Install puts into a file.
type Entry struct {
	Binary  string        // hookrun's absolute path
	Args    []string      // behind `fire`: a form of output or a dialect, see Client.Command
	Timeout time.Duration // rounded up to the client's unit; 0 leaves the client its own
	Events  []string
}

// Change is what Install or Uninstall would do to a file. Nothing is done before Write.
type Change struct {
	Path     string
	Old, New string
	Existed  bool     // Old is a file
	Exists   bool     // New is one
	Notes    []string // what keeps the entry from doing its work, for the user to see to

	place Place
	found found
}

// Nothing reports whether the file is already as it should be.
func (c *Change) Nothing() bool { return c.Existed == c.Exists && c.Old == c.New }

// Install plans the change that puts the entry into a file, once for each of its events.
func (c *Client) Install(p Place, e Entry) (*Change, error) {
	h, err := c.handler(e)
	if err != nil {
		return nil, err
	}
	change, err := plan(p)
	if err != nil {
		return nil, err
	}
	if change.New, change.Notes, err = c.install(change.Old, change.Existed, h, e.Events); err != nil {
		return nil, inFile(p.Path, err)
	}
	if len(change.New) > maxSize {
		return nil, fmt.Errorf("%s would be larger than 1 MiB, and could not be read again", p.Path)
	}
	change.Exists = true
	return change, nil
}

// Uninstall plans the change that takes every entry of hookrun's out of a file. Binary is a path that is hookrun
// whatever its name is, or "".
func (c *Client) Uninstall(p Place, binary string) (*Change, error) {
	change, err := plan(p)
	if err != nil || !change.Existed {
		return change, err
	}
	if change.New, change.Exists, err = c.uninstall(change.Old, binary); err != nil {
		return nil, inFile(p.Path, err)
	}
	return change, nil
}

func plan(p Place) (*Change, error) {
	f, err := find(p)
	if err != nil {
		return nil, err
	}
	return &Change{Path: p.Path, Old: f.text, Existed: f.info != nil, place: p, found: f}, nil
}

// inFile gives problems the name of their file.
func inFile(path string, err error) error {
	var problems projecthooks.Problems
	if errors.As(err, &problems) {
		for i := range problems {
			problems[i].File = path
		}
	}
	return err
}
