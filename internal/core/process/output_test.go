package process

// NewOutput returns the Output of a stdout with this text.
func NewOutput(text string) Output {
	o := Output{Head: []byte(text), Total: int64(len(text))}
	if half := keepStdout / 2; len(text) > keepStdout {
		o.Head, o.Tail = o.Head[:half], o.Head[len(text)-half:]
	}
	return o
}
