package mcpproxy

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/internal/texts/ipc"
)

// resultOf returns the gate's view of an answer.
func resultOf(m *message) Result {
	if m.failed.exists() {
		text := gjson.Get(m.failed.raw, "message")
		if text.Type != gjson.String {
			return Result{Text: compact(m.failed.raw), Failed: true, Error: true}
		}
		return Result{Text: strictjson.Text(text.Raw), Failed: true, Error: true}
	}
	result := gjson.Parse(m.result.raw)
	text, _ := gateText(result)
	return Result{Text: text, Failed: result.Get("isError").Type == gjson.True}
}

// gateText returns the text of a result for hooks: the text of the content, or the JSON of the whole result if the
// result holds more than that text. A hook that looks for secrets must see all that the client may read.
func gateText(result gjson.Result) (text string, whole bool) {
	text = resultText(result)
	content, structured := result.Get("content"), result.Get("structuredContent")
	if !result.IsObject() || !content.Exists() && !structured.IsObject() {
		return text, false
	}
	all := `{"content":` + cmp.Or(compact(content.Raw), "[]")
	if structured.Type != gjson.Null {
		all += `,"structuredContent":` + compact(structured.Raw)
		whole = !structured.IsObject() || !content.Exists() || !containsAll(text, structured)
	}
	for key, value := range strictjson.Members(result.Raw) {
		if name := strictjson.Text(key); name != "content" && name != "structuredContent" && !isTrivial(value) {
			all += "," + quote(name) + ":" + compact(value)
			whole = true
		}
	}
	if !whole {
		return text, false
	}
	return all + "}", true
}

// isTrivial reports whether a value holds neither a text nor a number, or is FastMCP's usual addition to results.
func isTrivial(value string) bool {
	switch compact(value) {
	case "null", "true", "false", "{}", "[]", `{"fastmcp":{"wrap_result":true}}`:
		return true
	}
	return false
}

// maxCompared limits the work of containsAll.
const maxCompared = 1 << 30

// containsAll reports whether a text contains all names, strings and numbers of an object. The name of an only member
// may be missing.
func containsAll(text string, object gjson.Result) bool {
	left, only := maxCompared, len(object.Map()) == 1
	var in func(value gjson.Result) bool
	has := func(name string) bool {
		left -= len(text)
		return left >= 0 && (strings.Contains(text, name) || strings.Contains(text, strings.Trim(quote(name), `"`)))
	}
	in = func(value gjson.Result) (all bool) {
		all = true
		switch {
		case value.IsObject(), value.IsArray():
			named := value.IsObject() && !only
			only = false
			value.ForEach(func(key, member gjson.Result) bool {
				all = (!named || has(strictjson.Text(key.Raw))) && in(member)
				return all
			})
		case value.Type == gjson.String:
			return has(strictjson.Text(value.Raw))
		case value.Type == gjson.Number:
			return has(value.Raw)
		}
		return all
	}
	return in(object)
}

// resultText returns the text of a result: the content if it is a single text, else the JSON of the content.
func resultText(result gjson.Result) string {
	content := result.Get("content")
	if !result.IsObject() || !content.Exists() {
		return compact(result.Raw)
	}
	if text, is := onlyText(content); is {
		return text
	}
	return compact(content.Raw)
}

// onlyText returns the text of a content list with a single text and no annotations or _meta.
func onlyText(content gjson.Result) (text string, is bool) {
	items := elements(content)
	if len(items) != 1 || items[0].Get("type").Str != "text" || items[0].Get("text").Type != gjson.String {
		return "", false
	}
	for key, value := range items[0].ForEach {
		if name := strictjson.Text(key.Raw); name != "type" && name != "text" && !isTrivial(value.Raw) {
			return "", false
		}
	}
	return strictjson.Text(items[0].Get("text").Raw), true
}

func compact(raw string) string { return string(strictjson.Compact(nil, raw)) }

// adapt returns the result for the client: a.Content, if set, replaces the content, and texts follow the content.
// Without a.Content the other members stay as written.
func (t tool) adapt(result string, a ResultDecision, texts []string) string {
	if a.Content != "" {
		result = t.replaceContent(result, compact(a.Content)) // a hook may return several lines
	}
	if a.Failed {
		result = failed(result)
	}
	if len(texts) == 0 {
		return result
	}
	result = wrapResult(result)
	items := make([]string, len(texts))
	for i, text := range texts {
		items[i] = textItem("\n" + text)
	}
	parts, _ := members(result, "content", "structuredContent")
	structured, had := parts["structuredContent"], parts["content"]
	if input := ipc.RuntimeInput(texts); input != "" && strings.HasPrefix(structured.raw, "{") {
		now := without(structured.raw, ipc.InputKey, ipc.PriorityKey)
		now = with(with(now, ipc.InputKey, input), ipc.PriorityKey, ipc.InputPriority)
		if t.acceptsStructured(now, structured.raw) { // otherwise the client has only the text in the content
			result = structured.replace(result, now)
			parts, _ = members(result, "content")
			had = parts["content"]
		}
	}
	if !had.exists() {
		return addMember(result, `"content":[`+strings.Join(items, ",")+"]")
	}
	list := had.raw
	if list[0] != '[' {
		list = contentList(list)
	}
	open := list[:len(list)-1]
	return had.replace(result, open+comma(list)+strings.Join(items, ",")+"]")
}

