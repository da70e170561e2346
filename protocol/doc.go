// Package protocol has the types that an agent loop shares with its hooks: an event of the loop (Call), the verdict on
// it (Decision), and the merged result of all hooks (Outcome).
//
//	outcome, err := r.Fire(ctx, protocol.Call{Event: protocol.PreTool, Tool: "shell", Args: args})
//	switch {
//	case err != nil: // no verdict: do not run the tool
//	case outcome.Stop: // end the loop: outcome.StopReason is for the user
//	case outcome.Decision != protocol.Continue: // do not run the tool: outcome.Reason is for the model
//	}
//
// After a tool call, Messages makes an outcome and the tool's result into messages for the API of a model.
//
// Guarantees:
//
//   - The zero value of every type that can let a tool run is the safe one: the zero Decision is Block, and so is that
//     of the zero Outcome.
//   - Every outcome that is not a plain continue has a Cause and, where it blocks, a Reason.
//   - A rewrite that an output form cannot carry blocks the call.
//   - A Call and an Outcome are plain data. Functions here do no I/O and keep no state.
//
// Not guaranteed: that a hook is right. A hook is a program of the project's owner and is trusted.
package protocol
