// Package protocol defines the words that an agent loop shares with its hooks: a tool call (Call), the verdict on the
// call (Decision), the kind of reason for the verdict (Cause), and the merged result of all hooks (Outcome) with a
// Report for each hook.
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
//   - Zero values are safe: the zero Decision is Block, and the Decision of the zero Outcome is Block.
//   - Every outcome with a decision other than continue has a Cause and a Reason.
//   - If the model must not see a tool's result, the Outcome is a block, and the Cause is not policy.
//   - JSON keeps an Outcome's decision: an Outcome read back from JSON decides the same.
//   - A Call and an Outcome are plain data. The functions of this package do no I/O and keep no state.
//
// Not guaranteed: that a hook decides rightly. A hook is a program of the project's owner and is trusted.
package protocol
