package mcpproxy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/lib/jsonrpc"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// part is a value in a text, with the value's offset.
type part struct {
	raw string
	at  int
}

func (p part) exists() bool { return p.raw != "" }

// replace returns the text with another value in place of the part.
func (p part) replace(text, value string) string {
	return text[:p.at] + value + text[p.at+len(p.raw):]
}

// message is a parsed message. Its parts have offsets into text.
type message struct {
	text   string
	key    string // the same for all spellings of the id; "" without an id
	id     string // the id as written
	method string // "" without a method
	params part
	result part
	failed part // the member "error"
}

// request reports whether the message needs an answer, and reply whether it is an answer.
func (m *message) request() bool { return m.method != "" && m.key != "" }
func (m *message) reply() bool   { return m.result.exists() || m.failed.exists() }

// maxDepth is the deepest nesting accepted by encoding/json.
const maxDepth = 10_000

// check returns the line as JSON that every reader sees as one line, or an error if the line is no JSON. Some readers
// end a line at a carriage return, so a message could hide in another. In JSON a carriage return stands only outside
// strings, and means the same as a space.
func check(line string) (same string, equalKeys string, err *jsonrpc.Error) {
	for _, f := range strictjson.Check(line, maxDepth) {
		if f.Kind != strictjson.Duplicate {
			return "", "", jsonrpc.Errorf(jsonrpc.ParseError, "column %d: %s", f.Offset+1, f.Text)
		}
		equalKeys = f.Text
	}
	return strings.ReplaceAll(line, "\r", " "), equalKeys, nil
}

// parse reads a message from JSON without syntax errors. After an error it still returns the message's id, if readable.
//
// It is stricter than the servers, because they read a line in many ways: of two equal keys some take the first and
// some the last, some ignore case, and some turn other values into strings. If any server could read a message as a
// call, but this package does not, parse returns an error.
func parse(text string) (m message, err *jsonrpc.Error) {
	m.text = text
	if !strings.HasPrefix(strings.TrimLeft(text, " \t"), "{") {
		return m, jsonrpc.Errorf(jsonrpc.InvalidRequest, "a message is a JSON object")
	}
	parts, err := members(text, "jsonrpc", "id", "method", "params", "result", "error")
	m.params, m.result, m.failed = parts["params"], parts["result"], parts["error"]
	if id := parts["id"]; id.exists() && id.raw != "null" {
		if m.key = keyOf(id.raw); m.key == "" {
			return m, jsonrpc.Errorf(jsonrpc.InvalidRequest,
				"the id must be a string or a number, of at most %d bytes", maxID)
		}
		m.id = id.raw
	}
	if err != nil {
		return m, err
	}
	if method := parts["method"]; method.exists() {
		if method.raw[0] != '"' {
			return m, jsonrpc.Errorf(jsonrpc.InvalidRequest, "the method must be a string")
		}
		m.method = strictjson.Text(method.raw)
		if m.method != callMethod && alike(callMethod, m.method) {
			return m, jsonrpc.Errorf(jsonrpc.InvalidRequest, "the method %q is not %q, but some would read it so",
				m.method, callMethod)
		}
	}
	return m, nil
}

const callMethod = "tools/call"

// alike reports whether some readers take name for should: readers that ignore case, readers whose strings end at a
// NUL, as in C, and readers that trim blanks and invisible characters.
func alike(should, name string) bool {
	name, _, _ = strings.Cut(name, "\x00")
	return strings.EqualFold(should, strings.TrimFunc(name, unseen))
}

func unseen(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}

// similarKeys finds two keys of one object, anywhere in a value, that are alike. The value must be JSON without
// duplicates.
func similarKeys(value string) (one, other string) {
	var open []map[string]string // the folded keys of each open object; nil: a list
	isKey := false
	for i := 0; i < len(value); i++ {
		switch value[i] {
		case '{':
			open, isKey = append(open, map[string]string{}), true
		case '[':
			open, isKey = append(open, nil), false
		case '}', ']':
			open = open[:len(open)-1]
		case ',':
			isKey = open[len(open)-1] != nil
		case '"':
			start := i
			for i++; value[i] != '"'; i++ {
				if value[i] == '\\' {
					i++
				}
			}
			if !isKey {
				continue
			}
			isKey = false
			key := strictjson.Text(value[start : i+1])
			name, _, _ := strings.Cut(key, "\x00")
			name = strings.ToLower(strings.ToUpper(name)) // makes ſ, S and s equal
			if first, there := open[len(open)-1][name]; there {
				return first, key
			}
			open[len(open)-1][name] = key
		}
	}
	return "", ""
}

