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
	var all, programs, words []string
	unreadable := false
	strictjson.Members(args, func(key, value string) bool {
		name := keyName(strictjson.Text(key))
		texts, readable := textsOf(value)
		text := strings.Join(texts, " ")
		switch use := commandUseOf(name, false); {
		case value == "null":
		case use == someLines:
			all, unreadable = append(all, texts...), unreadable || !readable
		case use == aLine || slices.Contains(typedKeys, name):
			if all = append(all, typed(name, text)); !slices.Contains(plainKeys, name) && value[0] != '[' && value[0] != '{' {
				readable = true // a number or a flag
			}
			unreadable = unreadable || !readable
		case readable && (use == someWords || use == aVector):
			words = append(words, text)
		case use == someWords && strings.HasPrefix(name, "arg"):
			unreadable = unreadable || value != "[]" && value != "{}"
		case readable && (use == aProgram || use == aShell && !isShell(text)):
			programs = append(programs, text)
		}
		return true
	})
	if len(all) == 0 {
		all, programs = programs, nil
	}
	for i, line := range all {
		all[i] = strings.Join(slices.Concat(programs, []string{line}, words), " ")
	}
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

// HasCommand reports whether the arguments of an unknown tool have a command, like a shell's, and under which key.
func HasCommand(args string) (key string, ok bool) {
	if !strings.HasPrefix(args, "{") || !gjson.Valid(args) {
		return "", false
	}
	return commandIn(args, 1)
}

func commandIn(value string, nesting int) (key string, ok bool) {
	if nesting > maxObjects {
		return "", true
	}
	if value[0] == '[' {
		gjson.Parse(value).ForEach(func(_, element gjson.Result) bool {
			key, ok = commandIn(element.Raw, nesting+1)
			return !ok
		})
		return key, ok
	}
	if value[0] != '{' {
		return "", false
	}
	strictjson.Members(value, func(name, value string) bool {
		key = strictjson.Text(name)
		switch use, start := commandUseOf(keyName(key), nesting > 1), value[0]; {
		case use == aLine && (start == '"' || start == '['), use == someLines && start == '"', use == aVector && start == '[',
			use == aProgram && start == '"', use == aShell && start == '"' && !isShell(strictjson.Text(value)):
			ok = true
		case use == someLines && start == '[':
			first := gjson.Get(value, "0")
			if ok = first.Type == gjson.String || first.IsArray(); !ok {
				key, ok = commandIn(value, nesting)
			}
		case start == '"' && useOf(keyName(key)) == useUnknown && isJSON(strictjson.Text(value)):
			key, ok = commandIn(strings.TrimSpace(strictjson.Text(value)), nesting+1)
		case useOf(keyName(key)) != useNone && useOf(keyName(key)) != useContent:
			key, ok = commandIn(value, nesting+1)
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
