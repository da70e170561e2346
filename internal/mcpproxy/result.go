package mcpproxy

import (
	"cmp"
	"slices"
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
	text, _ := shown(result)
	return Result{Text: text, Failed: result.Get("isError").Type == gjson.True}
}

// shown is what hooks get of a result: the text of its content, or the JSON of content and structured content where
// that says more than the text. A hook that looks for secrets must have seen all that the model may see.
func shown(result gjson.Result) (text string, whole bool) {
	text = resultText(result)
	structured := result.Get("structuredContent")
	if !structured.IsObject() || result.Get("content").Exists() && repeats(text, structured) {
		return text, false
	}
	content := cmp.Or(compact(result.Get("content").Raw), "[]")
	return `{"content":` + content + `,"structuredContent":` + compact(structured.Raw) + "}", true
}

// maxCompared bounds how long is looked for what a text repeats.
const maxCompared = 1 << 30

// repeats reports whether a text has all names, texts and numbers of an object, but for the name of an only member.
func repeats(text string, object gjson.Result) bool {
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

// resultText is the text of a result: that of its content, if it is one text, else the JSON of the content.
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

// onlyText is the text that a list of content consists of.
func onlyText(content gjson.Result) (text string, is bool) {
	items := elements(content)
	if len(items) != 1 || items[0].Get("type").Str != "text" || items[0].Get("text").Type != gjson.String {
		return "", false
	}
	return strictjson.Text(items[0].Get("text").Raw), true
}

func compact(raw string) string { return string(strictjson.Compact(nil, raw)) }

// adapt returns what the client gets of a result: with other content, if there is any, and with texts behind it. What
// is not touched stays as it was written.
func (t tool) adapt(result string, a After, texts []string) string {
	if a.Content != "" {
		result = t.replaceContent(result, compact(a.Content)) // a hook may write it in several lines
	}
	if a.Failed {
		result = failed(result)
	}
	if len(texts) == 0 {
		return result
	}
	result = inObject(result)
	items := make([]string, len(texts))
	for i, text := range texts {
		items[i] = textItem("\n" + text)
	}
	parts, _ := members(result, "content", "structuredContent")
	structured, had := parts["structuredContent"], parts["content"]
	if input := runtimeInput(texts); input != "" && strings.HasPrefix(structured.raw, "{") {
		now := without(structured.raw, inputKey, inputPriority)
		now = with(with(now, inputKey, input), inputPriority, "high")
		if t.takes(now, structured.raw) { // else the text in the content must do
			result = structured.replace(result, now)
			parts, _ = members(result, "content")
			had = parts["content"]
		}
	}
	if !had.there() {
		return plus(result, `"content":[`+strings.Join(items, ",")+"]")
	}
	list := had.raw
	if list[0] != '[' {
		list = contentList(list)
	}
	open := list[:len(list)-1]
	return had.replace(result, open+comma(list)+strings.Join(items, ",")+"]")
}

// inObject makes a result of what is none of MCP: the tool has run, and this is what came of it.
func inObject(result string) string {
	if strings.HasPrefix(result, "{") {
		return result
	}
	return `{"content":` + contentList(result) + `}`
}

// failed returns a result that says that the tool failed.
func failed(result string) string {
	result = inObject(result)
	if parts, _ := members(result, "isError"); parts["isError"].there() {
		return parts["isError"].replace(result, "true")
	}
	return plus(result, `"isError":true`)
}

// takes reports whether structured content is valid for the tool, if what stood in its place before was.
func (t tool) takes(now, before string) bool {
	if t.schema == "" {
		return true
	}
	if len(strictjson.Check(before, maxDepth)) > 0 { // it is read in several ways
		before = ""
	}
	return accepts(t.schema, now, before)
}

// replaceContent puts what hooks want the model to see in the place of the content. Structured content says the same
// once more, so it is changed too: to the object that the new text is the JSON of, or to the new text where it was the
// old one and nothing else. Where neither can be done, or the tool's schema would not have it, it goes. Clients take a
// result without it only from a tool that failed.
//
// A hook that knows of structured content gives the result as a whole, an object with a list "content".
func (t tool) replaceContent(result, content string) string {
	old, _ := members(result, "structuredContent", "isError")
	was, isError, before := old["structuredContent"].raw, old["isError"].raw, resultText(gjson.Parse(result))
	if content[0] == '"' { // a hook that changes texts gives back what it got
		text := strictjson.Text(content)
		_, isText := onlyText(gjson.Get(result, "content"))
		switch _, whole := shown(gjson.Parse(result)); {
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
			content = plus(content, `"isError":`+isError)
		}
		if given := now.Get("structuredContent"); given.IsObject() && t.takes(given.Raw, was) {
			return content
		}
		return t.restructure(without(content, "structuredContent"), was, before)
	}
	result = without(inObject(result), "content", "structuredContent")
	return t.restructure(plus(result, `"content":`+contentList(content)), was, before)
}

// restructure gives a result with new content its structured content, which was that of the old text before, or "".
func (t tool) restructure(result, was, before string) string {
	if now := gjson.Parse(result); t.structures(was) && now.Get("isError").Type != gjson.True {
		if text, is := onlyText(now.Get("content")); is {
			for _, structured := range []string{jsonIn(text, "{"), t.mirror(was, before, text)} {
				if structured != "" && t.takes(structured, was) {
					return plus(result, `"structuredContent":`+structured)
				}
			}
		}
		return failed(result)
	}
	return result
}

// structures reports whether clients expect structured content of the tool, which had some in its result, or "".
func (t tool) structures(had string) bool {
	return t.schema != "" || had != "" && !t.listed
}

// jsonIn is the object or list that a text is the JSON of, "" if it is none that begins so, or none that all readers
// read alike.
func jsonIn(text, begin string) string {
	if !strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), begin) || len(strictjson.Check(text, maxDepth)) > 0 {
		return ""
	}
	return compact(text)
}

// mirror puts a new text into structured content that has the old text for its one member, and nothing else. "" if it
// has not.
func (t tool) mirror(structured, before, now string) string {
	all := gjson.Parse(structured).Map()
	for name, value := range all {
		if len(all) == 1 && t.schema != "" && value.Type == gjson.String && strictjson.Text(value.Raw) == before {
			return with("{}", name, now)
		}
	}
	return ""
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

func textItem(text string) string { return `{"type":"text","text":` + quote(text) + "}" }

// without leaves members out of an object.
func without(object string, names ...string) string {
	var left []string
	strictjson.Members(object, func(key, value string) bool {
		if !slices.Contains(names, strictjson.Text(key)) {
			left = append(left, key+":"+value)
		}
		return true
	})
	return "{" + strings.Join(left, ",") + "}"
}

// with adds a member with a text to an object.
func with(object, name, text string) string { return plus(object, quote(name)+":"+quote(text)) }

// plus adds a member to an object, behind the others.
func plus(object, member string) string {
	return strings.TrimSuffix(object, "}") + comma(object) + member + "}"
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
	said := slices.DeleteFunc(slices.Clone(texts), func(text string) bool {
		return !strings.Contains(text, humanInput)
	})
	_, tail, _ := strings.Cut(strings.Join(said, "\n"), humanInput)
	if tail = strings.TrimSpace(tail); tail == "" {
		return ""
	}
	return humanInput + " " + tail
}
