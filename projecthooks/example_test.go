package projecthooks_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hookrun/hookrun/projecthooks"
)

// Which hooks does a project have? Load finds the project from a folder in it.
func ExampleLoad() {
	project, err := os.MkdirTemp("", "project-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(project)
	file := `{
  "hooks": [
    { "name": "guard", "command": ["./scripts/guard.sh"], "events": ["pre-tool"], "matcher": "shell|fs_*", "timeout": "5s" },
    { "name": "no-secrets", "command": "grep -q AKIA && exit 2 || exit 0", "events": ["pre-tool", "post-tool"] },
    { "name": "notes", "command": ["cat", "NOTES.md"], "events": ["pre-execute"], "enabled": false }
  ]
}`
	inner := filepath.Join(project, "cmd", "server")
	if err := os.MkdirAll(inner, 0o700); err != nil {
		fmt.Println(err)
		return
	}
	if err := os.WriteFile(filepath.Join(project, ".tenex-hooks.json"), []byte(file), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	cfg, err := projecthooks.Load(inner, projecthooks.LoadOptions{ProjectOnly: true})
	if err != nil {
		fmt.Println(err) // all that is wrong, and no tool may run
		return
	}
	for _, h := range cfg.Hooks() {
		fmt.Println(h.Name, "runs", h.Command, "at", h.Events, h.Runs)
	}
	// Output:
	// guard runs ./scripts/guard.sh at [pre-tool] true
	// no-secrets runs grep -q AKIA && exit 2 || exit 0 at [pre-tool post-tool] true
	// notes runs cat NOTES.md at [pre-execute] false
}

// All errors of a file are reported at once, each with its place and, where one can be guessed, the word that was
// meant.
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
	// hooks.json:5:18: hook "guard": unknown event "pre-tol"; supported are pre-execute, pre-tool, post-tool; did you mean "pre-tool"?
	// hooks.json:6:18: hook "guard": "timeout" is in seconds, and 30000 of them are more than an hour; if these are milliseconds write "30000ms", if you mean it a duration such as "2h"
}

// A program that stays up can tell that a file is not what it read any more. Each change is told once.
func ExampleConfig_Changed() {
	dir, err := os.MkdirTemp("", "project-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	cfg, err := projecthooks.Load(dir, projecthooks.LoadOptions{ProjectOnly: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(cfg.Changed()))
	if err := os.WriteFile(filepath.Join(dir, ".tenex-hooks.json"), []byte(`{"hooks": []}`), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	for _, text := range cfg.Changed() {
		fmt.Println(strings.TrimPrefix(text, dir+string(filepath.Separator)))
	}
	fmt.Println(len(cfg.Changed()))
	// Output:
	// 0
	// .tenex-hooks.json was not there before
	// 0
}
