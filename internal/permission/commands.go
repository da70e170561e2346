package permission

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/lazy"
	"github.com/hookrun/hookrun/internal/strictjson"
)

// CommandOf returns the commands in the arguments of a shell tool, one line for each command, under any known key. The
// words of a list are joined by blanks. ok is false if no argument holds a command, or if a command is not a text.
func CommandOf(args string) (lines string, ok bool) {
	if !strings.HasPrefix(args, "{") || !gjson.Valid(args) {
		return "", false
	}
	var all []string
	unreadable := false
	strictjson.Members(args, func(key, value string) bool {
		name := keyName(strictjson.Text(key))
		isList := name == "commands"
		if !isList && !slices.Contains(commandKeys, name) && !slices.Contains(typedKeys, name) || value == "null" {
			return true
		}
		texts, readable := textsOf(value)
		unreadable = unreadable || !readable
		if isList {
			all = append(all, texts...)
		} else {
			all = append(all, typed(name, strings.Join(texts, " ")))
		}
		return true
	})
	return strings.Join(all, "\n"), len(all) > 0 && !unreadable
}

// textsOf returns the texts of a JSON string or of a list of strings.
func textsOf(value string) (texts []string, ok bool) {
	v := gjson.Parse(value)
	if v.Type == gjson.String {
		return []string{strictjson.Text(v.Raw)}, true
	}
	ok = v.IsArray()
	for _, element := range v.Array() {
		if element.Type != gjson.String {
			return nil, false
		}
		texts = append(texts, strictjson.Text(element.Raw))
	}
	return texts, ok && len(texts) > 0
}

// HasCommand reports whether the arguments of an unknown tool have a text under a key for commands, like a shell's.
func HasCommand(args string) (key string, ok bool) {
	if !strings.HasPrefix(args, "{") || !gjson.Valid(args) {
		return "", false
	}
	strictjson.Members(args, func(name, value string) bool {
		text := strictjson.Text(name)
		if slices.Contains(commandKeys, keyName(text)) && strings.HasPrefix(value, `"`) {
			key, ok = text, true
		}
		return !ok
	})
	return key, ok
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

// hasEditKeys reports whether a text has keys that change the text already in the shell's line.
func hasEditKeys(text string) bool {
	return slices.ContainsFunc([]string{"{up}", "{down}", "{left}", "{right}", "{backspace}"}, func(key string) bool {
		return strings.Contains(text, key)
	})
}
