// Package crash turns a panic of hookrun's own code into an error of the call in which it happened. So a fault of
// hookrun blocks one call, and the calls beside it go on.
//
//	func answer() (err error) {
//		defer crash.Catch(&err)
//		…
//	}
//
// Not guaranteed: that a call survives what Go itself cannot recover from, such as a stack or a memory that is full.
package crash

import (
	"fmt"
	"runtime"
	"strings"
)

// Error is a panic that was caught.
type Error struct{ text string }

func (e *Error) Error() string { return e.text }

// Catch turns a panic of the function that defers it into that function's error. Without a panic it changes nothing.
func Catch(err *error) {
	switch p := recover().(type) {
	case nil:
	case *Error: // somebody caught it before, and has passed it on
		*err = p
	default:
		const text = "hookrun itself failed: %v%s; this is a bug of hookrun: please report it"
		*err = &Error{fmt.Sprintf(text, p, place())}
	}
}

// place says where hookrun's own code was when it panicked, as " (strictjson.Text, text.go:72)".
func place() string {
	const module = "github.com/hookrun/hookrun/"
	stack := make([]uintptr, 64)
	frames := runtime.CallersFrames(stack[:runtime.Callers(3, stack)])
	for panicked := false; ; {
		frame, more := frames.Next()
		name, own := strings.CutPrefix(frame.Function, module)
		if own && panicked {
			return fmt.Sprintf(" (%s, %s:%d)", name[strings.LastIndexByte(name, '/')+1:],
				frame.File[strings.LastIndexByte(frame.File, '/')+1:], frame.Line)
		}
		panics := strings.HasPrefix(frame.Function, "runtime.") && strings.Contains(frame.Function, "panic")
		panicked = panicked || panics
		if !more {
			return ""
		}
	}
}
