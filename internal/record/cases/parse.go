package cases

import (
	"bytes"
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/internal/lib/strictjson/document"
	"github.com/hookrun/hookrun/protocol"
)

// Parse reads the text of a test file. path is for messages. The error is of type document.Diagnostics: all problems.
func Parse(path string, doc []byte, workspace string) (*File, error) {
	text := string(bytes.TrimPrefix(doc, []byte("\ufeff")))
	p := parser{&document.Reader{File: path, Text: text, Cites: true}, workspace}
	f := &File{Path: path}
	if top, ok := p.Parse(maxFileDepth, nil); ok {
		f.Tests = p.tests(top)
	}
	if len(p.Problems) > 0 {
		p.Problems.Sort()
		return nil, p.Problems
	}
	return f, nil
}

type parser struct {
	*document.Reader
	workspace string
}

// text returns a string with the workspace's path inserted.
func (p *parser) text(v document.Value) string {
	return strings.ReplaceAll(strictjson.Text(v.Raw), WorkspaceMark, p.workspace)
}

// json returns a value in compact form with the workspace's path inserted.
func (p *parser) json(v document.Value) string {
	path := strictjson.AppendString(nil, p.workspace)
	return strings.ReplaceAll(string(strictjson.Compact(nil, v.Raw)), WorkspaceMark, string(path[1:len(path)-1]))
}

func (p *parser) tests(top document.Value) (tests []Test) {
	if top.Name = "a file of tests"; !top.IsObject() {
		top.WrongType(`an object, as {"tests": […]}`)
		return nil
	}
	all, ok := top.Fields("tests")["tests"]
	if !ok {
		p.Problem(0, "there is no \"tests\", so nothing would be tested")
		return nil
	}
	lines := map[string]int{}
	for entry := range all.Elements("an array", "a test") {
		if !entry.Is("object") {
			continue
		}
		t := p.test(entry)
		if line, ok := lines[t.Name]; ok && t.Name != "" {
			entry.Problem("the test of line %d has the same name %s; nobody could tell which one failed", line,
				spelling.Quote(t.Name))
		}
		lines[t.Name] = t.Line
		tests = append(tests, t)
	}
	if len(tests) == 0 && len(p.Problems) == 0 {
		all.Problem("\"tests\" is empty, so nothing would be tested")
	}
	return tests
}

// callKeys are the keys of a call, if the test has no "input".
var callKeys = []string{"event", "tool", "args", "result", "failed", "blocked", "prompt", "session_id", "tool_use_id",
	"agent_id"}

func (p *parser) test(entry document.Value) (t Test) {
	fields := entry.Fields(append([]string{"name", "input", "env", "expect"}, callKeys...)...)
	t.File, t.Line = p.File, p.At(entry.Index).Line
	if name, ok := fields["name"]; !ok {
		entry.Problem("the test has no \"name\"")
	} else if name.Is("string") {
		if t.Name = strictjson.Text(name.Raw); strings.TrimSpace(t.Name) == "" {
			name.Problem("the name of the test is blank")
		}
	}
	if input, ok := fields["input"]; ok {
		t.Call = p.input(input, fields)
	} else {
		t.Call = p.call(entry, fields)
	}
	t.Call.Workspace = p.workspace
	if env, ok := fields["env"]; ok && env.Is("object") {
		t.Env = p.env(env)
	}
	if expect, ok := fields["expect"]; !ok {
		entry.Problem("the test has no \"expect\", so it could not fail")
	} else if expect.Is("object") {
		t.Expect = p.expectation(expect)
	}
	return t
}

// input reads a client's own hook input, as hookrun fire does.
func (p *parser) input(v document.Value, fields map[string]document.Value) (c dialect.Call) {
	for _, key := range callKeys {
		if twice, ok := fields[key]; ok {
			twice.Problem("%q is in \"input\" too; leave one of them out", key)
		}
	}
	if !v.Is("object") {
		return c
	}
	c, _, err := clients.All().ParseInput(p.json(v)) // warnings are only about equal keys, and Parse refuses those
	if err != nil {
		v.Problem("%v", err)
	}
	return c
}

