// Package crash turns a panic in hookrun's code into an error of the current call. A bug of hookrun blocks one call;
// parallel calls continue.
//
//	func answer() (err error) {
//		defer crash.Catch(&err)
//		…
//	}
//
// Not guaranteed: recovery from fatal errors of the Go runtime, such as a full stack or memory.
package crash

import (
	"fmt"
	"runtime"
	"strings"
)

// Error is a caught panic.
type Error struct{ text string }

func (e *Error) Error() string { return e.text }

// Catch turns a panic of the deferring function into the error of this function. Without a panic, *err stays unchanged.
func Catch(err *error) {
	switch p := recover().(type) {
	case nil:
	case *Error: // caught before, and raised again
		*err = p
	default:
		const text = "hookrun itself failed: %v%s; this is a bug of hookrun: please report it"
		*err = &Error{fmt.Sprintf(text, p, panicPosition())}
	}
}

// panicPosition returns the position of a panic in hookrun's code, as " (strictjson.Text, text.go:72)".
func panicPosition() string {
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
