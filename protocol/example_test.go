package protocol_test

import (
	"fmt"

	"github.com/hookrun/hookrun/protocol"
)

func ExampleDecision() {
	var forgotten protocol.Outcome
	fmt.Println(forgotten.Decision, forgotten.ExitCode())
	// Output: block 2
}

func ExampleEvent_Canonical() {
	for _, e := range []protocol.Event{"PreToolUse", "BeforeTool", protocol.PreTool, "SessionStart"} {
		fmt.Println(e.Canonical(), e.HasTool())
	}
	// Output:
	// pre-tool true
	// pre-tool true
	// pre-tool true
	// SessionStart false
}

// A hook that is a Go function reads the tool's arguments.
func ExampleCall_Input() {
	c := protocol.Call{Event: protocol.PreTool, Tool: "shell", Args: `{ "command": "ls", "command": "rm" }`}
	input, warnings, err := c.Input()
	fmt.Println(string(input), err)
	fmt.Println(warnings[0])
	c.Args = "ls -l" // not JSON
	input, _, _ = c.Input()
	fmt.Println(string(input))
	// Output:
	// {"command":"rm"} <nil>
	// arguments of tool "shell": the key "command" is there twice in one object; hooks were given the last
	// "ls -l"
}

// A client's hook input has fields that no other client knows.
func ExampleCall_Field() {
	c := protocol.Call{Event: "PreToolUse", ClientInput: `{"permission_mode":"plan","mcp":{"server":"github"}}`}
	fmt.Println(c.Field("permission_mode"), c.Field("mcp.server"), c.Field("absent") == "")
	// Output: plan github true
}

// What a one-shot program prints, and the status with which it exits.
func ExampleOutcome_ExitCode() {
	for _, o := range []protocol.Outcome{
		{Decision: protocol.Continue, Inject: []protocol.Inject{{Content: "Remember to commit."}}},
		{Decision: protocol.Block, Reason: "Ask first."},
		{Decision: protocol.Continue, Stop: true, StopReason: "The budget is used up."},
	} {
		fmt.Printf("%d stdout=%q stderr=%q\n", o.ExitCode(), o.Text(), o.Why())
	}
	// Output:
	// 0 stdout="Remember to commit." stderr=""
	// 2 stdout="" stderr="Ask first."
	// 3 stdout="" stderr="The budget is used up."
}

// A loop that cannot give the tool other arguments must not run it with the old ones.
func ExampleOutcome_WithoutRewrites() {
	o := protocol.Outcome{Decision: protocol.Continue, UpdatedInput: []byte(`{"command":"ls -l"}`), UpdatedBy: "tidy"}
	o = o.WithoutRewrites()
	fmt.Println(o.Decision, o.Cause, o.Hook)
	// Output: block rewrite tidy
}

// Texts of pre-execute hooks go behind the user's message.
func ExampleOutcome_Wrapped() {
	o := protocol.Outcome{Decision: protocol.Continue, Inject: []protocol.Inject{{Content: "The branch is main."}}}
	fmt.Println("Fix the test.\n\n" + o.Wrapped())
	// Output:
	// Fix the test.
	//
	// <system-reminder type="pre-execute-hook">
	// The branch is main.
	// </system-reminder>
}

func ExampleFailurePolicy() {
	open := protocol.FailurePolicy{}
	for _, cause := range protocol.FailureCauses() {
		open[cause] = protocol.Continue
	}
	open[protocol.CauseTimeout] = protocol.Block // for runner.Options.OnFailure or runner.WithFailurePolicy
	fmt.Println(open[protocol.CauseSignal], open[protocol.CauseTimeout])
	// Output: continue block
}

// Hooks of a client answer with fields that only that client knows.
func ExampleFields() {
	var o protocol.Outcome
	o.Other.Set("terminalSequence", []byte(`"\u0007"`))
	text, err := o.Other.MarshalJSON()
	fmt.Println(string(text), string(o.Other.Get("terminalSequence")), err)
	// Output: {"terminalSequence":"\u0007"} "\u0007" <nil>
}
