// Package protocol has the words of hookrun: what an agent loop asks (Call), what one hook says (Verdict), what all
// of them amount to (Outcome), and the dialects in which hooks are spoken to.
//
//	payload, warnings, err := protocol.Tenex.Payload(&call)  // what a hook gets on stdin
//	verdict := protocol.Tenex.Judge(&call, "guard", &result) // what its exit and its output mean
//	verdict = protocol.Tenex.Settle(&call, verdict)          // what a hook without an answer amounts to
//	outcome := protocol.Merge(&call, reports)                // in file order
//
// Guarantees:
//
//   - The zero value of every type that can let a tool run is the safe one: the zero Decision is Block, and so is that
//     of the zero Verdict and the zero Outcome.
//   - Every verdict that is not a plain continue has a Cause and, where it blocks, a Reason.
//   - What was cut is marked and counted. A rewrite that an output form cannot carry blocks the call.
//   - Functions here do no I/O, keep no state and are safe for concurrent use.
//
// Not guaranteed: that a hook's answer is wise. A hook is a program of the project's owner and is believed.
//
// A dialect is a value of type Dialect in a file of its own. The packages above this one ask the value; none knows a
// dialect by name.
package protocol
