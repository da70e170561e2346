package runner

import (
	"context"
	"sync"
	"time"
)

// briefTime is how long a call may take before it is slow.
const briefTime = time.Millisecond

// largeCall is from how many bytes on a call may take that long before any hook is asked.
const largeCall = 16 << 10

type whenSlow struct{}

// WhenSlow returns a context with which Fire calls slow, once, if a hook takes longer than a millisecond, or may do so: then
// the caller can see to other things. Most hooks end sooner, and who looks out for them with a goroutine of its own pays more
// for that than for the hook.
func WhenSlow(ctx context.Context, slow func()) context.Context {
	return context.WithValue(ctx, whenSlow{}, sync.OnceFunc(slow))
}

// isSlow tells the caller of Fire that it takes a while.
func isSlow(ctx context.Context) {
	if slow, ok := ctx.Value(whenSlow{}).(func()); ok {
		slow()
	}
}
