package runner

import "flag"

// With -copied-pipes the tests are those of macOS and Windows as well, as far as the pipes of hooks go.
func init() {
	flag.BoolFunc("copied-pipes", "goroutines copy what goes through the pipes of hooks", func(string) error {
		newPipes = newCopiedPipes
		return nil
	})
}
