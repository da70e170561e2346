package hookfile

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/spelling"
)

// conditions reads "when".
func (r reader) conditions() (all []Condition) {
	if !r.value.IsArray() {
		r.wrongType(r.who+`"when"`, "an array of conditions, as [{\"path\": \"args.command\", \"matches\": \"…\"}]",
			r.value)
		return nil
	}
	n := 0
	r.value.ForEach(func(_, v gjson.Result) bool {
		n++
		if !v.IsObject() {
			r.wrongType(fmt.Sprintf("%scondition %d of \"when\"", r.who, n), "an object", v)
			return true
		}
		all = append(all, reader{r.parser, fmt.Sprintf("%scondition %d of \"when\": ", r.who, n), v}.condition())
		return true
	})
	if n == 0 {
		r.problem(r.value.Index, "%s\"when\" has no conditions; leave it out for every call", r.who)
	}
	return all
}

var (
	tests         = []string{"matches", "equals", "exists"}
	conditionKeys = []string{"path", "matches", "equals", "exists"}
)

func (r reader) condition() (c Condition) {
	f := r.fields(r.value, conditionKeys)
	var there []string
	for _, key := range tests {
		if _, ok := f[key]; ok {
			there = append(there, key)
		}
	}
	if len(there) != 1 {
		r.problem(r.value.Index, "%sgive one of \"matches\", \"equals\" and \"exists\", not %d", r.who, len(there))
	}
	path, ok := f["path"]
	if !ok {
		r.problem(r.value.Index, "%shas no \"path\", as args.command", r.who)
	} else if s, ok := r.text(path, `"path"`); ok {
		var err error
		c.path = s
		if c.field, c.steps, err = parsePath(s); err != nil {
			r.problem(path.Index, "%sthe path %s %v", r.who, quote(s), err)
		}
	}
	if v, ok := f["matches"]; ok {
		if s, ok := r.text(v, `"matches"`); ok {
			p, err := regexp.Compile(s)
			if err != nil {
				r.problem(v.Index, "%s\"matches\" %s is no regular expression (RE2): %s", r.who, quote(s),
					spelling.Expression(err))
			}
			c.holds, c.cost = found(p), stepsOf(p)
			if strings.ContainsRune(s, '\b') {
				r.config.Warnings = append(r.config.Warnings,
					r.at(v.Index,
						r.who+`"matches" has a backspace, which is what \b means in JSON; write \\b for the edge of `+
							`a word`))
			}
		}
	}
	if v, ok := f["equals"]; ok {
		c.holds = equals(v)
	}
	if v, ok := f["exists"]; ok {
		if v.Type != gjson.True && v.Type != gjson.False {
			r.wrongType(r.who+`"exists"`, "true or false", v)
		}
		c.holds, c.wantsNothing = exists(v.Type == gjson.True), v.Type != gjson.True
	}
	if len(there) == 1 {
		c.text = brief(path.String()) + " " + there[0] + " " + brief(f[there[0]].Raw)
	}
	return c
}

// reserved are characters that mean something in gjson's paths. They must not mean nothing here.
const reserved = "*?|#@!{}[]()"

// maxNames is how deep a path goes: what lies there is read once for each name.
const maxNames = 64

func isField(name string) bool {
	return name == dialect.CommandField || slices.Contains(dialect.ValueNames(), name) ||
		slices.Contains(dialect.ClientValueNames(), name)
}

// parsePath takes a path apart.
func parsePath(path string) (field string, rest []step, err error) {
	for n := 0; ; n++ {
		s, behind, more, err := parseStep(path)
		if err != nil {
			return "", nil, err
		}
		if n > 0 {
			rest = append(rest, s)
		} else if field = s.key; !isField(field) || s.each || !strings.HasPrefix(path, field) {
			return "", nil, fmt.Errorf("starts with no field of the hook input%s",
				cmp.Or(spelling.Suggest(field, dialect.ClientValueNames()), hint(field, dialect.ValueNames())))
		}
		if !more {
			break
		}
		path = behind
	}
	if len(rest) > maxNames {
		return "", nil, fmt.Errorf("goes more than %d names deep", maxNames)
	}
	if len(rest) > 0 && !dialect.IsJSON(field) {
		return "", nil, fmt.Errorf("goes into %s, which is a text", quote(field))
	}
	return field, rest, nil
}

// parseStep reads up to the next point. more: there was one.
func parseStep(path string) (s step, rest string, more bool, err error) {
	if path == "#" || strings.HasPrefix(path, "#.") {
		return step{each: true}, strings.TrimPrefix(path[1:], "."), len(path) > 1, nil
	}
	var key strings.Builder
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case c == '.':
			rest, more = path[i+1:], true
		case c == '\\' && i+1 == len(path):
			return s, "", false, errors.New(`ends with a \, which nothing follows`)
		case c == '\\':
			i++
			key.WriteByte(path[i])
		case strings.IndexByte(reserved, c) >= 0:
			return s, "", false, fmt.Errorf(`has a %c in a name; write .#. to go through a list, and \%[1]c for the `+
				`character itself`, c)
		default:
			key.WriteByte(c)
		}
		if more {
			break
		}
	}
	if key.Len() == 0 {
		return s, "", false, errors.New("has an empty name; write names joined by points, as args.command")
	}
	return step{key: key.String()}, rest, more, nil
}
