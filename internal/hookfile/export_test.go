package hookfile

import "github.com/hookrun/hookrun/protocol"

// Runs and Why are for tests of one hook, where a context is not worth its line.
func (h *Hook) Runs(c *protocol.Call) bool  { return NewMatchContext(c).Runs(h) }
func (h *Hook) Why(c *protocol.Call) string { return NewMatchContext(c).Why(h) }
