package cline

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
	"mvdan.cc/sh/v3/syntax"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// record returns the key of the tool call in an input.
func record(e protocol.Event) string {
	switch e {
	case before:
		return "tool_call"
	case after:
		return "tool_result"
	}
	return ""
}

// readInput reads a call from the client's own input.
func readInput(c *dialect.Call, _ gjson.Result) {
	doc := gjson.Parse(c.ClientInput)
	c.SessionID = cmp.Or(doc.Get("sessionContext.rootSessionId").String(), doc.Get("taskId").String())
	c.Dir = doc.Get("workspaceInfo.rootPath").String()
	if doc.Get("parent_agent_id").Type == gjson.Null {
		c.AgentID = "" // only subagents have one
	}
	c.Prompt = doc.Get("userPromptSubmit.prompt").String()
	at := doc.Get(record(c.Event))
	c.Tool, c.ToolUseID = at.Get("name").String(), at.Get("id").String()
	c.Args = argsOf(c.Tool, at.Get("input"))
	if c.Event == after {
		c.Result, c.Failed = resultOf(at), at.Get("error").Type != gjson.Null
	}
}

// resultOf returns a tool's result as the model sees it.
func resultOf(record gjson.Result) string {
	return strictjson.ValueText([]byte(record.Get("output").Raw))
}

// Encode passes on the client's own input. Without one, or after a hook changed the call, it builds the input from the
// fields of the call.
func (hooks) Encode(c *dialect.Call) (dialect.Payload, []string, error) {
	event := eventNamed(c)
	input, warnings, err := c.Input()
	if err != nil && readsAnswer(event) {
		return nil, nil, err
	}
	own := inputEvent(c.ClientInput) == event
	at := gjson.Get(c.ClientInput, record(event))
	if own && (!readsAnswer(event) || c.Args == argsOf(c.Tool, at.Get("input")) &&
		(event == before || c.Result == resultOf(at))) {
		return dialect.Payload{[]byte(c.ClientInput), []byte("\n")}, nil, nil
	}
	var o dialect.Object
	if own { // a hook has changed the call
		for key, value := range gjson.Parse(c.ClientInput).ForEach {
			switch name := key.String(); name {
			case "tool_call", "tool_result", "preToolUse", "postToolUse":
			default:
				o.Raw(name, []byte(value.Raw))
			}
		}
	} else {
		base(&o, c, event)
	}
	if readsAnswer(event) {
		called, given := toolCall(c, input)
		if event == after {
			called.Set("output", client.ToolResponse(c.Result))
			given.Set("result", strictjson.Quote(c.Result))
		}
		if c.Failed {
			called.Set("error", strictjson.Quote(c.Result))
		}
		o.Raw(record(event), dialect.ObjectOf(called))
		o.Raw(map[protocol.Event]string{before: "preToolUse", after: "postToolUse"}[event], dialect.ObjectOf(given))
	} else if event == "UserPromptSubmit" {
		o.Raw("userPromptSubmit", dialect.JSONObject("prompt", strictjson.Quote(c.Prompt)))
	}
	return o.End(c), warnings, nil
}

// base writes the fields of every event.
func base(o *dialect.Object, c *dialect.Call, event protocol.Event) {
	dir := strictjson.Quote(c.Workspace)
	o.Text("clineVersion", "")
	o.Now("timestamp")
	o.Text("taskId", c.SessionID)
	o.Raw("sessionContext", dialect.JSONObject("rootSessionId", strictjson.Quote(c.SessionID)))
	o.Raw("workspaceRoots", []byte("["+string(dir)+"]"))
	o.Raw("workspaceInfo", dialect.JSONObject("rootPath", dir,
		"hint", strictjson.Quote(filepath.Base(c.Workspace))))
	o.Text("userId", "unknown")
	o.Text("agent_id", c.AgentID)
	o.Raw("parent_agent_id", []byte("null"))
	if at := slices.Index(events.Names(), event); at >= 0 {
		o.Text("hookName", hookNames[at])
	}
}

// toolCall returns a tool call in the two forms of an input: with JSON arguments, and with each argument as a text.
func toolCall(c *dialect.Call, input []byte) (called, given strictjson.Fields) {
	object := gjson.ParseBytes(input)
	if lines := commandsOf(object); c.Tool == runCommands && len(lines) > 0 {
		list, _ := strictjson.Marshal(lines) // texts always encode
		object = gjson.ParseBytes(dialect.JSONObject("commands", list))
	}
	var parameters strictjson.Fields
	for key, value := range object.ForEach {
		parameters.Set(key.String(), strictjson.Quote(strictjson.ValueText([]byte(value.Raw))))
	}
	tool := strictjson.Quote(c.Tool)
	return dialect.FieldsOf("id", strictjson.Quote(c.ToolUseID), "name", tool, "input", []byte(object.Raw)),
		dialect.FieldsOf("toolName", tool, "parameters", dialect.ObjectOf(parameters))
}

const runCommands = "run_commands"

// argsOf returns the arguments of a call for the project's hooks. The client's shell tool takes a list of commands:
// "command" has all of them as lines, and "commands" is the list, if there are several. Rules check both, because the
// client runs each command separately, but joins the lines of a here-document.
func argsOf(tool string, input gjson.Result) string {
	if tool != runCommands {
		return input.Raw
	}
	lines := commandsOf(input)
	if len(lines) == 0 { // the client runs nothing either
		return input.Raw
	}
	fields := dialect.FieldsOf("command", strictjson.Quote(strings.Join(lines, "\n")))
	if len(lines) > 1 {
		list, _ := strictjson.Marshal(lines) // texts always encode
		fields.Set("commands", list)
	}
	return string(dialect.ObjectOf(fields))
}

// commandsOf returns the commands of a shell call. The client takes several forms: it tries the keys in this order, and
// skips a key with a value of another form.
func commandsOf(input gjson.Result) (lines []string) {
	fields := dialect.LastOf(input)
	for _, list := range []gjson.Result{fields["commands"], input, fields["cmd"]} {
		if lines, ok := linesOf(list); ok && list.Exists() {
			return lines
		}
	}
	return nil
}

func linesOf(list gjson.Result) (lines []string, ok bool) {
	if !list.IsArray() {
		list = gjson.Parse("[" + list.Raw + "]")
	}
	for _, entry := range list.Array() {
		line, ok := lineOf(entry)
		if !ok {
			return nil, false
		}
		lines = append(lines, line)
	}
	return lines, true
}

// lineOf returns a command as a line for a shell. With arguments, it is a program that the client starts directly.
func lineOf(entry gjson.Result) (line string, ok bool) {
	fields := dialect.LastOf(entry)
	if entry.Type != gjson.String {
		entry = fields["command"]
	}
	line = dialect.StringOf(entry)
	if args := client.Texts(fields["args"]); len(args) > 0 && len(args) == len(fields["args"].Array()) {
		words := append([]string{line}, args...)
		for i, word := range words {
			var err error
			if words[i], err = syntax.Quote(word, syntax.LangBash); err != nil {
				return "", false
			}
		}
		line = strings.Join(words, " ")
	}
	return line, entry.Type == gjson.String
}
