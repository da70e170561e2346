// Package engine runs the hooks of a Config for a call, and merges their verdicts into one outcome. The doors of
// hookrun use it by package gate, and Go programs by package runner, which has the guarantees.
//
//	r, err := engine.New(cfg, engine.Options{})
//	…
//	defer r.Close()
//	plan, err := r.Plan(call, engine.CallSettings{}) // which hooks run, and why; nothing runs yet
//	…
//	fired, err := plan.Fire(ctx)
//
// With Options.OneShot, for a process that makes one call and ends, nothing stays between calls. A program that is no
// shell and no script then gets its watchdog when it has run for a millisecond. An async hook gets its whole input from
// a file and outlives the call; the goroutine that takes its exit status ends with it.
package engine
