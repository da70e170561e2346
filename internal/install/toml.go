package install

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/internal/toml"
)

// A client whose settings are TOML has an entry for each event in a table of its own, which is all that the editor adds
// and removes:
//
//	# Written by hookrun install; hookrun uninstall takes it out.
//	[[hooks]]
//	event = "PreToolUse"
//	command = "…"
//	timeout = 600
//
// An end of line comes before it where there is anything before it. It ends a last line that has no end, and else it is
// a blank line, so that Uninstall need not know which: without it the file is as it was. It stays where something was
// written behind the entry that would become part of that last line.

const tomlComment = "# Written by hookrun install; hookrun uninstall takes it out."

// tomlKeys are those of an entry. A matcher is somebody's own.
var tomlKeys = []string{"event", "matcher", "command", "timeout"}

// tomlEntry is an entry of hookrun's: doc[header:end] is the table, and start is where what Install added begins.
type tomlEntry struct {
	start, header, end int
	table              *toml.Value
}

func (e *tomlEntry) event() string { return e.text("event") }

func (e *tomlEntry) text(key string) string {
	if v := e.table.Get(key); v != nil && v.Kind != toml.Table {
		return v.Text
	}
	return ""
}

// without returns the document without the entry.
func (e *tomlEntry) without(doc string) string {
	before, after := doc[:e.start], doc[e.end:]
	line, _, _ := strings.Cut(after, "\n")
	if before != "" && !strings.HasSuffix(before, "\n") && strings.TrimSuffix(line, "\r") != "" {
		before = strings.TrimSuffix(doc[:e.header], tomlComment+lineEnd(doc))
	}
	return before + after
}

// lineEnd is how the first line of a document ends.
func lineEnd(doc string) string {
	if n := strings.IndexByte(doc, '\n'); n > 0 && doc[n-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// tomlFaults are faults of a document.
func tomlFaults(doc string, offset int, text string) error {
	locator := strictjson.Locator{Doc: doc}
	line, column := locator.Position(offset)
	return hook.Diagnostics{{Line: line, Column: column, Text: text}}
}

// tomlEntries finds the entries of hookrun's in a document, in its order.
func tomlEntries(doc, binary string) (entries []tomlEntry, err error) {
	if at := strictjson.InvalidUTF8(doc); at >= 0 {
		return nil, tomlFaults(doc, at, "not UTF-8; save the file as UTF-8")
	}
	top, err := toml.Parse(doc)
	if fault, is := err.(toml.Fault); is {
		return nil, tomlFaults(doc, fault.Offset, fault.Text)
	}
	hooks := top.Get("hooks")
	if hooks == nil {
		return nil, nil
	}
	if !strings.HasPrefix(doc[hooks.Offset:], "[[") {
		return nil, tomlFaults(doc, hooks.Offset, `"hooks" is no [[hooks]] tables; write each hook as a table`)
	}
	for _, table := range hooks.Items {
		e := tomlEntry{start: table.Offset, header: table.Offset, end: table.Offset, table: table}
		if v := table.Get("command"); v == nil || v.Kind != toml.String || !ours(v.Text, binary) {
			continue
		}
		for _, m := range table.Members {
			if !slices.Contains(tomlKeys, m.Key) { // what is meant for the whole file goes with the entry else
				const text = "%s is behind the header of hookrun's entry, so it is part of that; move it to where it " +
					"belongs, or take it out"
				return nil, tomlFaults(doc, m.Offset, fmt.Sprintf(text, spelling.Quote(m.Key)))
			}
			e.end = max(e.end, m.Value.End)
		}
		if n := strings.IndexByte(doc[e.end:], '\n'); n >= 0 {
			e.end += n + 1
		} else {
			e.end = len(doc)
		}
		for _, eol := range []string{"\r\n", "\n"} {
			if before, marked := strings.CutSuffix(doc[:e.header], tomlComment+eol); marked {
				e.start = len(strings.TrimSuffix(before, eol))
				break
			}
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// table is an entry as it is written.
func (h *handler) table(event, eol string) string {
	lines := []string{"[[hooks]]", "event = " + quoted(event), "command = " + quoted(h.command(event))}
	if h.timeout > 0 {
		lines = append(lines, "timeout = "+strconv.FormatInt(h.timeout, 10))
	}
	return strings.Join(lines, eol) + eol
}

// installTOML returns the text with one entry at each event, and none at any other.
func (c *Client) installTOML(text string, exists bool, h *handler, events []string) (string, []string, error) {
	bom, doc := cutMark(text)
	entries, err := tomlEntries(doc, h.binary)
	if err != nil {
		return "", nil, err
	}
	eol := lineEnd(doc)
	missing := slices.Clone(events)
	for _, e := range slices.Backward(entries) { // from the end: offsets before stay
		n := slices.Index(missing, e.event())
		if n < 0 || slices.ContainsFunc(entries, func(other tomlEntry) bool {
			return other.start < e.start && other.event() == e.event() // the first of copies stays
		}) {
			doc = e.without(doc)
			continue
		}
		missing = slices.Delete(missing, n, n+1)
		same := e.text("command") == h.command(e.event()) && e.text("timeout") == strconv.FormatInt(h.timeout, 10)
		if !same || len(e.table.Members) != 3 {
			doc = doc[:e.header] + h.table(e.event(), eol) + doc[e.end:]
		}
	}
	for _, event := range missing {
		if exists {
			doc += eol
		}
		doc += tomlComment + eol + h.table(event, eol)
		exists = true
	}
	if _, err := toml.Parse(doc); err != nil {
		return "", nil, fmt.Errorf("the entries cannot be added: %w", err)
	}
	return bom + doc, c.switchedOff(doc), nil
}

// uninstallTOML returns the text without the entries, and whether there is still a file.
func (c *Client) uninstallTOML(text, binary string) (rest string, exists bool, err error) {
	bom, doc := cutMark(text)
	entries, err := tomlEntries(doc, binary)
	if err != nil {
		return "", false, err
	}
	made := bom == "" && len(entries) > 0 && entries[0].start == 0 && strings.HasPrefix(doc, tomlComment)
	for _, e := range slices.Backward(entries) {
		doc = e.without(doc)
	}
	return bom + doc, doc != "" || !made, nil
}

func cutMark(text string) (bom, doc string) {
	if doc, marked := strings.CutPrefix(text, mark); marked {
		return mark, doc
	}
	return "", text
}
