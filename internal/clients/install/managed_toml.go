package install

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/clients/toml"
)

// In a TOML file for all users hookrun's lines are between two comments. The first says what uninstall cannot see.
const (
	blockStart = "# hookrun install --managed wrote these lines, and replaces them"
	blockEnd   = "# the end of hookrun's lines"
	wasEmpty   = "; the file was empty"
	hadNoEnd   = "; the line above had no end"
)

func isTOML(path string) bool { return filepath.Ext(path) == ".toml" }

// block is a document around hookrun's lines.
type block struct {
	before, after string
	found         bool
	note          string // wasEmpty, hadNoEnd or ""
}

func cutBlock(doc string) (b block, err error) {
	start := strings.Index("\n"+doc, "\n"+blockStart)
	if start < 0 {
		return block{before: doc}, nil
	}
	line, rest, _ := strings.Cut(doc[start:], "\n")
	end := strings.Index("\n"+rest, "\n"+blockEnd)
	if end < 0 {
		return b, tomlFaults(doc, start, "hookrun's lines have no end; write a line "+blockEnd+" behind them")
	}
	b = block{before: doc[:start], found: true, note: strings.TrimPrefix(strings.TrimSuffix(line, "\r"), blockStart)}
	_, b.after, _ = strings.Cut(rest[end:], "\n")
	return b, nil
}

// installBlock returns the text with the pins, and one entry at each of the events.
func installBlock(text string, exists bool, h *handler, pins []client.Pin, events []string) (string, error) {
	bom, doc := cutMark(text)
	b, err := cutBlock(doc)
	if err != nil {
		return "", err
	}
	eol := lineEnd(doc)
	switch {
	case b.found:
	case exists && doc == "":
		b.note = wasEmpty
	case doc != "" && !strings.HasSuffix(doc, "\n"):
		b.note, b.before = hadNoEnd, doc+eol
	}
	if _, err := toml.Parse(doc); err != nil {
		return "", tomlFaults(doc, err.(toml.Fault).Offset, err.Error())
	}
	others := b.before + b.after
	top, err := toml.Parse(others)
	if err != nil {
		return "", fmt.Errorf("hookrun's lines are part of others: %w", err)
	}
	fault := func(at int, text string) error {
		if at >= len(b.before) {
			at += len(doc) - len(others)
		}
		return tomlFaults(doc, at, text)
	}
	if n := firstTable(top, others); !b.found && n < len(b.before) { // keys of the file's own are above its tables
		b.before, b.after = b.before[:n], b.before[n:]
	}
	lines := []string{blockStart + b.note}
	for _, pin := range pins {
		table, key, nested := strings.Cut(pin.Key, ".")
		there := top.Get(table)
		switch {
		case !nested && there == nil:
			lines = append(lines, table+" = "+pin.Value)
		case !nested && !isPinned(there, pin):
			return "", fault(there.Offset, pinFault(pin, shown(there)))
		case !nested:
		case there == nil:
			lines = append(lines, "["+table+"]", key+" = "+pin.Value)
		case there.Get(key) == nil:
			const text = "[%s] is here, so hookrun cannot add it again; write %s = %s there"
			return "", fault(there.Offset, fmt.Sprintf(text, table, key, pin.Value))
		case !isPinned(there.Get(key), pin):
			return "", fault(there.Get(key).Offset, pinFault(pin, shown(there.Get(key))))
		}
	}
	for _, event := range events {
		lines = append(lines, "[[hooks."+event+"]]", "[[hooks."+event+".hooks]]", `type = "command"`,
			"command = "+quoted(h.command(event)))
		if h.timeout > 0 {
			lines = append(lines, "timeout = "+strconv.FormatInt(h.timeout, 10))
		}
	}
	doc = b.before + strings.Join(append(lines, blockEnd), eol) + eol + b.after
	if _, err := toml.Parse(doc); err != nil {
		return "", fmt.Errorf("the entry cannot be added: %w", err)
	}
	return bom + doc, nil
}

// isPinned reports whether a value is that of a pin. A pinned text names a folder, and another folder will do.
func isPinned(v *toml.Value, pin client.Pin) bool {
	if isText := pin.Value[0] == '"'; isText {
		return v.Kind == toml.String
	}
	return v.Kind == toml.Bool && v.Text == pin.Value
}

func shown(v *toml.Value) string {
	if v.Kind == toml.String {
		return strconv.Quote(v.Text)
	}
	return v.Text
}

// firstTable returns the offset of the first header of a table, or the end of the document.
func firstTable(top *toml.Value, doc string) int {
	first := len(doc)
	for _, m := range top.Members {
		line := strings.LastIndexByte(doc[:m.Value.Offset], '\n') + 1
		if strings.HasPrefix(strings.TrimLeft(doc[line:], " \t"), "[") {
			first = min(first, line)
		}
	}
	return first
}

// uninstallBlock returns the text without hookrun's lines, and whether a file remains.
func uninstallBlock(text string) (rest string, exists bool, err error) {
	bom, doc := cutMark(text)
	b, err := cutBlock(doc)
	if err != nil || !b.found {
		return text, true, err
	}
	rest = b.before + b.after
	if b.note == hadNoEnd {
		rest = strings.TrimSuffix(rest, lineEnd(doc))
	}
	rest = bom + rest
	return rest, rest != "" || b.note == wasEmpty, nil
}
