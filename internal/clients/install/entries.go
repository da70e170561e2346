package install

import (
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/files/regular"
	"github.com/hookrun/hookrun/internal/lib/lazy"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// InstalledEntry is an entry of a settings file that runs hookrun, written by Install or by a user.
type InstalledEntry struct {
	client.EntryText
	Line        int
	Command     string
	Timeout     time.Duration // 0: the client's default
	Replaceable bool          // Install replaces this entry; if false, Install adds another entry
	IsStandard  bool          // Install writes exactly this command (with any path), so the shell runs only hookrun
}

// Flags returns the flags of an entry by Install that a new install must keep: the log, and the policy before the hooks
// are allowed. A user's own entry has no such flags.
func (f *InstalledEntry) Flags() (flags []string) {
	if !f.Replaceable {
		return nil
	}
	words := wordsOf(f.Command).words
	for i := 1; i+1 < len(words); i++ {
		if words[i] == "--log" || words[i] == "--before-allow" && words[i+1] != "block" {
			flags = append(flags, words[i], words[i+1])
		}
	}
	return flags
}

// Entries returns the entries that run hookrun in a file of the client. The text of the file has no comments. A program
// at the path binary counts as hookrun under any name.
func (c *Client) Entries(file client.SettingsText, binary string) (found []InstalledEntry) {
	if c.OwnFiles() != nil {
		return c.ownEntries(file)
	}
	doc, locator := file.Text, strictjson.Locator{Doc: file.Text}
	line := func(offset int) int {
		line, _ := locator.Position(offset)
		return line
	}
	if d, known := clients.All().Named(c.Name); known && c.HasExtension(file.Path) {
		read := dialect.NewDocument(file.Path, doc, d, nil)
		c.Reader.Normalize(read)
		doc, line = read.Text, func(offset int) int { return read.At(offset).Line }
	}
	for event, groups := range gjson.Get(doc, "hooks").ForEach {
		for g, group := range list(groups) {
			handlers := list(group.Get("hooks"))
			if c.Flat(event.String()) {
				handlers = []gjson.Result{group}
			}
			for h, handler := range handlers {
				var value gjson.Result
				for _, key := range commandKeys() {
					if value = handler.Get(key); value.Exists() {
						break
					}
				}
				command := value.String()
				if value.Type != gjson.String || !runsFire(command, binary) {
					continue
				}
				f := InstalledEntry{Command: command, Replaceable: ours(command, binary),
					IsStandard: c.exact(command, event.String())}
				f.EntryText = client.EntryText{Path: file.Path, Event: event.String(), Group: g, Handler: h,
					Matcher: group.Get("matcher").Raw, Text: handler.Raw}
				f.Timeout = c.Timeout.Read(handler.Get("timeout").Float())
				f.Line = line(handler.Index)
				found = append(found, f)
			}
		}
	}
	return found
}

// Call returns the command line by which a standard entry calls hookrun, or the whole command of another entry.
func (f *InstalledEntry) Call() string {
	if words := wordsOf(f.Command).words; f.IsStandard {
		return strings.Join(words, " ")
	}
	return f.Command
}

// list returns the elements of v, or nil if v is not a list.
func list(v gjson.Result) []gjson.Result {
	if !v.IsArray() {
		return nil
	}
	return v.Array()
}

// exact reports whether Install writes this command. ours accepts more: any text behind a ||.
func (c *Client) exact(command, event string) bool {
	comment := footnoteOf(command)
	command = strings.TrimSuffix(command, comment)
	w := wordsOf(command)
	if len(w.words) < 2 || strings.ContainsAny(comment, "\n\r") { // a line break would end the comment
		return false
	}
	if w.byName {
		return command == c.commandByName(w.words[2:], c.failsClosed(event))
	}
	same, err := c.Command(w.words[0], w.words[2:], c.failsClosed(event))
	return err == nil && same == command
}

// callsFire finds `hookrun fire` in a command line that only a shell can read.
var callsFire = lazy.Regexp{Text: `(?:^|[\s/\\"';&|(])hookrun(?:\.exe)?["']?\s+fire(?:\s|$)`}

// runsFire reports whether a command runs `hookrun fire`, for any hooks file.
func runsFire(command, binary string) bool {
	words := wordsOf(command).words
	if len(words) > 1 && words[1] == "fire" && filepath.Clean(words[0]) == binary {
		return true
	}
	return callsFire.Get().MatchString(command)
}

// Program returns the path of the program that a command starts, and the arguments. known is false if only a shell can
// read the command.
func Program(command string) (program string, args []string, known bool) {
	words := wordsOf(command).words
	if len(words) < 2 || words[1] != "fire" {
		return "", nil, false
	}
	if filepath.Base(words[0]) == words[0] {
		if path, err := exec.LookPath(words[0]); err == nil {
			return path, words[1:], true
		}
	}
	return words[0], words[1:], true
}

// Text reads a file of the client, without comments and byte order mark. exists is false for a missing file.
func (c *Client) Text(path string) (file client.SettingsText, exists bool, err error) {
	doc, info, err := regular.Read(path, maxServers)
	if info == nil && err != nil {
		return client.SettingsText{Path: path}, false, nil
	}
	if err != nil {
		return client.SettingsText{Path: path}, true, err
	}
	text, marked := strings.CutPrefix(string(doc), byteOrderMark)
	file = client.SettingsText{Path: path, Text: text}
	if filepath.Ext(path) != ".json" {
		return file, true, nil
	}
	if marked && c.JSON == client.WithoutMark {
		text = byteOrderMark + text
	}
	d, err := c.parse(text, "")
	if err != nil {
		file.Text = ""
		return file, true, inFile(path, err)
	}
	file.Text = d.plain
	return file, true, nil
}
