package claude

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// Fit decides, after a tool, which result the client shows to the model. hook is "" for a block by hookrun itself.
//
// A new result from a hook must have the shape of the old one. The client silently drops a result of another shape and
// shows the model the old one, which the hook wanted to hide. A text with JSON of the right shape counts as that JSON,
// because hooks also see results as text.
//
// If the new result does not fit, the verdict blocks with CauseRewrite, which tells hosts to withhold the result. In
// this case, and if a hook failed and fails closed, UpdatedOutput becomes a blank result of the old shape: see
// withheld.
func (hooks) Fit(c *dialect.Call, hook string, v *dialect.Verdict) {
	if c.Common() != protocol.PostTool {
		return
	}
	old := gjson.Parse(dialect.ClientResponse(c).Raw)
	if old.Raw == "" {
		return
	}
	if v.UpdatedOutput != nil && !v.Withholds(c) {
		fitted, ok := fitResult(c, old, v.UpdatedOutput)
		if v.UpdatedOutput = fitted; ok {
			return
		}
		v.Withhold(hook)
	}
	if !v.Withholds(c) {
		return
	}
	// The hook may have been a redactor, and a block alone withholds nothing.
	v.UpdatedOutput = withheld(c, old)
	message := client.WithheldMessage(hook, v)
	if v.Cause == protocol.CauseRewrite {
		message = unfitMessage(hook, c.Tool, old)
	}
	v.SystemMessage = strings.TrimSpace(v.SystemMessage + "\n" + message)
}

func unfitMessage(hook, tool string, old gjson.Result) string {
	return fmt.Sprintf("hookrun: project hook '%s' answered with an updatedToolOutput that has not the shape of "+
		"%s's results (%s), "+
		"so the result was withheld from the model; change tool_response, and answer with the whole of it", hook,
		tool, shapeOf(old))
}

// shapeOf names the keys of an object, or the type of another value.
func shapeOf(v gjson.Result) string {
	if !v.IsObject() {
		return "a JSON " + typeOf(v)
	}
	var keys []string
	v.ForEach(func(key, _ gjson.Result) bool {
		keys = append(keys, strictjson.Text(key.Raw))
		return len(keys) < 12
	})
	return "an object with " + strings.Join(keys, ", ")
}

// fitResult returns a new result in the client's shape, and whether it has that shape.
func fitResult(c *dialect.Call, old gjson.Result, output []byte) ([]byte, bool) {
	now := gjson.ParseBytes(output)
	if fits(old, now) {
		return output, true
	}
	if now.Type == gjson.String {
		if doc, ok := client.JSONValue(strictjson.Text(now.Raw)); ok && fits(old, doc) {
			return client.Rewritten(doc), true
		}
	}
	// For MCP tools the client takes any result. For Bash, shellResult puts other JSON or a text into the right shape.
	return output, strings.HasPrefix(c.Tool, "mcp__") || c.Tool == "Bash"
}

// fits reports whether a new value has the shape of the old one: the same type and, in an object, at least the same
// keys with fitting values. null fits every shape. Elements of lists are not compared.
func fits(old, now gjson.Result) bool {
	switch {
	case old.Type == gjson.Null:
		return true
	case typeOf(old) != typeOf(now):
		return false
	case !old.IsObject():
		return true
	}
	fields := dialect.LastOf(now)
	for key, value := range old.ForEach {
		if field, has := fields[strictjson.Text(key.Raw)]; !has || field.Type != gjson.Null && !fits(value, field) {
			return false
		}
	}
	return true
}

func typeOf(v gjson.Result) string {
	switch {
	case v.IsObject():
		return "object"
	case v.IsArray():
		return "list"
	case v.IsBool():
		return "true or false"
	case v.Type == gjson.Number:
		return "number"
	case v.Type == gjson.String:
		return "string"
	}
	return "null"
}

// tags are keys whose short values tell shapes of results apart. The client looks at these first.
var tags = []string{"type", "status", "mode", "kind", "role"}

// withheld returns a result of the old one's shape with its content blanked out. Texts from the tool's input stay,
// because the client may need a path.
func withheld(c *dialect.Call, old gjson.Result) []byte {
	var known []string
	input, _, _ := c.Input()
	for _, value := range gjson.ParseBytes(input).ForEach {
		if value.Type == gjson.String {
			known = append(known, strictjson.Text(value.Raw))
		}
	}
	return blankOut(nil, "", old, known)
}

func blankOut(b []byte, key string, v gjson.Result, known []string) []byte {
	switch {
	case v.IsObject(), v.IsArray():
		object, first := v.IsObject(), true
		b = append(b, v.Raw[0])
		for name, value := range v.ForEach {
			if !first {
				b = append(b, ',')
			}
			first = false
			inner := ""
			if object {
				inner = strictjson.Text(name.Raw)
				b = append(strictjson.AppendString(b, inner), ':')
			}
			b = blankOut(b, inner, value, known)
		}
		return append(b, v.Raw[0]+2) // the closing bracket, in ASCII two behind the opening one
	case v.Type == gjson.Number:
		return append(b, '0')
	case v.Type == gjson.String:
		text := strictjson.Text(v.Raw)
		tag := slices.Contains(tags, key) && len(text) <= 32 && strings.Trim(text,
			"abcdefghijklmnopqrstuvwxyz_-/.+") == ""
		switch {
		case tag || text == "" || slices.Contains(known, text):
			return strictjson.AppendString(b, text)
		case key == "base64" || key == "data":
			return append(b, `""`...)
		}
		return strictjson.AppendString(b, dialect.WithheldMark)
	}
	return append(b, v.Raw...)
}
