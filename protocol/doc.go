// Package protocol has the words that an agent loop shares with its hooks: a tool call (Call), the verdict on it
// (Decision), why it is so (Cause), and the merged result of all hooks (Outcome) with a Report of each.
//
//	outcome, err := r.Before(ctx, protocol.Call{Session: "s1", Tool: "shell", Args: args}) // r is a runner.Runner
//	switch {
//	case err != nil: // no verdict: do not run the tool
//	case outcome.Stop: // end the loop: outcome.StopReason is for the user
//	case outcome.Decision != protocol.Continue: // do not run the tool: outcome.Reason is for the model
//	default: // run it with outcome.Args
//	}
//
// Guarantees:
//
//   - The zero value of every type that can let a tool run is the safe one: the zero Decision is Block, and so is that
//     of the zero Outcome.
//   - Every outcome whose decision is not continue has a Cause and a Reason.
//   - A result of a tool that must not be shown is a block in the Outcome, with a Cause that is not policy.
//   - An Outcome's JSON is the whole of it: what was read from it decides the same.
//   - A Call and an Outcome are plain data. Functions here do no I/O and keep no state.
//
// Not guaranteed: that a hook is right. A hook is a program of the project's owner and is trusted.
package protocol