// members returns the known members of an object, or no members of another value. A known member that occurs twice, or
// in another case, is an error.
func members(object string, known ...string) (found map[string]part, err *jsonrpc.Error) {
	found = map[string]part{}
	whole := gjson.Parse(object)
	if !whole.IsObject() {
		return found, nil
	}
	for key, value := range whole.ForEach {
		name := strictjson.Text(key.Raw)
		i := slices.IndexFunc(known, func(k string) bool { return alike(k, name) })
		switch {
		case i < 0:
			continue
		case known[i] != name:
			err = jsonrpc.Errorf(jsonrpc.InvalidRequest,
				"the key %q is not %q, but some would read it so; leave it out", name, known[i])
		case found[name].exists():
			err = jsonrpc.Errorf(jsonrpc.InvalidRequest, "the message has %q twice", name)
		}
		found[known[i]] = part{value.Raw, value.Index}
	}
	return found, err
}

// maxID limits the bytes stored for a request's id.
const maxID = 1 << 10

// keyOf returns the same key for all spellings of an id, because a server may answer the id 1.0 as 1. It returns "" for
// other values.
func keyOf(id string) string {
	if len(id) > maxID {
		return ""
	}
	switch v := gjson.Parse(id); v.Type {
	case gjson.String:
		return strictjson.Text(v.Raw) + `"` // no number ends in a quote
	case gjson.Number:
		return strconv.FormatFloat(v.Num, 'g', -1, 64)
	}
	return ""
}

// idText returns an id as hooks see it.
func idText(id string) string {
	if id[0] == '"' {
		return strictjson.Text(id)
	}
	return id
}

// call parses the params of a tools/call.
func (m *message) call() (tool string, arguments part, err *jsonrpc.Error) {
	if !strings.HasPrefix(m.params.raw, "{") {
		return "", part{}, jsonrpc.Errorf(jsonrpc.InvalidParams, "tools/call needs params with the name of a tool")
	}
	parts, err := members(m.params.raw, "name", "arguments")
	name, arguments := parts["name"], parts["arguments"]
	arguments.at += m.params.at
	isName := len(name.raw) > len(`""`) && name.raw[0] == '"'
	if isName {
		tool = strictjson.Text(name.raw)
	}
	switch {
	case err != nil:
	case !isName:
		err = jsonrpc.Errorf(jsonrpc.InvalidParams, "params.name must be the name of a tool")
	case arguments.exists() && arguments.raw != "null" && arguments.raw[0] != '{':
		err = jsonrpc.Errorf(jsonrpc.InvalidParams, "params.arguments must be an object")
	case strings.Contains(tool, "\x00"):
		err = jsonrpc.Errorf(jsonrpc.InvalidParams, "params.name has a NUL, which some take for its end")
	}
	return tool, arguments, err
}

// task reports whether a tools/call accepts its result later, as a task.
func (m *message) task() bool { return gjson.Get(m.params.raw, "task").IsObject() }

// isTask reports whether a result only announces a later one.
func isTask(result string) bool {
	for key := range gjson.Parse(result).ForEach {
		if key.Str != "task" && key.Str != "_meta" {
			return false
		}
	}
	return gjson.Get(result, "task").IsObject()
}

// withArguments returns a tools/call with other arguments, otherwise unchanged.
func (m *message) withArguments(now string) string {
	_, arguments, _ := m.call()
	if arguments.exists() {
		return arguments.replace(m.text, now)
	}
	behind := m.params.at + len("{") // the name always follows
	return m.text[:behind] + `"arguments":` + now + "," + m.text[behind:]
}

// failure returns an error response to a request.
func failure(id string, code jsonrpc.Code, text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, quote(text))
}

// refusal returns the response to a tools/call that did not reach the server: a result, because models see results.
func refusal(id, reason string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[%s],"isError":true}}`, id, textItem(reason))
}

// quote returns a text as a JSON string.
func quote(text string) string { return string(strictjson.AppendString(nil, text)) }
