// Package hook models a hook and finds the hooks that match a call.
//
//	match := hook.NewMatchContext(dialect.NewCall(call))
//	for i := range hooks {
//		if match.Runs(&hooks[i]) {
//			…
//		}
//	}
//
// Package hookfile makes hooks from files, and package launch turns hooks into programs. A hook that is a Go function
// has the type Hook too.
//
// Guarantee: the cost of matching is bounded, whatever a file or a model writes. Beyond the bound a hook runs.
package hook
