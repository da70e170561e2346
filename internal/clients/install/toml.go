package install

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hookrun/hookrun/internal/clients/toml"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// In TOML settings, the entry of each event is a table of its own. The editor adds and removes only these tables:
//
//	# Written by hookrun install; hookrun uninstall takes it out.
//	[[hooks]]
//	event = "PreToolUse"
//	command = "…"
//	timeout = 600
//
// After other text, the entry starts with one newline. The newline ends an unfinished last line, or makes a blank line.
// Uninstall removes exactly this newline, so the file is as before. The newline stays if text behind the entry would
// become part of the unfinished line.

const tomlComment = "# Written by hookrun install; hookrun uninstall takes it out."

// tomlKeys are the keys of an entry. A user may have added the matcher.
var tomlKeys = []string{"event", "matcher", "command", "timeout"}

// tomlEntry is a hookrun entry: doc[header:end] is the table, and doc[start:end] is all that Install added.
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

// lineEnd returns the end of the first line of a document.
func lineEnd(doc string) string {
	if n := strings.IndexByte(doc, '\n'); n > 0 && doc[n-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// tomlFaults returns a fault of a document as diagnostics.
func tomlFaults(doc string, offset int, text string) error {
	locator := strictjson.Locator{Doc: doc}
	line, column := locator.Position(offset)
	return hook.Diagnostics{{Line: line, Column: column, Text: text}}
}

// tomlEntries returns the hookrun entries of a document, in order.
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
			if !slices.Contains(tomlKeys, m.Key) { // a key meant for the whole file would go with the entry
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

// table returns the text of an entry.
func (h *handler) table(event, eol string) string {
	lines := []string{"[[hooks]]", "event = " + quoted(event), "command = " + quoted(h.command(event))}
	if h.timeout > 0 {
		lines = append(lines, "timeout = "+strconv.FormatInt(h.timeout, 10))
	}
	return strings.Join(lines, eol) + eol
}

// installTOML returns the text with one entry at each of the events, and no entry at other events.
func (c *Client) installTOML(text string, exists bool, h *handler, events []string) (string, []string, error) {
	bom, doc := cutMark(text)
	entries, err := tomlEntries(doc, h.binary)
	if err != nil {
		return "", nil, err
	}
	eol := lineEnd(doc)
	missing := slices.Clone(events)
	for _, e := range slices.Backward(entries) { // backward, so earlier offsets stay valid
		n := slices.Index(missing, e.event())
		if n < 0 || slices.ContainsFunc(entries, func(other tomlEntry) bool {
			return other.start < e.start && other.event() == e.event() // the first copy stays
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

// uninstallTOML returns the text without the entries, and whether a file remains.
func (c *Client) uninstallTOML(text, binary string) (rest string, exists bool, err error) {
	bom, doc := cutMark(text)
	entries, err := tomlEntries(doc, binary)
	if err != nil {
		return "", false, err
	}
	created := bom == "" && len(entries) > 0 && entries[0].start == 0 && strings.HasPrefix(doc, tomlComment)
	for _, e := range slices.Backward(entries) {
		doc = e.without(doc)
	}
	return bom + doc, doc != "" || !created, nil
}

func cutMark(text string) (bom, doc string) {
	if doc, marked := strings.CutPrefix(text, byteOrderMark); marked {
		return byteOrderMark, doc
	}
	return "", text
}
