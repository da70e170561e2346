package process

import "flag"

// With -copied-pipes the tests are those of macOS and Windows as well, as far as pipes go.
func init() {
	flag.BoolFunc("copied-pipes", "goroutines copy what goes through the pipes", func(string) error {
		newPipes = newCopiedPipes
		return nil
	})
}
