package permission

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/lazy"
	"github.com/hookrun/hookrun/internal/strictjson"
)

// CommandOf returns what the arguments of a shell tool have it run, one line for each of its commands, whatever key
// they are under. The words of a list are joined by blanks. ok is false if there is no such argument, or one of them is
// no text.
func CommandOf(args string) (lines string, ok bool) {
	if !strings.HasPrefix(args, "{") || !gjson.Valid(args) {
		return "", false
	}
	var all []string
	odd := false
	strictjson.Members(args, func(key, value string) bool {
		name := keyName(strictjson.Text(key))
		isList := name == "commands"
		if !isList && !slices.Contains(commandKeys, name) && !slices.Contains(typedKeys, name) || value == "null" {
			return true
		}
		texts, readable := textsOf(value)
		odd = odd || !readable
		if isList {
			all = append(all, texts...)
		} else {
			all = append(all, typed(name, strings.Join(texts, " ")))
		}
		return true
	})
	return strings.Join(all, "\n"), len(all) > 0 && !odd
}

// textsOf returns a text or a list of texts.
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

// HasCommand reports whether the arguments of a tool that nobody knows look like those of a shell: whether there is a
// text under a key for commands.
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

// typed returns the text that a tool types into a shell, with Enter as the end of a line.
func typed(key, text string) string {
	if !slices.Contains(typedKeys, key) {
		return text
	}
	return strings.NewReplacer("{enter}", "\n", "\r\n", "\n", "\r", "\n").Replace(text)
}

// recalled matches what an interactive shell may replace by an earlier command.
var recalled = lazy.Regexp{Text: `(?:^|[^\\$'])![A-Za-z0-9!?#-]|(?:^|\n)\^`}

// editsLine reports whether a text has keys that change what stands in a shell's line already.
func editsLine(text string) bool {
	return slices.ContainsFunc([]string{"{up}", "{down}", "{left}", "{right}", "{backspace}"}, func(key string) bool {
		return strings.Contains(text, key)
	})
}
