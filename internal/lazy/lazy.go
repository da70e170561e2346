// Package lazy makes a value of the program's own when it is first needed, and not at each start.
//
//	var name = lazy.Regexp{Text: `^[a-z]+$`}
//	name.Get().MatchString("a")
//
//	var names = lazy.Value[[]string]{Make: func() []string { … }}
//	names.Get()
//
// A command is a process for each event, and most events need few of the tables. The linker lays out a variable of
// these types, so that it costs nothing at start, where a call in an initializer would run each time.
package lazy

import (
	"regexp"
	"sync"
)

// Value is a value that Make makes. It is safe for concurrent use.
type Value[T any] struct {
	Make func() T

	once sync.Once
	get  func() T
}

// Get returns the value, made at the first call. If Make panics, so does each call: an empty table would say no.
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

// Get returns the expression, compiled at the first call. It panics if Text is none.
func (r *Regexp) Get() *regexp.Regexp {
	r.once.Do(func() { r.get = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(r.Text) }) })
	return r.get()
}
