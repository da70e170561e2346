// Package engine runs the hooks of a Config for a call and merges their verdicts into one outcome. The doors of hookrun
// use the engine through package gate. Go programs use package runner, which documents the guarantees.
//
//	r, err := engine.New(cfg, engine.Options{})
//	…
//	defer r.Close()
//	plan, err := r.Plan(&call, engine.CallSettings{}) // which hooks run, and why; nothing runs yet
//	…
//	fired, err := plan.Fire(ctx)
//
// With Options.OneShot, for a process that makes one call and ends, no state stays between calls. The watchdog of a
// program other than a shell or a script starts once the program has run for a millisecond. An async hook gets its
// whole input from a file and outlives the call; the goroutine that waits for its exit status ends with the process.
package engine
