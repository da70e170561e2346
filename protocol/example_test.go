package protocol_test

import (
	"fmt"

	"github.com/hookrun/hookrun/protocol"
)

// What a hook's process did becomes a verdict, and the verdicts of a call become its outcome.
func Example() {
	call := protocol.Call{Event: protocol.PreTool, Workspace: "/project", Tool: "shell", Args: `{"command": "git push --force"}`}
	payload, _, _ := protocol.Tenex.Payload(&call)
	fmt.Printf("%.60s…\n", payload.Bytes())

	answer := `{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"do not force-push"}}`
	result := protocol.Result{Stdout: protocol.Capture{Head: []byte(answer), Total: int64(len(answer))}}
	verdict := protocol.Tenex.Settle(&call, protocol.Tenex.Judge(&call, "guard", &result))

	outcome := protocol.Merge(&call, []protocol.Judged{{
		Report:  protocol.Report("guard", "hooks.json:3", &result, &verdict),
		Verdict: verdict, Dialect: protocol.Tenex,
	}})
	fmt.Println(outcome.Decision, outcome.Cause, outcome.ExitCode(), outcome.Why())
	// Output:
	// {"event":"pre-tool","tool":"shell","args":{"command":"git pu…
	// block policy 2 do not force-push
}

func ExampleFold() {
	result, _ := protocol.Fold(map[string]bool{"ok": true}, "from a pre-tool hook", "from a post-tool hook")
	fmt.Println(result)
	// Output:
	// {"ok":true}
	//
	// from a pre-tool hook
	//
	// from a post-tool hook
}

func ExampleDecision() {
	var forgotten protocol.Outcome
	fmt.Println(forgotten.Decision, forgotten.ExitCode())
	// Output: block 2
}
