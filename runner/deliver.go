package runner

import (
	"context"

	"github.com/hookrun/hookrun/internal/gate/queued"
	"github.com/hookrun/hookrun/protocol"
	"github.com/hookrun/hookrun/queue"
)

// Deliver adds to the outcome of a post-tool call the texts that the queue has for its session and agent, behind those
// of the hooks. End the claim once the texts have reached the model (Done) or have not (Release). A queue that cannot
// be read is a warning in the outcome and changes no verdict. A nil queue has no entries.
func Deliver(ctx context.Context, q *queue.Queue, c *protocol.Call, o *protocol.Outcome) *queue.Claim {
	return queued.Claim(ctx, q, c, o)
}
