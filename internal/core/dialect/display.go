package dialect

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/protocol"
)

// ReminderTag begins a tag around a text of UserMessage, and ReminderEnd ends the tag.
const ReminderTag, ReminderEnd = "<system-reminder", "</system-reminder>"

// displayed is the number of characters of a text that the display has.
const displayed = 300

// WithDisplay sets the short form of a text that a user interface shows in passing, as MassGen shows the text: of a
// text of UserMessage the first line that is no part of a frame, of any other text the beginning.
func WithDisplay(t protocol.Text) protocol.Text {
	if t.Strategy == UserMessage {
		text, _ := Untagged(t.Content)
		line := func(line string) bool {
			return strings.TrimSpace(line) != "" && !strings.Contains(line, "===") && !strings.Contains(line, "═══")
		}
		lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
		first := ""
		if i := slices.IndexFunc(lines, line); i >= 0 {
			first = strings.TrimSpace(lines[i])
		}
		t.Display = "[REMINDER] " + cmp.Or(first, "System reminder")
		return t
	}
	shown, seen := t.Content, 0
	for at := range t.Content { // the text may have megabytes
		if seen++; seen > displayed {
			shown = t.Content[:at] + "..."
			break
		}
	}
	t.Display = "[INJECTION] " + shown
	return t
}

// Untagged returns a text without its tag, and whether the text had a tag, with or without a type.
func Untagged(text string) (string, bool) {
	inner, opened := strings.CutPrefix(strings.TrimSpace(text), ReminderTag)
	inner, closed := strings.CutSuffix(inner, ReminderEnd)
	attributes, inner, ended := strings.Cut(inner, ">")
	if !opened || !closed || !ended || attributes != "" && attributes[0] != ' ' {
		return text, false
	}
	return inner, true
}
