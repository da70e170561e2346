package set

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// ParseInput reads a client's own hook input: one JSON object with hook_event_name, as Claude Code, Codex and Gemini
// CLI write it. A field that identifies the call, such as tool_name, must not occur twice with different values,
// because then the input has two calls. Of other equal keys the last counts, with a warning. ParseInput finds
// Call.Client by the input, and leaves Call.Workspace to the caller. After an error the call has the fields that could
// be read.
func (s *Set) ParseInput(doc string) (c dialect.Call, warnings []string, err error) {
	return s.parseInput(doc, s.setClient)
}

// ParseEntryInput is ParseInput for the entry of one client, or for a command line that names the client. The input
// must be this client's, even if another client's inputs have the same fields.
func (s *Set) ParseEntryInput(doc string, entry *client.Client, getenv func(string) string) (c dialect.Call,
	warnings []string, err error) {
	return s.parseInput(doc, func(c *dialect.Call, name gjson.Result) error {
		return s.setClientOfEntry(c, name, entry, getenv)
	})
}

// parseInput reads a hook input. setSource sets the event and the client of the call by the hook_event_name.
func (s *Set) parseInput(doc string, setSource func(*dialect.Call, gjson.Result) error) (c dialect.Call,
	warnings []string, err error) {
	doc = strictjson.Lossy(strings.TrimPrefix(doc, "\ufeff"))
	written := doc
	doc, warnings, err = strictjson.LastOfEqual(doc, "the hook input")
	if err != nil {
		return dialect.Call{}, nil, err
	}
	if len(warnings) > 0 {
		if key := s.contradiction(written); key != "" {
			return dialect.Call{}, nil, fmt.Errorf("the hook input has %q twice with different values; write it once",
				key)
		}
	}
	// clients mostly write compact JSON
	if compact := strictjson.Compact(make([]byte, 0, len(doc)), doc); string(compact) != doc {
		doc = string(compact)
	}
	if !strings.HasPrefix(doc, "{") {
		return dialect.Call{}, nil, Stranger{errors.New("the hook input must be a JSON object"), doc}
	}
	c.ClientInput = doc
	fields := map[string]gjson.Result{} // in one go: an input can be megabytes
	for key, value := range gjson.Parse(doc).ForEach {
		fields[strictjson.Text(key.Raw)] = value
	}
	var wrong error
	for _, field := range []struct {
		key  string
		into *string
	}{
		{"session_id", &c.SessionID}, {"prompt", &c.Prompt}, {"tool_name", &c.Tool}, {"tool_use_id", &c.ToolUseID},
		{"transcript_path", &c.TranscriptPath}, {"agent_id", &c.AgentID}, {"cwd", &c.Dir},
	} {
		value := fields[field.key]
		text, blocks := textBlocks(value)
		switch {
		case value.Type == gjson.String:
			*field.into = strictjson.Text(value.Raw)
		case value.Type == gjson.Null: // or missing
		case blocks && field.key == "prompt":
			*field.into = text
		case wrong == nil:
			wrong = dialect.WrongType("the hook input's "+field.key, "a string", value)
		}
	}
	err = setSource(&c, fields["hook_event_name"])
	if isGrok(func(key string) bool { return fields[key].Exists() }) {
		err = errors.New("the hook input is Grok Build's, whose tools hookrun does not know")
	}
	if err != nil {
		return dialect.Call{}, nil, Stranger{err, doc}
	}
	if err := c.Resolve(s); err != nil { // for what Read asks the call
		return c, nil, err
	}
	c.Args = fields["tool_input"].Raw
	c.EqualKeys = len(warnings) > 0 && s.equalInArgs(written)
	result := fields[dialect.ResponseFields()[0]]
	for _, key := range slices.Backward(dialect.ResponseFields()) {
		if fields[key].Type != gjson.Null {
			result = fields[key]
		}
	}
	c.Result = strictjson.ValueText([]byte(result.Raw))
	if read := s.ClientWith(c.Client).Read; read != nil {
		read(&c, result)
	}
	if wrong == nil && c.IsAboutTool() && c.Tool == "" {
		wrong = fmt.Errorf("the hook input has no tool_name, and %s is about a tool", c.Event)
		if c.Common() == protocol.PreTool {
			wrong = Stranger{wrong, doc}
		}
	}
	return c, warnings, wrong
}

// textBlocks joins the texts of a list of blocks, [{"type": "text", "text": …}, …], as some client has a prompt. Blocks
// of other types, such as images, have no text.
func textBlocks(list gjson.Result) (text string, are bool) {
	var texts []string
	are = list.IsArray()
	list.ForEach(func(_, block gjson.Result) bool {
		fields := dialect.LastOf(block)
		kind := dialect.StringOf(fields["type"])
		if are = are && kind != ""; kind == "text" {
			texts = append(texts, dialect.StringOf(fields["text"]))
		}
		return are
	})
	return strings.Join(texts, " "), are
}

// contradiction returns a field that a hook input has twice with different values, or "". It looks at the fields that
// hookrun or a matcher reads. Some clients have such fields in an object, as {"toolCall": {"name": …}}. Two inputs or
// results of the tool are not reported: the last counts, and rules that look at the arguments run.
func (s *Set) contradiction(doc string) string {
	values := map[string]gjson.Result{}
	for key, value := range strictjson.Members(doc) {
		name, now := strictjson.Text(key), gjson.Parse(value)
		isOuter := now.IsObject() && name != "tool_input" && !slices.Contains(dialect.ResponseFields(), name)
		before, there := values[name]
		switch {
		case there && !strictjson.Equal(before, now) && (isOuter || s.isCallField(name)):
			return name
		case isOuter:
			if twice := twiceIn(value, name); twice != "" {
				return twice
			}
		}
		if !there {
			values[name] = now
		}
	}
	return ""
}

// twiceIn returns a text field with two different values in an object of a hook input, or "".
func twiceIn(object, path string) string {
	texts := map[string]string{}
	for key, value := range strictjson.Members(object) {
		if name := strictjson.Text(key); strings.HasPrefix(value, `"`) {
			if before, there := texts[name]; there && before != strictjson.Text(value) {
				return path + "." + name
			}
			texts[name] = strictjson.Text(value)
		}
	}
	return ""
}

// isCallField reports whether a field of a hook input identifies the call: hookrun reads the field, or the matchers of
// some event do.
func (s *Set) isCallField(name string) bool {
	known := []string{"hook_event_name", "session_id", "prompt", "tool_name", "tool_use_id", "transcript_path", "cwd",
		"agent_id", "agent_type", "orchestrator_id", "permission_mode", "stop_hook_active", "error", "output"}
	if slices.Contains(known, name) {
		return true
	}
	return slices.ContainsFunc(s.Clients(), func(d *client.Client) bool {
		return slices.ContainsFunc(d.Events, func(e dialect.Event) bool { return e.Subject == name })
	})
}

// equalInArgs reports whether the arguments in a hook input have equal keys, or occur twice. Without a tool_input the
// arguments may be any member that is neither a result nor a field of the call. The document must be JSON.
func (s *Set) equalInArgs(doc string) (equal bool) {
	named := gjson.Get(doc, "tool_input").Exists()
	seen := map[string]bool{}
	for key, value := range strictjson.Members(doc) {
		name := strictjson.Text(key)
		if name == "tool_input" || !named && !s.isCallField(name) && !slices.Contains(dialect.ResponseFields(), name) {
			equal = equal || seen[name] || len(strictjson.Check(value, strictjson.MaxDepth)) > 0
			seen[name] = true
		}
	}
	return equal
}