func (p *parser) call(entry document.Value, fields map[string]document.Value) (c dialect.Call) {
	event, ok := fields["event"]
	if !ok {
		entry.Problem("the test has neither \"event\" nor \"input\"")
	} else if ok = event.Is("string"); ok {
		name := strictjson.Text(event.Raw)
		if c.Event, ok = clients.All().ParseEvent(name); !ok {
			event.Problem("unknown event %s%s", spelling.Quote(name), meantEvent(name))
		}
	}
	for key, into := range map[string]*string{
		"tool": &c.Tool, "prompt": &c.Prompt, "session_id": &c.SessionID,
		"tool_use_id": &c.ToolUseID, "agent_id": &c.AgentID,
	} {
		if v, ok := fields[key]; ok && v.Is("string") {
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
	failed, blocked := fields["failed"], fields["blocked"]
	c.Failed = c.Event == "PostToolUseFailure" || failed.Exists() && failed.Is("boolean") && failed.Bool()
	c.Blocked = blocked.Exists() && blocked.Is("boolean") && blocked.Bool()
	if !ok {
		return c // the keys of an unknown event cannot be checked
	}
	tool, given := fields["tool"]
	if c.IsAboutTool() && c.Tool == "" && (!given || tool.Type == gjson.String) {
		entry.Problem("the test has no \"tool\", and %s is about one", c.Event)
	}
	for _, key := range []string{"tool", "args", "result", "failed", "blocked"} {
		v, ok := fields[key]
		switch {
		case ok && !c.IsAboutTool():
			v.Problem("%s is about no tool, so it has no %q", c.Event, key)
		case ok && key != "tool" && key != "args" && c.Common() != protocol.PostTool:
			v.Problem("%q is known after the tool alone, not at %s", key, c.Event)
		}
	}
	return c
}

func meantEvent(wrong string) string {
	return cmp.Or(spelling.Suggest(wrong, clients.All().EventNames()),
		"; known are pre-execute, pre-tool, post-tool, and Claude Code's names, such as Stop")
}

func (p *parser) env(object document.Value) (env []string) {
	for key, value := range object.Members("") {
		key.IsVariable()
		value.Name = "the variable " + spelling.Quote(key.Key)
		value.ForProcess()
		env = append(env, key.Key+"="+p.text(value))
	}
	return env
}

func (p *parser) expectation(object document.Value) Expectation {
	fields := object.Fields(expectKeys...)
	if len(fields) == 0 {
		object.Problem("\"expect\" is empty, so the test could not fail; known are %s", strings.Join(expectKeys, ", "))
	}
	e := Expectation{}
	for key, v := range fields {
		switch key {
		case "decision":
			v.Is("continue|block|ask|defer")
			e[key] = equal(strictjson.Text(v.Raw))
		case "approved", "stop":
			v.Is("boolean")
			e[key] = equal(v.Raw)
		case "inject", "message":
			e[key] = p.expectedTexts(v)
		case "updated_input", "updated_output":
			if e[key] = wantEmpty; v.Type != gjson.Null {
				e[key] = equalJSON(p.json(v))
			}
		default:
			e[key] = p.expectedText(v)
		}
	}
	return e
}

// expectedText returns nil if the expectation has a problem.
func (p *parser) expectedText(v document.Value) *want {
	switch {
	case v.Type == gjson.Null:
		return wantEmpty
	case v.Type == gjson.String:
		w := equal(p.text(v))
		w.text = strconv.Quote(w.text)
		return w
	case !v.IsObject():
		v.WrongType(`a string, {"matches": "a pattern"}, or null for none`)
		return nil
	}
	pattern, ok := v.Fields("matches")["matches"]
	switch {
	case !ok:
		v.Problem("%s has no \"matches\"", v.Called())
		return nil
	case !pattern.Is("string"):
		return nil
	case pattern.Raw == `""`:
		pattern.Problem("the pattern is empty, which every text matches; write null for none")
		return nil
	}
	expression := strings.ReplaceAll(strictjson.Text(pattern.Raw), WorkspaceMark, regexp.QuoteMeta(p.workspace))
	compiled, err := regexp.Compile(expression)
	if err != nil {
		pattern.Problem("the pattern %s is no RE2: %s", spelling.Quote(expression), spelling.Expression(err))
		return nil
	}
	return &want{text: "a text that matches " + strconv.Quote(expression), matches: compiled.MatchString}
}

func (p *parser) expectedTexts(v document.Value) *want {
	if !v.IsArray() {
		return p.expectedText(v)
	}
	w := &want{list: true}
	for one := range v.Elements("", "a text of "+v.Called()) {
		if one.Type == gjson.Null {
			one.Problem("%s cannot be none; leave it out of the list", one.Called())
		} else {
			w.each = append(w.each, p.expectedText(one))
		}
	}
	return w
}
