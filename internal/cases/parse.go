package cases

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/registry"
	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// Parse reads the text of a test file. path is for messages. The error is of type hook.Diagnostics: all problems.
func Parse(path string, doc []byte, workspace string) (*File, error) {
	p := parser{file: path, workspace: workspace, doc: string(bytes.TrimPrefix(doc, []byte("\ufeff")))}
	p.locator.Doc = p.doc
	if at := strictjson.InvalidUTF8(p.doc); at >= 0 {
		p.problem(at, "parsing: not UTF-8; save the file as UTF-8")
		return nil, p.problems
	}
	readable := true
	for _, f := range strictjson.Check(p.doc, maxFileDepth) {
		p.problem(f.Offset, "parsing: %s", f.Text)
		readable = readable && f.Kind == strictjson.Duplicate
	}
	if !readable {
		return nil, p.problems
	}
	f := &File{Path: path, Tests: p.tests(gjson.Parse(p.doc))}
	if len(p.problems) > 0 {
		p.problems.Sort()
		return nil, p.problems
	}
	return f, nil
}

// parser reads a document that strictjson has accepted. It collects problems and does not stop at the first.
type parser struct {
	file, workspace string
	doc             string
	locator         strictjson.Locator
	problems        hook.Diagnostics
}

func (p *parser) problem(offset int, format string, args ...any) {
	line, col := p.locator.Position(offset)
	p.problems = append(p.problems, hook.Diagnostic{
		File: p.file, Line: line, Column: col, Text: fmt.Sprintf(format, args...),
	})
}

// checkType reports whether a value has the named type of strictjson.CheckType, and adds a problem if not.
func (p *parser) checkType(v gjson.Result, what, name string) bool {
	want, ok := strictjson.CheckType(v, name)
	if !ok {
		p.problem(v.Index, "%s must be %s, not %s", what, want, cited(v))
	}
	return ok
}

// fields returns the members of an object by key. A key that is not in known is a problem, unless it is $schema or
// starts with x-.
func (p *parser) fields(object gjson.Result, known ...string) map[string]gjson.Result {
	found := map[string]gjson.Result{}
	object.ForEach(func(key, value gjson.Result) bool {
		switch name := strictjson.Text(key.Raw); {
		case slices.Contains(known, name):
			found[name] = value
		case name != "$schema" && !strings.HasPrefix(name, "x-"):
			p.problem(key.Index, "unknown key %s%s", quote(name),
				cmp.Or(spelling.Suggest(name, known), "; known are "+strings.Join(known, ", ")))
		}
		return true
	})
	return found
}

// brief shortens a text for a message, because a file can have a hundred thousand errors in one long text.
func brief(s string) string { return spelling.Brief(s, 80) }

// cited returns a value of the file for a message, on one line.
func cited(v gjson.Result) string { return brief(string(strictjson.Compact(nil, v.Raw))) }

func quote(s string) string { return strconv.Quote(brief(s)) }

// text returns a string with the workspace's path inserted.
func (p *parser) text(v gjson.Result) string {
	return strings.ReplaceAll(strictjson.Text(v.Raw), WorkspaceMark, p.workspace)
}

// json returns a value in compact form with the workspace's path inserted.
func (p *parser) json(v gjson.Result) string {
	path := strictjson.AppendString(nil, p.workspace)
	return strings.ReplaceAll(string(strictjson.Compact(nil, v.Raw)), WorkspaceMark, string(path[1:len(path)-1]))
}

func (p *parser) tests(top gjson.Result) (tests []Test) {
	if !top.IsObject() {
		p.problem(len(p.doc)-len(strings.TrimLeft(p.doc, " \t\r\n")),
			"a file of tests must be an object, as {\"tests\": […]}, not %s", cited(top))
		return nil
	}
	all, ok := p.fields(top, "tests")["tests"]
	switch {
	case !ok:
		p.problem(0, "there is no \"tests\", so nothing would be tested")
		return nil
	case !all.IsArray():
		p.problem(all.Index, "\"tests\" must be an array, not %s", cited(all))
		return nil
	}
	lines := map[string]int{}
	all.ForEach(func(_, entry gjson.Result) bool {
		if !p.checkType(entry, "a test", "object") {
			return true
		}
		t := p.test(entry)
		if line, ok := lines[t.Name]; ok && t.Name != "" {
			p.problem(entry.Index,
				"the test of line %d has the same name %s; nobody could tell which one failed", line, quote(t.Name))
		}
		lines[t.Name] = t.Line
		tests = append(tests, t)
		return true
	})
	if len(tests) == 0 && len(p.problems) == 0 {
		p.problem(all.Index, "\"tests\" is empty, so nothing would be tested")
	}
	return tests
}

