// Package lazyregexp compiles a regular expression of the program's own when it is first needed, and not at each start.
//
//	var name = lazyregexp.Regexp{Text: `^[a-z]+$`}
//	name.Get().MatchString("a")
package lazyregexp

import (
	"regexp"
	"sync"
)

// Regexp is an expression. A variable of this type costs nothing at start.
type Regexp struct {
	Text string

	once     sync.Once
	compiled *regexp.Regexp
}

// Get returns the expression, compiled at the first call. That panics if it is none.
func (r *Regexp) Get() *regexp.Regexp {
	r.once.Do(func() { r.compiled = regexp.MustCompile(r.Text) })
	return r.compiled
}
