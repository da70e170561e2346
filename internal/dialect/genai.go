package dialect

import (
	"path/filepath"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// What Gemini CLI and the clients that were made of it have in common.

// LLMResponse writes a tool's result in the form of these clients.
func LLMResponse(c *protocol.Call) []byte {
	text := strictjson.Quote(c.Result)
	response := FieldsOf("llmContent", text, "returnDisplay", text)
	if c.Failed {
		failure, _ := FieldsOf("message", text).MarshalJSON() // made of JSON, it cannot fail
		response.Set("error", failure)
	}
	written, _ := response.MarshalJSON()
	return written
}

// ReadLLMResponse reads a tool's result from that form: what the model sees of it.
func ReadLLMResponse(c *protocol.Call, response gjson.Result) {
	content, failure := response.Get("llmContent"), response.Get("error")
	c.Failed = failure.Type != gjson.Null
	switch {
	case content.Exists():
		c.Result = strictjson.ValueText([]byte(content.Raw))
	case c.Failed && failure.Get("message").Exists():
		c.Result = strictjson.ValueText([]byte(failure.Get("message").Raw))
	}
}

// JSONOrQuoted reads a text as these clients do: it is JSON, or a JSON string that holds JSON, or no JSON at all.
func JSONOrQuoted(text string) (value gjson.Result, is bool) {
	if value, is = JSONValue(text); is && value.Type == gjson.String {
		return JSONValue(strictjson.Text(value.Raw))
	}
	return value, is
}

// MessageOf is a text for people. What JavaScript takes for false is none, and any other value that is no string is
// shown as the JSON that it is.
func MessageOf(value gjson.Result) string {
	if value.Type == gjson.Null || value.Type == gjson.False || value.Type == gjson.Number && value.Num == 0 {
		return ""
	}
	return strictjson.ValueText([]byte(value.Raw))
}

// FolderTrust is what the file of folders that the user of such a client has trusted says of a folder: what stands
// beside the longest path that it lies in.
func FolderTrust(doc, folder string) (level string) {
	longest := -1
	gjson.Parse(doc).ForEach(func(key, value gjson.Result) bool {
		path := key.String()
		if value.String() == "TRUST_PARENT" {
			path = filepath.Dir(path)
		}
		rest, err := filepath.Rel(real(path), real(folder))
		if err == nil && filepath.IsLocal(rest) && len(key.String()) > longest {
			longest, level = len(key.String()), value.String()
		}
		return true
	})
	return level
}

func real(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
