package runner

import (
	"github.com/hookrun/hookrun/internal/delivery"
	"github.com/hookrun/hookrun/protocol"
	"github.com/hookrun/hookrun/queue"
)

// Deliver adds to the outcome of a call after its tool what the queue has for its session and agent, behind what the
// hooks say. End the claim when it is known what became of the outcome: Done where the model has the texts, Release
// where it has not. A queue that cannot be read is a warning, no verdict: what waits in it waits on. A nil queue has no
// entries.
func Deliver(q *queue.Queue, c *protocol.Call, o *protocol.Outcome) *queue.Claim {
	return delivery.Claim(q, c, o)
}
