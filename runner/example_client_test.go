package runner_test

import (
	"fmt"

	"github.com/hookrun/hookrun/protocol"
	"github.com/hookrun/hookrun/runner"
)

// A program that a client calls as its hook reads the client's hook input and answers in its form.
func ExampleParseInput() {
	call, warnings, err := runner.ParseInput(`{"hook_event_name":"PreToolUse","tool_name":"Bash",` +
		`"tool_input":{"command":"deploy prod"},"cwd":"/work","permission_mode":"plan"}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	call.Workspace = call.Dir
	fmt.Println(call.Event, call.Tool, call.Args, call.Field("permission_mode"), warnings)
	// Output: PreToolUse Bash {"command":"deploy prod"} plan []
}

// Clients read the verdict from stdout or from the exit status, each in its own way.
func ExampleEncodeOutput() {
	outcome := protocol.Outcome{Event: protocol.PreTool, Tool: "Bash", Decision: protocol.Block, Reason: "Ask first."}
	for _, client := range []string{"claude", "gemini", "emacs"} {
		stdout, exit, err := runner.EncodeOutput(client, outcome)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(string(stdout), exit)
	}
	// Output:
	// {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"Ask first."}} 0
	// {"decision":"deny","reason":"Ask first."} 0
	// no client is called "emacs"
}
