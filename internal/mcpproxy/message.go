package mcpproxy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/jsonrpc"
	"github.com/hookrun/hookrun/internal/strictjson"
)

// part is a value in a text, with its offset.
type part struct {
	raw string
	at  int
}

func (p part) there() bool { return p.raw != "" }

// replace returns the text with another value in place of the part.
func (p part) replace(text, value string) string {
	return text[:p.at] + value + text[p.at+len(p.raw):]
}

// message is a parsed message. Its parts point into the text.
type message struct {
	text   string
	key    string // the id in one spelling for all its spellings; "" if there is none
	id     string // the id as written
	method string // "" if there is none
	params part
	result part
	failed part // the error
}

// request reports whether the message needs an answer, reply whether it is one.
func (m *message) request() bool { return m.method != "" && m.key != "" }
func (m *message) reply() bool   { return m.result.there() || m.failed.there() }

// maxDepth is the nesting that encoding/json accepts.
const maxDepth = 10_000

// check checks that a line is JSON, and returns it as one line for every reader. Some readers end a line at a carriage
// return, so a message could hide in another. JSON has carriage returns outside strings only, where a space does as
// well.
func check(line string) (same string, equalKeys string, err *jsonrpc.Error) {
	for _, f := range strictjson.Check(line, maxDepth) {
		if f.Kind != strictjson.Duplicate {
			return "", "", jsonrpc.Errorf(jsonrpc.ParseError, "column %d: %s", f.Offset+1, f.Text)
		}
		equalKeys = f.Text
	}
	return strings.ReplaceAll(line, "\r", " "), equalKeys, nil
}

// parse reads a message from JSON without syntax errors. With an error it still returns the message's id, if that could
// be read.
//
// It is stricter than the servers behind it, which read a line in many ways: of two equal keys some take the first and
// some the last, some ignore case, and some turn other values into strings. A message that any of them could read as a
// call, but this package does not, is an error.
func parse(text string) (m message, err *jsonrpc.Error) {
	m.text = text
	if !strings.HasPrefix(strings.TrimLeft(text, " \t"), "{") {
		return m, jsonrpc.Errorf(jsonrpc.InvalidRequest, "a message is a JSON object")
	}
	parts, err := members(text, "jsonrpc", "id", "method", "params", "result", "error")
	m.params, m.result, m.failed = parts["params"], parts["result"], parts["error"]
	if id := parts["id"]; id.there() && id.raw != "null" {
		if m.key = keyOf(id.raw); m.key == "" {
			return m, jsonrpc.Errorf(jsonrpc.InvalidRequest,
				"the id must be a string or a number, of at most %d bytes", maxID)
		}
		m.id = id.raw
	}
	if err != nil {
		return m, err
	}
	if method := parts["method"]; method.there() {
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

// alike reports whether some readers take name for the name that it should be: readers that ignore case, readers whose
// strings end at a NUL, as in C, and readers that trim blanks and what cannot be seen.
func alike(should, name string) bool {
	name, _, _ = strings.Cut(name, "\x00")
	return strings.EqualFold(should, strings.TrimFunc(name, unseen))
}

func unseen(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}

// twins finds two keys of one object, anywhere in a value, that are alike. The value must be JSON without equal keys.
func twins(value string) (one, other string) {
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
			name = strings.ToLower(strings.ToUpper(name)) // so that ſ, S and s are the same
			if first, there := open[len(open)-1][name]; there {
				return first, key
			}
			open[len(open)-1][name] = key
		}
	}
	return "", ""
}

// members returns the known members of an object; any other value has none. A member that occurs twice, or in another
// case, is an error.
func members(object string, known ...string) (found map[string]part, err *jsonrpc.Error) {
	found = map[string]part{}
	whole := gjson.Parse(object)
	if !whole.IsObject() {
		return found, nil
	}
	whole.ForEach(func(key, value gjson.Result) bool {
		name := strictjson.Text(key.Raw)
		i := slices.IndexFunc(known, func(k string) bool { return alike(k, name) })
		switch {
		case i < 0:
			return true
		case known[i] != name:
			err = jsonrpc.Errorf(jsonrpc.InvalidRequest,
				"the key %q is not %q, but some would read it so; leave it out", name, known[i])
		case found[name].there():
			err = jsonrpc.Errorf(jsonrpc.InvalidRequest, "the message has %q twice", name)
		}
		found[known[i]] = part{value.Raw, value.Index}
		return true
	})
	return found, err
}

// maxID limits what is stored for a request.
const maxID = 1 << 10

// keyOf returns the same key for all spellings of an id. A server may write 1.0 as 1, and its answer must still find
// its call. It returns "" for a value that cannot be an id.
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

// idText returns an id in the form that hooks get.
func idText(id string) string {
	if id[0] == '"' {
		return strictjson.Text(id)
	}
	return id
}

// call reads the params of a tools/call.
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
	case arguments.there() && arguments.raw != "null" && arguments.raw[0] != '{':
		err = jsonrpc.Errorf(jsonrpc.InvalidParams, "params.arguments must be an object")
	case strings.Contains(tool, "\x00"):
		err = jsonrpc.Errorf(jsonrpc.InvalidParams, "params.name has a NUL, which some take for its end")
	}
	return tool, arguments, err
}

// task reports whether a tools/call wants its result later.
func (m *message) task() bool { return gjson.Get(m.params.raw, "task").IsObject() }

// isTask reports whether a result only announces that the real one will come later.
func isTask(result string) bool {
	is := gjson.Get(result, "task").IsObject()
	gjson.Parse(result).ForEach(func(key, _ gjson.Result) bool {
		is = is && (key.Str == "task" || key.Str == "_meta")
		return is
	})
	return is
}

// withArguments returns a tools/call with other arguments. Everything else stays as written.
func (m *message) withArguments(now string) string {
	_, arguments, _ := m.call()
	if arguments.there() {
		return arguments.replace(m.text, now)
	}
	behind := m.params.at + len("{") // a name always follows
	return m.text[:behind] + `"arguments":` + now + "," + m.text[behind:]
}

// failure is an error response to a request.
func failure(id string, code jsonrpc.Code, text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, quote(text))
}

// refusal is the response to a tools/call that did not reach the server. It is a result, because models see results.
func refusal(id, reason string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[%s],"isError":true}}`, id, textItem(reason))
}

// quote returns a text as a JSON string.
func quote(text string) string { return string(strictjson.AppendString(nil, text)) }
