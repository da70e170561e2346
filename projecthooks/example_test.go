package projecthooks_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/hookrun/hookrun/projecthooks"
	"github.com/hookrun/hookrun/protocol"
)

// Which hooks of a project are for a tool call?
func ExampleLoad() {
	workspace, err := os.MkdirTemp("", "workspace")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(workspace)
	file := `{
  "hooks": [
    { "name": "guard", "command": ["./scripts/guard.sh"], "events": ["pre-tool"], "matcher": "shell|fs_*", "timeout": "5s" },
    { "name": "no-secrets", "command": "grep -q AKIA && exit 2 || exit 0", "events": ["pre-tool", "post-tool"] },
    { "name": "notes", "command": ["cat", "NOTES.md"], "events": ["pre-execute"] }
  ]
}`
	if err := os.WriteFile(filepath.Join(workspace, projecthooks.FileName), []byte(file), 0o666); err != nil {
		fmt.Println(err)
		return
	}

	cfg, err := projecthooks.Load(workspace)
	if err != nil {
		fmt.Println(err) // all that is wrong, and no tool may run
		return
	}
	for _, h := range cfg.Hooks {
		call := protocol.Call{Event: protocol.PreTool, Workspace: workspace, Tool: "fs_write"}
		fmt.Printf("%s runs %s: %v, %s\n", h.Name, h.Command, h.Runs(&call), h.Why(&call))
	}
	// Output:
	// guard runs ./scripts/guard.sh: true, it subscribes to pre-tool, and its matcher "shell|fs_*" matches the tool "fs_write"
	// no-secrets runs grep -q AKIA && exit 2 || exit 0: true, it subscribes to pre-tool
	// notes runs cat NOTES.md: false, it does not subscribe to pre-tool
}

// All errors of a file are reported at once, each with its place and, where one can be guessed, the word that was meant.
func ExampleParse() {
	_, err := projecthooks.Parse("hooks.json", []byte(`{
  "hooks": [
    { "name": "guard",
      "comand": ["./guard.sh"],
      "events": ["pre-tol"],
      "timeout": 30000 }
  ]
}`))
	fmt.Println(err)
	// Output:
	// hooks.json:3:5: hook "guard" has no "command"
	// hooks.json:4:7: unknown key "comand"; did you mean "command"?
	// hooks.json:5:18: hook "guard": unknown event "pre-tol"; did you mean "pre-tool"?; supported are pre-execute, pre-tool, post-tool
	// hooks.json:6:18: hook "guard": "timeout" is in seconds, and 30000 of them are more than an hour; if these are milliseconds write "30000ms", if you mean it a duration such as "2h"
}

// A file of a client is read by that client's rules: by its place, or by a Loader's.
func ExampleLoader() {
	doc := []byte(`{"hooks": {"BeforeTool": [{"matcher": "run_.*", "hooks": [{"type": "command", "command": "./guard.sh", "timeout": 5}]}]}}`)
	cfg, err := projecthooks.Loader{Dialect: "gemini"}.Parse("team-hooks.json", doc)
	if err != nil {
		fmt.Println(err)
		return
	}
	call := protocol.Call{Event: "BeforeTool", Tool: "run_shell_command"}
	for _, h := range cfg.Hooks {
		fmt.Println(h.Dialect, h.Runs(&call), h.Timeout)
	}
	for _, w := range cfg.Warnings {
		fmt.Println(w.Text)
	}
	// Output:
	// gemini true 5ms
	// BeforeTool 1, hook 1: "timeout" is in milliseconds, and 5 of them are less than a second; were these seconds?
}