// callKeys are the keys of a call, if the test has no "input".
var callKeys = []string{"event", "tool", "args", "result", "failed", "blocked", "prompt", "session_id", "tool_use_id",
	"agent_id"}

func (p *parser) test(entry gjson.Result) (t Test) {
	fields := p.fields(entry, append([]string{"name", "input", "env", "expect"}, callKeys...)...)
	t.File = p.file
	t.Line, _ = p.locator.Position(entry.Index)
	if name, ok := fields["name"]; !ok {
		p.problem(entry.Index, "the test has no \"name\"")
	} else if p.checkType(name, `"name"`, "string") {
		t.Name = strictjson.Text(name.Raw)
		if strings.TrimSpace(t.Name) == "" {
			p.problem(name.Index, "the name of the test is blank")
		}
	}
	if input, ok := fields["input"]; ok {
		t.Call = p.input(input, fields)
	} else {
		t.Call = p.call(entry, fields)
	}
	t.Call.Workspace = p.workspace
	if env, ok := fields["env"]; ok && p.checkType(env, `"env"`, "object") {
		t.Env = p.env(env)
	}
	if expect, ok := fields["expect"]; !ok {
		p.problem(entry.Index, "the test has no \"expect\", so it could not fail")
	} else if p.checkType(expect, `"expect"`, "object") {
		t.Expect = p.expectation(expect)
	}
	return t
}

// input reads a client's own hook input, as hookrun fire does.
func (p *parser) input(v gjson.Result, fields map[string]gjson.Result) (c dialect.Call) {
	for _, key := range callKeys {
		if twice, ok := fields[key]; ok {
			p.problem(twice.Index, "%q is in \"input\" too; leave one of them out", key)
		}
	}
	if !p.checkType(v, `"input"`, "object") {
		return c
	}
	c, _, err := registry.ParseInput(p.json(v)) // warnings are only about equal keys, and Parse refuses those
	if err != nil {
		p.problem(v.Index, "%v", err)
	}
	return c
}

func (p *parser) call(entry gjson.Result, fields map[string]gjson.Result) (c dialect.Call) {
	event, ok := fields["event"]
	if !ok {
		p.problem(entry.Index, "the test has neither \"event\" nor \"input\"")
	} else if ok = p.checkType(event, `"event"`, "string"); ok {
		if c.Event, ok = registry.ParseEvent(strictjson.Text(event.Raw)); !ok {
			p.problem(event.Index, "unknown event %s%s",
				quote(strictjson.Text(event.Raw)), meantEvent(strictjson.Text(event.Raw)))
		}
	}
	for key, into := range map[string]*string{
		"tool": &c.Tool, "prompt": &c.Prompt, "session_id": &c.SessionID,
		"tool_use_id": &c.ToolUseID, "agent_id": &c.AgentID,
	} {
		if v, ok := fields[key]; ok && p.checkType(v, strconv.Quote(key), "string") {
			*into = p.text(v)
		}
	}
	if args, ok := fields["args"]; ok {
		c.Args = p.json(args)
		// As in serve, a string with an object is the JSON of the model.
		text := p.text(args)
		if args.Type == gjson.String && strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{") {
			c.Args = text
		}
	}
	if result, ok := fields["result"]; ok {
		if c.Result = p.json(result); result.Type == gjson.String {
			c.Result = p.text(result)
		}
	}
	c.Failed = c.Event == "PostToolUseFailure"
	if failed, ok := fields["failed"]; ok && p.checkType(failed, `"failed"`, "boolean") {
		c.Failed = c.Failed || failed.Bool()
	}
	if blocked, ok := fields["blocked"]; ok && p.checkType(blocked, `"blocked"`, "boolean") {
		c.Blocked = blocked.Bool()
	}
	if !ok {
		return c // the keys of an unknown event cannot be checked
	}
	tool, given := fields["tool"]
	if dialect.HasTool(c.Event) && c.Tool == "" && (!given || tool.Type == gjson.String) {
		p.problem(entry.Index, "the test has no \"tool\", and %s is about one", c.Event)
	}
	for _, key := range []string{"tool", "args", "result", "failed", "blocked"} {
		v, ok := fields[key]
		switch {
		case ok && !dialect.HasTool(c.Event):
			p.problem(v.Index, "%s is about no tool, so it has no %q", c.Event, key)
		case ok && key != "tool" && key != "args" && dialect.Canonical(c.Event) != protocol.PostTool:
			p.problem(v.Index, "%q is known after the tool alone, not at %s", key, c.Event)
		}
	}
	return c
}

