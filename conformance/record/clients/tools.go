package clients

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/tidwall/gjson"
)

// ToolFile is a file of conformance/tools: the tools for a client's models.
type ToolFile struct {
	Client string `json:"client"` // with its version
	Tools  []Tool `json:"tools"`
}

// Tool is a tool by its name in the client's hooks.
type Tool struct {
	Name   string          `json:"name"`
	Models []string        `json:"models,omitempty"` // none: all models that were tried
	Input  json.RawMessage `json:"input,omitempty"`  // its JSON Schema; that of the first model
}

// Offered returns the tools of a request in any of the forms that clients send.
func Offered(request string) (tools []Tool) {
	add := func(name, input string) {
		if name != "" {
			tools = append(tools, Tool{Name: name, Input: json.RawMessage(input)})
		}
	}
	var read func(list gjson.Result, namespace string)
	read = func(list gjson.Result, namespace string) {
		for _, tool := range list.Array() {
			name := namespace + tool.Get("name").String()
			switch {
			case tool.Get("type").String() == "namespace" && name == "functions": // hooks have no prefix for these
				read(tool.Get("tools"), "")
			case tool.Get("type").String() == "namespace":
				read(tool.Get("tools"), name)
			case tool.Get("function").Exists():
				add(tool.Get("function.name").String(), tool.Get("function.parameters").Raw)
			case tool.Get("custom").Exists():
				add(tool.Get("custom.name").String(), `{"type":"string"}`)
			case tool.Get("type").String() == "custom":
				add(name, `{"type":"string"}`)
				for _, nested := range inScript(tool.Get("description").String()) {
					add(nested.Name, string(nested.Input))
				}
			case tool.Get("functionDeclarations").Exists():
				for _, f := range tool.Get("functionDeclarations").Array() {
					add(f.Get("name").String(), f.Get("parametersJsonSchema").Raw)
				}
			case tool.Get("input_schema").Exists():
				add(name, tool.Get("input_schema").Raw)
			default:
				add(name, tool.Get("parameters").Raw)
			}
		}
	}
	read(gjson.Get(request, "tools"), "")
	read(gjson.Get(request, `input.#(type=="additional_tools").tools`), "")
	return tools
}

var (
	nestedTool  = regexp.MustCompile(`(?s)declare const tools: \{ (\w+)\((\w+): (.*?)\): Promise<`)
	nestedField = regexp.MustCompile(`(?m)^  // (.*)\n  (\w+)\??: (.*);$`)
)

// inScript returns the tools in scripts of Codex's exec. Its description declares them in TypeScript.
func inScript(description string) (tools []Tool) {
	for _, m := range nestedTool.FindAllStringSubmatch(description, -1) {
		schema := Object{"type": "object"}
		if m[3] == "string" {
			schema["type"] = "string"
		}
		properties := Object{}
		for _, f := range nestedField.FindAllStringSubmatch(m[3], -1) {
			properties[f[2]] = Object{"type": f[3], "description": f[1]}
		}
		if len(properties) > 0 {
			schema["properties"] = properties
		}
		name := m[1] // in hooks the names of a namespace and of its tool are one word
		if !strings.HasPrefix(name, "mcp__") {
			name = strings.Replace(name, "__", "", 1)
		}
		tools = append(tools, Tool{Name: name, Input: json.RawMessage(Text(schema))})
	}
	return tools
}
