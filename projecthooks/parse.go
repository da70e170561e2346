package projecthooks

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/internal/strictjson"
)

// parser walks a document that strictjson found well-formed, and collects problems instead of stopping at one.
// gjson gives each key and value with its offset; equal keys were reported before, so first or last does not matter.
type parser struct {
	file     string
	doc      string
	places   strictjson.Locator
	config   Config
	problems Problems
}

func (p *parser) at(offset int, text string) Problem {
	line, col := p.places.Position(offset)
	return Problem{p.file, line, col, text}
}

func (p *parser) problem(offset int, format string, args ...any) {
	p.problems = append(p.problems, p.at(offset, fmt.Sprintf(format, args...)))
}

// fields returns the members of an object by key. A key that is not in known is a problem, unless it is $schema or
// starts with x-.
func (p *parser) fields(object gjson.Result, known []string) map[string]gjson.Result {
	found := map[string]gjson.Result{}
	object.ForEach(func(key, value gjson.Result) bool {
		name := key.String()
		if slices.Contains(known, name) {
			found[name] = value
		} else if !ours(name) {
			p.problem(key.Index, "unknown key %s%s", quote(name), hint(name, known))
		}
		return true
	})
	return found
}

// hint says what may have been meant; where nothing comes close, what there is.
func hint(wrong string, known []string) string {
	if s := Suggest(wrong, known); s != "" {
		return s
	}
	return "; known are " + strings.Join(known, ", ")
}

// quote quotes a text of the file for a message, cut where it is long. People read messages, and a hundred thousand
// problems of one hook would else repeat its name of half a megabyte.
func quote(s string) string { return strconv.Quote(brief(s)) }

func brief(s string) string { return spelling.Brief(s, 80) }

func (p *parser) wrongType(what, want string, got gjson.Result) {
	p.problems = append(p.problems, p.at(got.Index, what+" must be "+want+", not "+typeName(got)))
}

func typeName(v gjson.Result) string {
	switch {
	case v.IsObject():
		return "an object"
	case v.IsArray():
		return "an array"
	case v.Type == gjson.String:
		return "a string"
	case v.Type == gjson.Number:
		return "a number"
	case v.Type == gjson.Null:
		return "null"
	}
	return "true or false"
}

func (p *parser) document() {
	top := gjson.Parse(p.doc)
	if !top.IsObject() {
		p.problem(len(p.doc)-len(strings.TrimLeft(p.doc, " \t\r\n")), "a hooks file must be an object, as {\"hooks\": […]}, not %s", typeName(top))
		return
	}
	// The form of "hooks" decides which rules the file is read by, so it is looked at before anything else.
	var form gjson.Result
	top.ForEach(func(key, value gjson.Result) bool {
		if key.String() == "hooks" {
			form = value
		}
		return true
	})
	if form.IsObject() || isClaudeFile(p.file, form.IsArray()) {
		p.claudeFile(top)
		return
	}
	hooks, ok := p.fields(top, []string{"hooks"})["hooks"]
	if !ok {
		return
	}
	if !hooks.IsArray() {
		p.wrongType(`"hooks"`, "an array", hooks)
		return
	}
	lines := map[string]int{}
	n := 0
	hooks.ForEach(func(_, entry gjson.Result) bool {
		n++
		h, ok := p.hook(entry, n)
		if !ok {
			return true // the file is refused: nobody will see its hooks
		}
		if line := lines[h.Name]; line > 0 {
			p.config.Warnings = append(p.config.Warnings, h.sameName("line "+strconv.Itoa(line)))
		} else {
			lines[h.Name] = h.Line
		}
		p.config.Hooks = append(p.config.Hooks, h)
		return true
	})
}
