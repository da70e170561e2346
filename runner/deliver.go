package runner

import (
	"context"

	"github.com/hookrun/hookrun/internal/gate/queued"
	internal "github.com/hookrun/hookrun/internal/queue"
	"github.com/hookrun/hookrun/protocol"
	"github.com/hookrun/hookrun/queue"
)

// Deliver adds to the outcome of a post-tool call the texts that the queue has for its session and agent, behind those
// of the hooks. Call ack once the texts have reached the model, or have not: it does what Result.Ack does, and is never
// nil. A queue that cannot be read is a warning in the outcome and changes no verdict. A nil queue has no entries.
func Deliver(
	ctx context.Context, q *queue.Queue, c *protocol.Call, o *protocol.Outcome,
) (ack func(delivered bool) error) {
	claim := queued.Claim(ctx, (*internal.Queue)(q), c, o)
	ctx = context.WithoutCancel(ctx)
	return func(delivered bool) error { return claim.Finish(ctx, delivered) }
}
