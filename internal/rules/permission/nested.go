package permission

import (
	"strings"

	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// This file finds the command of a shell tool that stands deeper in the arguments, and says which keys were there if
// there is none.

// maxInside limits how deep the arguments of a shell tool may stand in others.
const maxInside = 4

// readWhole reads arguments that are no object: a line, a list of words, or JSON in a text.
func (in *input) readWhole(value string) {
	_, value = readUse("command", value)
	switch text := strictjson.Text(value); {
	case value[0] == '"' && isJSON(text):
		in.readParts(strings.TrimSpace(text))
	case value[0] == '[', value[0] == '"' && strings.IndexByte("{[", (text + " ")[0]) < 0: // else broken JSON
		in.line("command", value)
	}
}

// readParts reads an object with the command of a shell tool, and reports whether there is one.
func (in *input) readParts(object string) bool {
	before := len(in.lines)
	in.read(object, 1+1, true)
	if len(in.lines) == before && !in.unreadableLine {
		in.readInside(object, 1+1)
	}
	return len(in.lines) > before
}

// readInside reads the objects in an object without a command, as in {"input":{"command":"ls"}}.
func (in *input) readInside(object string, nesting int) {
	for _, value := range strictjson.Members(object) {
		if text := strings.TrimSpace(strictjson.Text(value)); value[0] == '"' && strings.HasPrefix(text, "{") &&
			isJSON(text) {
			value = text
		}
		if value[0] != '{' || nesting == maxInside {
			continue
		}
		before := len(in.lines)
		in.read(value, nesting+1, true)
		if len(in.lines) == before && !in.unreadableLine {
			in.readInside(value, nesting+1)
		}
	}
}

// readPatchOfLines reads the patch that the lines of a shell tool apply.
func (in *input) readPatchOfLines() {
	in.readPatches(in.lines)
	in.patch = in.patch || in.unreadableLine // any patch, perhaps
	in.unreadablePath = in.unreadablePath || in.unreadableLine
}

// beside keeps what stands beside the object with the command: further words are a hint, but parts that would belong to
// the command leave the call unread.
func (in *input) beside(p *parts) {
	if in.kind != Shell {
		return
	}
	in.unreadableLine = in.unreadableLine || len(p.env) > 0 || p.stdin != "" && len(p.programs) > 0
	for _, hint := range p.hints {
		if hint.Text[0] != '{' {
			in.hints = append(in.hints, hint)
		}
	}
}

// unread returns why the command of a call cannot be read, as a sentence without a point.
func (c *Call) unread(in *input) string {
	const text = "hookrun cannot read the command of this call: "
	switch {
	case c.EqualKeys:
		return text + "its arguments have equal keys, of which the tool may read others"
	case in.commandKey != "":
		return text + "what stands under " + quoteKey(in.commandKey) + " is no text and no list of words, or too long"
	case !strings.HasPrefix(c.Input, "{"), !isJSON(c.Input):
		return text + "its arguments are no object of JSON"
	}
	const most = 8
	var keys []string
	for key := range strictjson.Members(c.Input) {
		if len(keys) == most {
			keys = append(keys, "…")
			break
		}
		keys = append(keys, quoteKey(strictjson.Text(key)))
	}
	switch len(keys) {
	case 0:
		return text + "it has no arguments"
	case 1:
		return text + "it has the key " + keys[0]
	}
	return text + "it has the keys " + strings.Join(keys, ", ")
}

// quoteKey quotes and shortens a key for a message.
func quoteKey(key string) string {
	const most = 40
	if runes := []rune(key); len(runes) > most {
		key = string(runes[:most]) + "…"
	}
	return "`" + key + "`"
}
