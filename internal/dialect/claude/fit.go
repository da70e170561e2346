package claude

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// Fit makes sure, after a tool, of what the client shows its model of the tool's result. Where a hook failed and fails
// closed that is nothing: see withheld. hook is "" for a block of hookrun's own.
//
// It makes a new result of the tool one that the call's client takes. A client drops a result of another shape than its
// tool's without a word, and shows the model the old one, which the hook wanted nobody to see.
//
// A text that is JSON of the old result's shape is that JSON: hooks know a result as text, too. What does not fit is
// not shown to anybody, and neither is the old result: the verdict blocks with CauseRewrite, which hosts know for a
// result to withhold, and UpdatedOutput is a result of the old one's shape that says nothing.
func (hooks) Fit(c *dialect.Call, hook string, v *dialect.Verdict) {
	if dialect.Canonical(c.Event) != protocol.PostTool {
		return
	}
	old := clientResult(c)
	if old.Raw == "" {
		return
	}
	if v.UpdatedOutput != nil && !v.Withholds(c.Event) {
		fitted, ok := fitted(c, old, v.UpdatedOutput)
		if v.UpdatedOutput = fitted; ok {
			return
		}
		v.Withhold(hook)
	}
	if !v.Withholds(c.Event) {
		return
	}
	// The hook may have been one that takes out of the result what nobody should see, and a block alone withholds
	// nothing.
	v.UpdatedOutput = withheld(c, old)
	message := dialect.WithheldMessage(hook, v.Cause)
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

// clientResult is the tool's result as a client has it to which one of another form may be none.
func clientResult(c *dialect.Call) gjson.Result {
	return gjson.Parse(dialect.ClientResponse(c).Raw)
}

// fitted returns a new result in the form that the client wants, and whether it has that form.
func fitted(c *dialect.Call, old gjson.Result, output []byte) ([]byte, bool) {
	now := gjson.ParseBytes(output)
	if fits(old, now) {
		return output, true
	}
	if now.Type == gjson.String {
		if doc, ok := dialect.JSONValue(strictjson.Text(now.Raw)); ok && fits(old, doc) {
			return dialect.Rewritten(doc), true
		}
	}
	// Of MCP tools the client takes any result. For the shell a text is put into the form of its results where the
	// outcome is told to the client, and other JSON for its text.
	return output, strings.HasPrefix(c.Tool, "mcp__") || c.Tool == "Bash"
}

// fits reports whether a new value has the shape of the old one: its type and, of an object, at least its keys, each
// with a value of a shape that fits. null has every shape. What stands in a list may differ.
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
	ok := true
	old.ForEach(func(key, value gjson.Result) bool {
		field, has := fields[strictjson.Text(key.Raw)]
		ok = has && (field.Type == gjson.Null || fits(value, field))
		return ok
	})
	return ok
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

// tags are keys whose short values tell shapes of results apart. A client looks at them before all else.
var tags = []string{"type", "status", "mode", "kind", "role"}

// withheld writes a result of the old one's shape with nothing of what it said. What the model wrote itself may stay:
// the client may want a path there.
func withheld(c *dialect.Call, old gjson.Result) []byte {
	var known []string
	input, _, _ := c.Input()
	gjson.ParseBytes(input).ForEach(func(_, value gjson.Result) bool {
		if value.Type == gjson.String {
			known = append(known, strictjson.Text(value.Raw))
		}
		return true
	})
	return blankOut(nil, "", old, known)
}

func blankOut(b []byte, key string, v gjson.Result, known []string) []byte {
	switch {
	case v.IsObject(), v.IsArray():
		object, first := v.IsObject(), true
		b = append(b, v.Raw[0])
		v.ForEach(func(name, value gjson.Result) bool {
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
			return true
		})
		return append(b, v.Raw[0]+2) // the bracket that closes it: so ASCII has them
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
