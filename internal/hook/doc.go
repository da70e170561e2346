// Package hook has the model of a hook, and finds the hooks that match a call.
//
//	match := hook.NewMatchContext(dialect.NewCall(call))
//	for i := range hooks {
//		if match.Runs(&hooks[i]) {
//			…
//		}
//	}
//
// Package hookfile makes hooks of files, and package launch makes programs of them. Hooks that are Go functions are of
// the same type.
//
// Guarantee: what matching costs is bounded, whatever a file and a model write. Beyond the bound a hook runs.
package hook
