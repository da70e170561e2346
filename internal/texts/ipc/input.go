package ipc

import (
	"slices"
	"strings"
)

// MassGen's middleware also puts text typed by a person into the structured content of a result, under these keys,
// because a model may look only in the structured content.
const (
	InputKey      = "massgen_runtime_input"
	PriorityKey   = "massgen_runtime_input_priority"
	InputPriority = "high"
)

const humanInput = "[Human Input]:"

// RuntimeInput extracts the text typed by a person from the texts for a result, or returns "".
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
