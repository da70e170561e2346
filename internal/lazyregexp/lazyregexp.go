// Package lazyregexp compiles a regular expression of the program's own when it is first needed, and not at each start.
//
//	var name = lazyregexp.New(`^[a-z]+$`)
//	name().MatchString("a")
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns the expression, compiled at the first call. That panics if it is none.
func New(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
