package permission

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/lib/lazy"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// CommandOf returns the commands in the arguments of a shell tool, one line for each command, as rules read them. ok is
// false if no argument holds a command, or if a command is unreadable.
func CommandOf(args string) (lines string, ok bool) {
	c := Call{Kind: Shell, Input: args, Project: true}.WithCache()
	in := c.input()
	all := make([]string, len(in.lines))
	for i, line := range in.lines {
		all[i] = line.text
	}
	return strings.Join(all, "\n"), len(all) > 0 && !in.unreadableLine
}

// textsOf returns the texts of a JSON string, or of a list, also of numbers and with lists in it. Some tools write a
// list as an object with the keys 0, 1 and so on.
func textsOf(value string) (texts []string, ok bool) {
	v := gjson.Parse(value)
	if v.Type == gjson.String {
		return []string{strictjson.Text(v.Raw)}, true
	}
	if !v.IsArray() && !v.Get("0").Exists() {
		return nil, false
	}
	for _, element := range v.ForEach {
		switch {
		case element.Type == gjson.String:
			texts = append(texts, strictjson.Text(element.Raw))
		case element.IsArray() && !strings.Contains(element.Raw[1:], "["):
			inner, ok := textsOf(element.Raw)
			if texts = append(texts, inner...); !ok {
				return nil, false
			}
		case element.Type == gjson.JSON:
			return nil, false
		case element.Type != gjson.Null:
			texts = append(texts, element.Raw)
		}
	}
	return texts, len(texts) > 0
}

// HasCommand reports whether the arguments of an unknown tool have a command, like a shell's, and under which key.
func HasCommand(args string) (key string, ok bool) {
	c := Call{Input: args, Project: true}.WithCache()
	in := c.input()
	return cmp.Or(in.commandKey, "args"), len(in.lines) > 0
}

// typed returns the text that a tool types into a shell. Enter becomes the end of a line.
func typed(key, text string) string {
	if !slices.Contains(typedKeys, key) {
		return text
	}
	return strings.NewReplacer("{enter}", "\n", "\r\n", "\n", "\r", "\n").Replace(text)
}

// historyExpansion matches text that an interactive shell may replace by an earlier command.
var historyExpansion = lazy.Regexp{Text: `(?:^|[^\\$'])![A-Za-z0-9!?#-]|(?:^|\n)\^`}

// editKeys matches keys that change the text already in the shell's line.
var editKeys = lazy.Regexp{Text: `\{(?:up|down|left|right|backspace)\}`}
