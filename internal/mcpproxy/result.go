package mcpproxy

import (
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/strictjson"
)

// A runtime input of MassGen is said in the structured content as well, where a model may look alone.
const (
	humanInput    = "[Human Input]:"
	inputKey      = "massgen_runtime_input"
	inputPriority = "massgen_runtime_input_priority"
)

// resultOf is what hooks get of an answer.
func resultOf(m *message) Result {
	if m.failed.there() {
		text := gjson.Get(m.failed.raw, "message")
		if text.Type != gjson.String {
			return Result{Text: compact(m.failed.raw), Failed: true, Error: true}
		}
		return Result{Text: strictjson.Text(text.Raw), Failed: true, Error: true}
	}
	result := gjson.Parse(m.result.raw)
	r := Result{Text: compact(m.result.raw)}
	if !result.IsObject() {
		return r
	}
	r.Failed = result.Get("isError").Type == gjson.True
	if content := result.Get("content"); content.Exists() {
		r.Text = compact(content.Raw)
		if items := content.Array(); content.IsArray() && len(items) == 1 && items[0].Get("type").Str == "text" && items[0].Get("text").Type == gjson.String {
			r.Text = strictjson.Text(items[0].Get("text").Raw)
		}
	}
	return r
}

func compact(raw string) string { return string(strictjson.Compact(nil, raw)) }

// adapt returns a result with other content, if there is any, and with texts behind it. What is not touched stays as it was written.
func adapt(result, content string, texts []string) string {
	if content != "" {
		result = replaceContent(result, compact(content)) // a hook may write it in several lines
	}
	if len(texts) == 0 {
		return result
	}
	if !strings.HasPrefix(result, "{") { // no result of MCP, but the tool has run, and this is what came of it
		result = `{"content":` + contentList(result) + `}`
	}
	items := make([]string, len(texts))
	for i, text := range texts {
		items[i] = textItem("\n" + text)
	}
	parts, _ := members(result, "content", "structuredContent")
	structured, had := parts["structuredContent"], parts["content"]
	if input := runtimeInput(texts); input != "" && strings.HasPrefix(structured.raw, "{") {
		now := without(structured.raw, inputKey, inputPriority)
		now = with(now, inputKey, input)
		result = structured.replace(result, with(now, inputPriority, "high"))
		parts, _ = members(result, "content")
		had = parts["content"]
	}
	if !had.there() {
		return strings.TrimSuffix(result, "}") + comma(result) + `"content":[` + strings.Join(items, ",") + "]}"
	}
	list := had.raw
	if list[0] != '[' {
		list = contentList(list)
	}
	open := list[:len(list)-1]
	return had.replace(result, open+comma(list)+strings.Join(items, ",")+"]")
}

// replaceContent puts what hooks want the model to see in the place of the content. Structured content goes: it says the same once
// more, and that was to be changed. A hook that knows of it gives the result as a whole, an object with a list "content".
func replaceContent(result, content string) string {
	if now := gjson.Parse(content); now.IsObject() && isContent(now.Get("content")) {
		if failed := gjson.Get(result, "isError"); failed.Exists() && !now.Get("isError").Exists() {
			return strings.TrimSuffix(content, "}") + `,"isError":` + failed.Raw + "}"
		}
		return content
	}
	content = contentList(content)
	if !strings.HasPrefix(result, "{") {
		return `{"content":` + content + `}`
	}
	result = without(result, "content", "structuredContent")
	return strings.TrimSuffix(result, "}") + comma(result) + `"content":` + content + "}"
}

// contentList makes a list of content of any value: a string is a text, and so is what is no content as its JSON.
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

// isContent reports whether a value is a list of content.
func isContent(v gjson.Result) bool {
	is := v.IsArray()
	v.ForEach(func(_, item gjson.Result) bool {
		is = is && item.IsObject() && item.Get("type").Type == gjson.String
		return is
	})
	return is
}

func textItem(text string) string {
	return string(append(strictjson.AppendString([]byte(`{"type":"text","text":`), text), '}'))
}

// without leaves members out of an object.
func without(object string, names ...string) string {
	b := []byte{'{'}
	strictjson.Members(object, func(key, value string) bool {
		for _, name := range names {
			if strictjson.Text(key) == name {
				return true
			}
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(append(b, key...), ':'), value...)
		return true
	})
	return string(append(b, '}'))
}

// with adds a member to an object.
func with(object, name, text string) string {
	b := append([]byte(strings.TrimSuffix(object, "}")), comma(object)...)
	b = append(strictjson.AppendString(b, name), ':')
	return string(append(strictjson.AppendString(b, text), '}'))
}

// comma is what stands between the members of an object or list and one more.
func comma(of string) string {
	if strings.Trim(of[1:len(of)-1], " \t\n") == "" {
		return ""
	}
	return ","
}

// runtimeInput is what a person says in the texts, "" if nobody does.
func runtimeInput(texts []string) string {
	var said []string
	for _, text := range texts {
		if strings.Contains(text, humanInput) {
			said = append(said, text)
		}
	}
	_, tail, _ := strings.Cut(strings.Join(said, "\n"), humanInput)
	if tail = strings.TrimSpace(tail); tail == "" {
		return ""
	}
	return humanInput + " " + tail
}
