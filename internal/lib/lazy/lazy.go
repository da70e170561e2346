// Package lazy makes a value when the program first needs it, not at each start.
//
//	var name = lazy.Regexp{Text: `^[a-z]+$`}
//	name.Get().MatchString("a")
//
//	var names = lazy.Value[[]string]{Make: func() []string { … }}
//	names.Get()
//
// Each event starts a process of hookrun, and most events need few of the tables. The linker lays out variables of
// these types at no cost at start; a function call in an initializer would run at each start.
package lazy

import (
	"regexp"
	"sync"
)

// Value holds the result of Make. It is safe for concurrent use.
type Value[T any] struct {
	Make func() T

	once sync.Once
	get  func() T
}

// Get returns the value, made by the first call. If Make panics, so does each call: an empty table would match no text.
func (v *Value[T]) Get() T {
	v.once.Do(func() { v.get = sync.OnceValue(v.Make) })
	return v.get()
}

// Regexp is a regular expression. It is safe for concurrent use.
type Regexp struct {
	Text string

	once sync.Once
	get  func() *regexp.Regexp
}

// Get returns the expression; the first call compiles it. It panics if Text is not a valid expression.
func (r *Regexp) Get() *regexp.Regexp {
	r.once.Do(func() { r.get = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(r.Text) }) })
	return r.get()
}
