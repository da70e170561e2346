package hooks_test

import (
	"fmt"

	"github.com/hookrun/hookrun/hooks"
	"github.com/hookrun/hookrun/hooks/clients/claude"
	"github.com/hookrun/hookrun/hooks/rules"
)

const own = `{"hooks": [
  {"name": "no-force", "block": "Ask first.", "events": ["pre-tool"], "if": "shell(git push --force*)"}
]}`

// Without parts a Loader knows hookrun's own form alone. What a file asks for beyond that form is an error.
func ExampleLoader() {
	_, err := hooks.Loader{}.Parse(".tenex-hooks.json", []byte(own))
	fmt.Println(err)

	cfg, err := hooks.Loader{Parts: []hooks.Part{rules.Part}}.Parse(".tenex-hooks.json", []byte(own))
	fmt.Println(cfg.Hooks()[0].Name, err)
	// Output:
	// .tenex-hooks.json:2:77: hook "no-force": "if": this program has no rules, so it cannot decide "shell(git push --force*)"; use "matcher" and "when"
	// no-force <nil>
}

// With the part of a client, a Loader reads the client's files.
func ExampleLoader_client() {
	loader := hooks.Loader{Parts: []hooks.Part{claude.Part}}
	cfg, err := loader.Parse(".claude/settings.json", []byte(`{"hooks": {"PreToolUse": [
  {"matcher": "Bash", "hooks": [{"type": "command", "command": "./guard.sh"}]}
]}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(cfg.Hooks()[0].Command, cfg.Hooks()[0].Events)
	// Output: ./guard.sh [PreToolUse]
}
