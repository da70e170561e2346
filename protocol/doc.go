// Package protocol defines the words that an agent loop shares with its hooks: a tool call (Call), the verdict on the
// call (Decision), the kind of reason for the verdict (Cause), and the merged result of all hooks (Outcome) with a
// Report for each hook.
//
// Package runner has a program with a Call and an Outcome. Of an Outcome before a tool: if the error is not nil, run no
// tool. If Stop is set, end the loop; StopReason is for the user. If the Decision is not Continue, do not run the tool;
// Reason is for the model. Else run the tool with Args.
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
