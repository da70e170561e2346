//go:build linux

package clients

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/e2e/binary"
)

// recordedTools is a file of conformance/tools: what a client offers its model, whichever that is.
type recordedTools struct {
	Client string         `json:"client"` // with its version
	Tools  []recordedTool `json:"tools"`
}

// recordedTool is a tool by the name that the client's hooks have for it.
type recordedTool struct {
	Name   string          `json:"name"`
	Models []string        `json:"models,omitempty"` // none: it is there with all models that were tried
	Input  json.RawMessage `json:"input,omitempty"`  // its JSON Schema; that of the first model
}

// TestClientTools compares the tools that the real clients offer their models with those of conformance/tools.
// -update writes them.
func TestClientTools(t *testing.T) {
	for _, c := range realClients {
		t.Run(c.name, func(t *testing.T) {
			if alone(t, pathOf(t, c.name)) {
				return
			}
			var title string
			var models []string
			var tools []recordedTool
			for _, m := range append([]otherModel{{name: c.model}}, c.others...) {
				r := newClientRun(t, c.with(m))
				title = r.title()
				r.turn()
				require.Contains(t, r.requests, 0, r.output)
				model := gjson.Get(r.requests[0], "model").String()
				if model == "" {
					model = m.name
				}
				models = append(models, model)
				for _, tool := range offered(t, r.requests[0]) {
					at := slices.IndexFunc(tools, func(t recordedTool) bool { return t.Name == tool.Name })
					if at < 0 {
						at = len(tools)
						tools = append(tools, tool)
					}
					tools[at].Models = append(tools[at].Models, model)
				}
			}
			for i := range tools {
				if len(tools[i].Models) == len(models) {
					tools[i].Models = nil
				}
			}
			slices.SortFunc(tools, func(a, b recordedTool) int { return strings.Compare(a.Name, b.Name) })
			got := encodeTools(t, recordedTools{title, tools})
			path := filepath.Join("../../conformance/tools", c.name+".json")
			if *update {
				require.NoError(t, os.WriteFile(path, got, 0o644))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, string(want), string(got), "-update writes it")
		})
	}
}

// encodeTools writes a line for each tool.
func encodeTools(t *testing.T, file recordedTools) []byte {
	var out bytes.Buffer
	out.WriteString("{\"client\": \"" + file.Client + "\", \"tools\": [")
	for i, tool := range file.Tools {
		if i > 0 {
			out.Truncate(out.Len() - 1) // the encoder's line break
			out.WriteByte(',')
		}
		out.WriteByte('\n')
		encoder := json.NewEncoder(&out)
		encoder.SetEscapeHTML(false)
		require.NoError(t, encoder.Encode(tool))
	}
	out.WriteString("]}\n")
	return out.Bytes()
}

// offered returns the tools of a request in any of the forms that clients send.
func offered(t *testing.T, request string) (tools []recordedTool) {
	add := func(name, input string) {
		if name != "" {
			tools = append(tools, recordedTool{Name: name, Input: json.RawMessage(input)})
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

// inScript returns the tools that Codex's exec has in its scripts. Its description declares them in TypeScript.
func inScript(description string) (tools []recordedTool) {
	for _, m := range nestedTool.FindAllStringSubmatch(description, -1) {
		schema := binary.Hook{"type": "object"}
		if m[3] == "string" {
			schema["type"] = "string"
		}
		properties := binary.Hook{}
		for _, f := range nestedField.FindAllStringSubmatch(m[3], -1) {
			properties[f[2]] = binary.Hook{"type": f[3], "description": f[1]}
		}
		if len(properties) > 0 {
			schema["properties"] = properties
		}
		name := m[1] // in hooks the names of a namespace and of its tool are one word
		if !strings.HasPrefix(name, "mcp__") {
			name = strings.Replace(name, "__", "", 1)
		}
		tools = append(tools, recordedTool{Name: name, Input: json.RawMessage(toText(schema))})
	}
	return tools
}
