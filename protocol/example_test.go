package protocol_test

import (
	"encoding/json"
	"fmt"

	"github.com/hookrun/hookrun/protocol"
)

// What nobody has decided is a block.
func ExampleDecision() {
	var forgotten protocol.Outcome
	fmt.Println(forgotten.Decision)
	// Output: block
}

// The JSON of an outcome is that of `hookrun --output json`, and decides the same.
func ExampleOutcome() {
	const line = `{"version":1,"event":"pre-tool","tool":"shell","decision":"continue",` +
		`"updated_input":{"command":"ls"},"updated_by":"tidy","hooks":[],"duration_ms":1.5}`
	var o protocol.Outcome
	err := json.Unmarshal([]byte(line), &o)
	fmt.Println(o.Decision, string(o.UpdatedInput), o.UpdatedBy, o.Duration, err)
	// Output: continue {"command":"ls"} tidy 1.5ms <nil>
}