// wrapResult turns the output of a tool that returned no MCP result into a result.
func wrapResult(result string) string {
	if strings.HasPrefix(result, "{") {
		return result
	}
	return `{"content":` + contentList(result) + `}`
}

// failed returns the result with isError set.
func failed(result string) string {
	result = wrapResult(result)
	if parts, _ := members(result, "isError"); parts["isError"].exists() {
		return parts["isError"].replace(result, "true")
	}
	return addMember(result, `"isError":true`)
}

// acceptsStructured reports whether structured content is valid for the tool, given that before was valid.
func (t tool) acceptsStructured(now, before string) bool {
	if t.schema == "" {
		return true
	}
	if len(strictjson.Check(before, maxDepth)) > 0 { // readers disagree about it
		before = ""
	}
	return accepts(t.schema, now, before)
}

// replaceContent replaces the content by a hook's text for the model. Structured content repeats the content, so it is
// replaced too: by the object whose JSON is the new text, or by the new text if it held only the old text. If neither
// is possible, or the tool's schema forbids it, the structured content is removed. Clients accept a result without
// structured content only from a failed tool.
//
// A hook that handles structured content returns the whole result, an object with a list "content".
func (t tool) replaceContent(result, content string) string {
	old, _ := members(result, "structuredContent", "isError")
	was, isError, before := old["structuredContent"].raw, old["isError"].raw, resultText(gjson.Parse(result))
	if content[0] == '"' { // a hook that changes texts returns the same shape
		text := strictjson.Text(content)
		_, isText := onlyText(gjson.Get(result, "content"))
		switch _, whole := gateText(gjson.Parse(result)); {
		case whole:
			if text = jsonIn(text, "{"); isContent(gjson.Get(text, "content")) {
				content = text
			}
		case isContent(gjson.Parse(before)) && !isText:
			if text = jsonIn(text, "["); isContent(gjson.Parse(text)) {
				content = text
			}
		}
	}
	if now := gjson.Parse(content); now.IsObject() && isContent(now.Get("content")) {
		if isError != "" && !now.Get("isError").Exists() {
			content = addMember(content, `"isError":`+isError)
		}
		if given := now.Get("structuredContent"); given.IsObject() && t.acceptsStructured(given.Raw, was) {
			return content
		}
		return t.restructure(without(content, "structuredContent"), was, before)
	}
	result = "{}" // drop the old result: the gate replaced all that it saw
	if isError == "true" || isError == "false" {
		result = addMember(result, `"isError":`+isError)
	}
	return t.restructure(addMember(result, `"content":`+contentList(content)), was, before)
}

// restructure adds structured content to a result with new content. was is the old structured content; before is the
// old text.
func (t tool) restructure(result, was, before string) string {
	expected := t.schema != "" || was != "" && !t.listed // by clients
	if now := gjson.Parse(result); expected && now.Get("isError").Type != gjson.True {
		if text, is := onlyText(now.Get("content")); is {
			for _, structured := range []string{jsonIn(text, "{"), t.replaceOnlyText(was, before, text)} {
				if structured != "" && t.acceptsStructured(structured, was) {
					return addMember(result, `"structuredContent":`+structured)
				}
			}
		}
		return failed(result)
	}
	return result
}

// jsonIn returns the object or list in a JSON text, or "" if the text does not start with begin, or if readers disagree
// about it.
func jsonIn(text, begin string) string {
	if !strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), begin) || len(strictjson.Check(text, maxDepth)) > 0 {
		return ""
	}
	return compact(text)
}

// replaceOnlyText replaces the text in structured content whose only member is the old text. Otherwise it returns "".
func (t tool) replaceOnlyText(structured, before, now string) string {
	all := gjson.Parse(structured).Map()
	for name, value := range all {
		if len(all) == 1 && t.schema != "" && value.Type == gjson.String && strictjson.Text(value.Raw) == before {
			return with("{}", name, now)
		}
	}
	return ""
}

// contentList converts a value to a content list. A string becomes a text; other values become their JSON as a text.
func contentList(value string) string {
	v := gjson.Parse(value)
	switch {
	case isContent(v):
		return value
	case v.Type == gjson.String:
		return "[" + textItem(strictjson.Text(v.Raw)) + "]"
	}
	return "[" + textItem(compact(value)) + "]"
}

// isContent reports whether a value is a content list.
func isContent(v gjson.Result) bool {
	for _, item := range v.ForEach {
		if !item.IsObject() || item.Get("type").Type != gjson.String {
			return false
		}
	}
	return v.IsArray()
}

func textItem(text string) string { return `{"type":"text","text":` + quote(text) + "}" }

// without removes members from an object.
func without(object string, names ...string) string {
	var left []string
	for key, value := range strictjson.Members(object) {
		if !slices.Contains(names, strictjson.Text(key)) {
			left = append(left, key+":"+value)
		}
	}
	return "{" + strings.Join(left, ",") + "}"
}

// with adds a member with a string value to an object.
func with(object, name, text string) string { return addMember(object, quote(name)+":"+quote(text)) }

// addMember adds a member at the end of an object.
func addMember(object, member string) string {
	return strings.TrimSuffix(object, "}") + comma(object) + member + "}"
}

// comma returns the separator before another member of an object or list.
func comma(of string) string {
	if strings.Trim(of[1:len(of)-1], " \t\n") == "" {
		return ""
	}
	return ","
}
