package install

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// ownMark identifies a file that hookrun owns. It follows the comment sign in the first line (after a #! line); the
// ownHead comes next.
const ownMark = " Written by hookrun install, which replaces it. An edited file is nobody's: "

// ownHead records how a file of hookrun's own calls hookrun, so doctor need not parse the program.
type ownHead struct {
	Binary  string        `json:"binary"`
	ByName  bool          `json:"by_name,omitempty"`
	Args    []string      `json:"args"`
	Timeout time.Duration `json:"timeout"`
	Sum     string        `json:"sum"` // of the text with an empty sum and \n as line ending: a clone may have \r\n
}

// ownText returns the whole text of a file that hookrun owns.
func (c *Client) ownText(f client.OwnFile, e Entry) (string, error) {
	head := ownHead{Binary: e.Binary, ByName: e.ByName && HasShell, Args: e.Args, Timeout: e.Timeout}
	call, err := c.ownCall(head, f)
	if err != nil {
		return "", err
	}
	if head.ByName {
		head.Binary = "" // colleagues have hookrun at another path
	}
	first, rest := "", f.Text(call)
	if strings.HasPrefix(rest, "#!") {
		first, rest, _ = strings.Cut(rest, "\n")
		first += "\n"
	}
	with := func() string {
		line, err2 := strictjson.Marshal(head)
		err = err2
		return first + f.Comment + ownMark + string(line) + "\n" + rest
	}
	head.Sum = checksum(with())
	return with(), err
}

// ownCall returns how a file of hookrun's own calls hookrun.
func (c *Client) ownCall(h ownHead, f client.OwnFile) (call client.OwnCall, err error) {
	call = client.OwnCall{Program: h.Binary, Args: append([]string{"fire"}, h.Args...), Timeout: h.Timeout}
	blocks := slices.ContainsFunc(f.Events, c.failsClosed)
	if h.ByName {
		call.Program, call.Command = "hookrun", c.commandByName(h.Args, blocks)
		return call, nil
	}
	call.Command, err = c.Command(h.Binary, h.Args, blocks)
	return call, err
}

func checksum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// readOwn reads the head of a file. own: a version of hookrun wrote the file. whole: the file is unedited since.
func readOwn(f client.OwnFile, text string) (head ownHead, own, whole bool) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	line, rest, _ := strings.Cut(text, "\n")
	if strings.HasPrefix(line, "#!") {
		line, _, _ = strings.Cut(rest, "\n")
	}
	line, own = strings.CutPrefix(line, f.Comment+ownMark)
	if !own || json.Unmarshal([]byte(line), &head) != nil {
		return ownHead{}, own, false
	}
	return head, true, head.Sum == checksum(strings.Replace(text, `"`+head.Sum+`"`, `""`, 1))
}

// ownPlaces returns the places of hookrun's own files, which are in the folder of p.
func ownPlaces(files []client.OwnFile, p dialect.Place) (places []dialect.Place) {
	folder := strings.TrimSuffix(p.Path, base(p.Path)) // p can be of another system
	for _, f := range files {
		places = append(places, dialect.Place{Root: p.Root, Path: folder + f.Base})
	}
	return places
}

// installOwn plans the change of each file that the events need, or returns an error if a file is foreign or edited.
func (c *Client) installOwn(
	files []client.OwnFile, p dialect.Place, e Entry, plan planner,
) (changes []*Change, err error) {
	for i, place := range ownPlaces(files, p) {
		wanted := func(event string) bool { return slices.Contains(e.Events, event) }
		if !slices.ContainsFunc(files[i].Events, wanted) {
			continue
		}
		change, err := plan(place)
		if err != nil {
			return nil, err
		}
		if change.Existed {
			_, own, whole := readOwn(files[i], change.Old)
			if err := checkOwn(place.Path, own, whole); err != nil {
				return nil, err
			}
		}
		if change.New, err = c.ownText(files[i], e); err != nil {
			return nil, err
		}
		if strings.ReplaceAll(change.Old, "\r\n", "\n") == change.New {
			change.New = change.Old
		}
		if change.Exists = true; files[i].Executable {
			change.modeBits = 0o111
		}
		changes = append(changes, change)
	}
	return changes, nil
}

