package ipc

import (
	"slices"
	"strings"
)

// MassGen's middleware puts what a person has typed also into the structured content of a result, under these keys,
// since a model may look only there.
const (
	InputKey      = "massgen_runtime_input"
	PriorityKey   = "massgen_runtime_input_priority"
	InputPriority = "high"
)

const humanInput = "[Human Input]:"

// RuntimeInput returns what a person has typed, found in the texts for a result, or "".
func RuntimeInput(texts []string) string {
	inputs := slices.DeleteFunc(slices.Clone(texts), func(text string) bool {
		return !strings.Contains(text, humanInput)
	})
	_, tail, _ := strings.Cut(strings.Join(inputs, "\n"), humanInput)
	if tail = strings.TrimSpace(tail); tail == "" {
		return ""
	}
	return humanInput + " " + tail
}
