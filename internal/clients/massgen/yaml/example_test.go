package yaml_test

import (
	"fmt"

	"github.com/hookrun/hookrun/internal/clients/massgen/yaml"
)

func Example() {
	top, err := yaml.Parse("hooks:\n  PreToolUse:\n  - handler: gate.check # first\n    timeout: 5\n")
	if err != nil {
		panic(err)
	}
	hook := top.Get("hooks").Get("PreToolUse").Items[0]
	fmt.Println(hook.Get("handler").Text, hook.Get("timeout").Number, hook.Line)

	_, err = yaml.Parse("hooks: {}\nhooks: {PreToolUse: []}\n")
	if fault, ok := err.(yaml.Fault); ok {
		fmt.Printf("%d:%d: %s\n", fault.Line, fault.Column, fault.Text)
	}
	// Output:
	// gate.check 5 3
	// 2:1: the key "hooks" is here twice; keep one
}
