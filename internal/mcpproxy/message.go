package mcpproxy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/jsonrpc"
	"github.com/hookrun/hookrun/internal/strictjson"
)

// part is a value in a text, and where it begins.
type part struct {
	raw string
	at  int
}

func (p part) there() bool { return p.raw != "" }

// replace returns the text with another value in the place of the part.
func (p part) replace(text, value string) string {
	return text[:p.at] + value + text[p.at+len(p.raw):]
}

// message is what is read of one message; its parts are places in the text.
type message struct {
	text   string
	key    string // the id as all its spellings have it; "" if there is none
	id     string // as it is written
	method string // "" if there is none
	params part
	result part
	failed part // the error
}

// request reports whether an answer is due, reply whether this is one.
func (m *message) request() bool { return m.method != "" && m.key != "" }
func (m *message) reply() bool   { return m.result.there() || m.failed.there() }

// maxDepth is as deep as encoding/json reads.
const maxDepth = 10_000

// check finds out whether a line is JSON, and returns it so that it is one line for every reader: to some a carriage
// return ends a line, and a message could hide in another one. Outside of strings, where alone JSON has one, it is a
// blank like any other.
func check(line string) (same string, equalKeys string, err *jsonrpc.Error) {
	for _, f := range strictjson.Check(line, maxDepth) {
		if f.Kind != strictjson.Duplicate {
			return "", "", jsonrpc.Errorf(jsonrpc.ParseError, "column %d: %s", f.Offset+1, f.Text)
		}
		equalKeys = f.Text
	}
	return strings.ReplaceAll(line, "\r", " "), equalKeys, nil
}

// parse reads a message out of JSON without faults of syntax. Beside an error the message has its id, if that could be
// read.
//
// It is stricter than the servers behind it, which read a line in many ways: of two equal keys some take the first and
// some the last, to some case does not count, and some make a string of what is none. What could be a call in another
// reading than ours is an error.
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
		if m.method != callMethod && alike(callMethod, strings.TrimSpace(m.method)) {
			return m, jsonrpc.Errorf(jsonrpc.InvalidRequest, "the method %q is not %q, but some would read it so",
				m.method, callMethod)
		}
	}
	return m, nil
}

const callMethod = "tools/call"

// alike reports whether some readers take a name for the one that it should be: those to whom case does not count, and
// those whose texts end at a NUL, as in C.
func alike(should, name string) bool {
	name, _, _ = strings.Cut(name, "\x00")
	return strings.EqualFold(should, name)
}

// twins finds two keys of one object, anywhere in a value, that are alike. The value must be JSON without equal keys.
func twins(value string) (one, other string) {
	var open []map[string]string // the keys of objects by how all readers have them; nil: a list
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
			name = strings.ToLower(strings.ToUpper(name)) // so that ſ, S and s are one
			if first, there := open[len(open)-1][name]; there {
				return first, key
			}
			open[len(open)-1][name] = key
		}
	}
	return "", ""
}

// members finds these members of an object; another value has none. One that is there twice, or in other letters, is an
// error.
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

// maxID keeps small what is remembered of a request.
const maxID = 1 << 10

// keyOf returns the same text for all spellings of an id: a server may write 1.0 as 1, and its answer must find its
// call. It is "" for what cannot be one.
func keyOf(id string) string {
	if len(id) > maxID {
		return ""
	}
	switch v := gjson.Parse(id); v.Type {
	case gjson.String:
		return strictjson.Text(v.Raw) + `"` // no number ends so
	case gjson.Number:
		return strconv.FormatFloat(v.Num, 'g', -1, 64)
	}
	return ""
}

// idText is an id as hooks get it.
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

// task reports whether a tools/call asks for its result to come later.
func (m *message) task() bool { return gjson.Get(m.params.raw, "task").IsObject() }

// isTask reports whether a result says nothing but that the real one will come.
func isTask(result string) bool {
	is := gjson.Get(result, "task").IsObject()
	gjson.Parse(result).ForEach(func(key, _ gjson.Result) bool {
		is = is && (key.Str == "task" || key.Str == "_meta")
		return is
	})
	return is
}

// withArguments returns a tools/call with other arguments. All else stays as it was written.
func (m *message) withArguments(now string) string {
	_, arguments, _ := m.call()
	if arguments.there() {
		return arguments.replace(m.text, now)
	}
	behind := m.params.at + len("{") // there is a name, so something follows
	return m.text[:behind] + `"arguments":` + now + "," + m.text[behind:]
}

// failure is the answer that a request failed.
func failure(id string, code jsonrpc.Code, text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, quote(text))
}

// refusal is the answer to a tools/call that did not reach the server: a result, since that is what a model gets to
// see.
func refusal(id, reason string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[%s],"isError":true}}`, id, textItem(reason))
}

// quote is a text as JSON.
func quote(text string) string { return string(strictjson.AppendString(nil, text)) }
