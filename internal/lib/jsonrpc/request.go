package jsonrpc

import (
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// request is the content of a line.
type request struct {
	id     string // JSON; "" if absent
	method string
	params string
}

// silent reports whether the request is a notification, which gets no answer.
func (r request) silent() bool { return r.id == "" }

// answerID returns the id for the answer to a line, even if the line is no request.
func (r request) answerID() string {
	if r.id == "" {
		return "null"
	}
	return r.id
}

const maxDepth = 10_000

// parse parses a request. It returns the request's id even with an error, if the id could be read.
func parse(line string) (r request, err *Error) {
	if at := strictjson.InvalidUTF8(line); at >= 0 {
		return r, Errorf(ParseError, "column %d: not UTF-8", at+1)
	}
	for _, f := range strictjson.Check(line, maxDepth) {
		if f.Kind != strictjson.Duplicate {
			return r, Errorf(ParseError, "column %d: %s", f.Offset+1, f.Text)
		}
	}
	switch start := strings.TrimLeft(line, " \t\r"); {
	case strings.HasPrefix(start, "["):
		return r, Errorf(InvalidRequest, "batches are not served; write one request on a line")
	case !strings.HasPrefix(start, "{"):
		return r, Errorf(InvalidRequest, "a request is a JSON object")
	}
	members := map[string]string{}
	for key, value := range strictjson.Members(line) {
		name := strictjson.Text(key)
		if _, twice := members[name]; twice && err == nil {
			err = Errorf(InvalidRequest, "the request has %q twice", brief(name))
		}
		members[name] = value
	}
	if id, ok := members["id"]; ok {
		if !isID(gjson.Parse(id)) {
			return r, Errorf(InvalidRequest, "the id must be a string, a number or null")
		}
		r.id = normalID(id)
	}
	if err != nil {
		return r, err
	}
	version, method, params := gjson.Parse(members["jsonrpc"]), gjson.Parse(members["method"]), members["params"]
	switch {
	case version.Type != gjson.String || version.Str != "2.0":
		return r, Errorf(InvalidRequest, `a request has "jsonrpc":"2.0"`)
	case method.Type != gjson.String:
		return r, Errorf(InvalidRequest, "the request has no method, which is a string")
	case params != "" && params != "null" && params[0] != '{' && params[0] != '[':
		return r, Errorf(InvalidRequest, "params must be an object")
	}
	r.method = strictjson.Text(method.Raw)
	if params != "null" {
		r.params = params
	}
	return r, nil
}

func isID(v gjson.Result) bool {
	return v.Type == gjson.String || v.Type == gjson.Number || v.Exists() && v.Type == gjson.Null
}

// normalID returns an id in one spelling, for the answer and as the key of the call. An id with half a surrogate pair,
// such as \ud800 alone, stays as it is, because Compact would map many such ids to one.
func normalID(raw string) string {
	id := string(strictjson.Compact(nil, raw))
	if strings.Contains(id, "\ufffd") && strings.Contains(strings.ToLower(raw), `\ud`) {
		return raw
	}
	return id
}

// brief shortens the client's text for a message.
func brief(s string) string { return spelling.Brief(s, 80) }
