package projecthooks_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hookrun/hookrun/projecthooks"
)

// Which hooks does a project have?
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

	cfg, err := projecthooks.Load(projecthooks.Options{Workspace: workspace})
	if err != nil {
		fmt.Println(err) // all that is wrong, and no tool may run
		return
	}
	for _, h := range cfg.Hooks() {
		fmt.Println(h.Name, "runs", h.Command, "at", h.Events)
	}
	// Output:
	// guard runs ./scripts/guard.sh at [pre-tool]
	// no-secrets runs grep -q AKIA && exit 2 || exit 0 at [pre-tool post-tool]
	// notes runs cat NOTES.md at [pre-execute]
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

// A file of a client is read by that client's rules: by its place, or by Options.Dialect.
func ExampleLoad_dialect() {
	dir, err := os.MkdirTemp("", "hooks")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "team-hooks.json")
	text := `{"hooks": {"BeforeTool": [{"matcher": "run_.*", "hooks": [{"type": "command", "command": "./guard.sh", ` +
		`"timeout": 5}]}]}}`
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		fmt.Println(err)
		return
	}
	cfg, err := projecthooks.Load(projecthooks.Options{Files: []string{file}, Dialect: "gemini"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, h := range cfg.Hooks() {
		fmt.Println(h.Dialect, h.Events, h.Matcher)
	}
	for _, w := range cfg.Warnings() {
		fmt.Println(w.Text)
	}
	// Output:
	// gemini [BeforeTool] run_.*
	// BeforeTool 1, hook 1: "timeout" is in milliseconds, and 5 of them are less than a second; were these seconds?
}

// A program that stays up can tell that a file is not what it read any more.
func ExampleConfig_Snapshot() {
	dir, err := os.MkdirTemp("", "hooks")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	cfg, err := projecthooks.Load(projecthooks.Options{Workspace: dir})
	if err != nil {
		fmt.Println(err)
		return
	}
	snapshot := cfg.Snapshot()
	fmt.Println(len(snapshot.Changed()))
	if err := os.WriteFile(filepath.Join(dir, projecthooks.FileName), []byte(`{"hooks": []}`), 0o666); err != nil {
		fmt.Println(err)
		return
	}
	for _, text := range snapshot.Changed() {
		fmt.Println(strings.TrimPrefix(text, dir+string(filepath.Separator)))
	}
	// Output:
	// 0
	// .tenex-hooks.json was not there before
}

// The project of a folder is the nearest folder upwards with a hooks file, not above its repository.
func ExampleFindProject() {
	top, err := os.MkdirTemp("", "project-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(top)
	inner := filepath.Join(top, "cmd", "server")
	for _, folder := range []string{filepath.Join(top, ".git"), inner} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			fmt.Println(err)
			return
		}
	}
	if err := os.WriteFile(filepath.Join(top, projecthooks.FileName), []byte(`{"hooks":[]}`), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	project, err := projecthooks.FindProject(inner)
	if err != nil {
		fmt.Println(err)
		return
	}
	cfg, err := projecthooks.Load(projecthooks.Options{Workspace: project.Workspace})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(filepath.Base(project.File), len(cfg.Files()))
	// Output: .tenex-hooks.json 1
}
