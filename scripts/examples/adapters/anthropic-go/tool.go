package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/hookrun/hookrun/runner"
)

var tools = []anthropic.ToolUnionParam{anthropic.ToolUnionParamOfTool(anthropic.ToolInputSchemaParam{
	Properties: map[string]any{"command": map[string]string{"type": "string"}},
	Required:   []string{"command"},
}, "shell")}

// tool returns the tool with this name. There is one, which writes a shell command into a file of the workspace.
func tool(name, workspace string) runner.Tool {
	return func(_ context.Context, args string) (string, error) {
		var in struct{ Command *string }
		if err := json.Unmarshal([]byte(args), &in); err != nil {
			return "", err
		}
		if name != "shell" || in.Command == nil {
			return "", errors.New("there is one tool, shell, and it needs a command")
		}
		file, err := os.OpenFile(filepath.Join(workspace, "ran"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return "", err
		}
		_, err = file.WriteString(*in.Command + "\n")
		return "ran " + *in.Command, errors.Join(err, file.Close())
	}
}
