// Package protocol has the words of hookrun: what an agent loop asks (Call), whether the tool may run (Decision), and
// what all hooks of a call amount to (Outcome).
//
//	outcome, err := r.Fire(ctx, protocol.Call{Event: protocol.PreTool, Tool: "shell", Args: args})
//	if err != nil || outcome.Decision != protocol.Continue {
//		return outcome.Why() // for the model
//	}
//
// Guarantees:
//
//   - The zero value of every type that can let a tool run is the safe one: the zero Decision is Block, and so is that
//     of the zero Outcome.
//   - Every outcome that is not a plain continue has a Cause and, where it blocks, a Reason.
//   - A rewrite that an output form cannot carry blocks the call.
//   - Functions here do no I/O and keep no state.
//
// Not guaranteed: that a hook's answer is wise. A hook is a program of the project's owner and is believed.
package protocol