func meantEvent(wrong string) string {
	return cmp.Or(spelling.Suggest(wrong, registry.EventNames()),
		"; known are pre-execute, pre-tool, post-tool, and Claude Code's names, such as Stop")
}

func (p *parser) env(object gjson.Result) (env []string) {
	object.ForEach(func(key, value gjson.Result) bool {
		name := strictjson.Text(key.Raw)
		switch {
		case name == "" || strings.ContainsAny(name, "=\x00"):
			p.problem(key.Index, "%s cannot be the name of a variable", quote(name))
		case name == "HOOKRUN" || strings.HasPrefix(name, "HOOKRUN_"):
			p.problem(key.Index, "%s is set by hookrun; choose a name that does not start with HOOKRUN", brief(name))
		}
		if p.checkType(value, "the variable "+quote(name), "string") {
			if strings.ContainsRune(p.text(value), 0) {
				p.problem(value.Index,
					"the variable %s has a NUL character, which no process can be given", quote(name))
			}
			env = append(env, name+"="+p.text(value))
		}
		return true
	})
	return env
}

func (p *parser) expectation(object gjson.Result) Expectation {
	fields := p.fields(object, expectKeys...)
	if len(fields) == 0 {
		p.problem(object.Index,
			"\"expect\" is empty, so the test could not fail; known are %s", strings.Join(expectKeys, ", "))
	}
	e := Expectation{}
	for key, v := range fields {
		what := strconv.Quote(key)
		switch key {
		case "decision":
			p.checkType(v, what, "continue|block|ask|defer")
			e[key] = equal(strictjson.Text(v.Raw))
		case "approved", "stop":
			p.checkType(v, what, "boolean")
			e[key] = equal(v.Raw)
		case "inject", "message":
			e[key] = p.expectedTexts(v, what)
		case "updated_input", "updated_output":
			if e[key] = wantEmpty; v.Type != gjson.Null {
				e[key] = equalJSON(p.json(v))
			}
		default:
			e[key] = p.expectedText(v, what)
		}
	}
	return e
}

// expectedText returns nil if the expectation has a problem.
func (p *parser) expectedText(v gjson.Result, what string) *want {
	switch {
	case v.Type == gjson.Null:
		return wantEmpty
	case v.Type == gjson.String:
		w := equal(p.text(v))
		w.text = strconv.Quote(w.text)
		return w
	case !v.IsObject():
		p.problem(v.Index,
			"%s must be a string, {\"matches\": \"a pattern\"}, or null for none, not %s", what, cited(v))
		return nil
	}
	pattern, ok := p.fields(v, "matches")["matches"]
	switch {
	case !ok:
		p.problem(v.Index, "%s has no \"matches\"", what)
		return nil
	case !p.checkType(pattern, `"matches"`, "string"):
		return nil
	case pattern.Raw == `""`:
		p.problem(pattern.Index, "the pattern is empty, which every text matches; write null for none")
		return nil
	}
	expression := strings.ReplaceAll(strictjson.Text(pattern.Raw), WorkspaceMark, regexp.QuoteMeta(p.workspace))
	compiled, err := regexp.Compile(expression)
	if err != nil {
		p.problem(pattern.Index, "the pattern %s is no RE2: %s", quote(expression), spelling.Expression(err))
		return nil
	}
	return &want{text: "a text that matches " + strconv.Quote(expression), matches: compiled.MatchString}
}

func (p *parser) expectedTexts(v gjson.Result, what string) *want {
	if !v.IsArray() {
		return p.expectedText(v, what)
	}
	w := &want{list: true}
	for _, one := range v.Array() {
		if one.Type == gjson.Null {
			p.problem(one.Index, "a text of %s cannot be none; leave it out of the list", what)
		} else {
			w.each = append(w.each, p.expectedText(one, "a text of "+what))
		}
	}
	return w
}