// uninstallOwn plans the removal of all files that hookrun wrote. Foreign files stay; an edited file is an error.
func (c *Client) uninstallOwn(files []client.OwnFile, p dialect.Place) (changes []*Change, err error) {
	for i, place := range ownPlaces(files, p) {
		change, err := plan(place)
		if err != nil {
			return nil, err
		}
		if change.New, change.Exists = change.Old, change.Existed; change.Existed {
			_, own, whole := readOwn(files[i], change.Old)
			switch {
			case whole:
				change.New, change.Exists = "", false
			case own:
				return nil, checkOwn(place.Path, own, whole)
			}
		}
		changes = append(changes, change)
	}
	return changes, nil
}

// checkOwn returns the reason not to replace or remove a file, or nil if hookrun may.
func checkOwn(path string, own, whole bool) error {
	if what, mend := ownFault(own, whole); what != "" {
		return fmt.Errorf("%s %s; %s", path, what, mend)
	}
	return nil
}

// ownFault describes why a file is not an unedited file of hookrun, and how to mend that.
func ownFault(own, whole bool) (what, mend string) {
	switch {
	case whole:
		return "", ""
	case own:
		return "was edited since hookrun install wrote it",
			"move it away if you need the edits, or remove it, then try again"
	}
	return "is not hookrun's", "move it away, then try again"
}

// installedOwn reports whether hookrun wrote one of the files.
func (c *Client) installedOwn(p dialect.Place) bool {
	return slices.ContainsFunc(ownPlaces(c.OwnFiles(), p), func(place dialect.Place) bool {
		found, err := find(place)
		return err == nil && found.info != nil && len(c.ownEntries(client.SettingsText{Path: place.Path,
			Text: found.text})) > 0
	})
}

// ownEntries describes a file of hookrun's own as one entry for each event of the file.
func (c *Client) ownEntries(file client.SettingsText) (found []InstalledEntry) {
	f, head, whole := c.readOwn(file)
	call, err := c.ownCall(head, f)
	if !whole || err != nil {
		return nil
	}
	again, err := c.ownText(f, Entry{Binary: head.Binary, ByName: head.ByName, Args: head.Args, Timeout: head.Timeout})
	for _, event := range f.Events {
		found = append(found, InstalledEntry{Line: 1, Command: call.Command, Timeout: head.Timeout, Replaceable: true,
			EntryText:  client.EntryText{Path: file.Path, Event: event, Text: `{"type":"command"}`},
			IsStandard: err == nil && again == strings.ReplaceAll(file.Text, "\r\n", "\n")})
	}
	return found
}

// RunsAt reports whether the client would run a file of hookrun's own with this name at an event.
func (c *Client) RunsAt(path, event string) bool {
	return slices.ContainsFunc(c.OwnFiles(), func(f client.OwnFile) bool {
		return f.Base == filepath.Base(path) && slices.Contains(f.Events, event)
	})
}

func (c *Client) readOwn(file client.SettingsText) (f client.OwnFile, head ownHead, whole bool) {
	for _, f = range c.OwnFiles() {
		if f.Base == filepath.Base(file.Path) {
			head, _, whole = readOwn(f, file.Text)
			return f, head, whole
		}
	}
	return f, head, false
}

// CheckOwnFile describes the fault of a file of hookrun's own and how to mend it, or returns "" if a version of hookrun
// wrote the text.
func (c *Client) CheckOwnFile(file client.SettingsText) (what, mend string) {
	for _, f := range c.OwnFiles() {
		if f.Base == filepath.Base(file.Path) {
			_, own, whole := readOwn(f, file.Text)
			return ownFault(own, whole)
		}
	}
	return "", ""
}
