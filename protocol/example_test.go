package protocol_test

import (
	"fmt"

	"github.com/hookrun/hookrun/protocol"
)

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
