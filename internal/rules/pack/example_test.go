package pack

// Lines returns examples of shell lines.
func Lines(lines ...string) (examples []Example) {
	for _, line := range lines {
		examples = append(examples, Example{Text: line})
	}
	return examples
}

// Paths returns examples of a file tool, such as fs_read.
func Paths(tool string, paths ...string) (examples []Example) {
	for _, path := range paths {
		examples = append(examples, Example{tool, path})
	}
	return examples
}
