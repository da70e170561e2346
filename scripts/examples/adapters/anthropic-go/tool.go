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

// tool returns the function of a tool. The only tool, shell, writes a command into a file of the workspace.
func tool(name, workspace string) func(context.Context, string) runner.Output {
	return func(_ context.Context, args string) runner.Output {
		var in struct{ Command *string }
		if err := json.Unmarshal([]byte(args), &in); err != nil {
			return runner.Output{Err: err}
		}
		if name != "shell" || in.Command == nil {
			return runner.Output{Err: errors.New("there is one tool, shell, and it needs a command")}
		}
		file, err := os.OpenFile(filepath.Join(workspace, "ran"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return runner.Output{Err: err}
		}
		_, err = file.WriteString(*in.Command + "\n")
		return runner.Output{Text: "ran " + *in.Command, Err: errors.Join(err, file.Close())}
	}
}
