// Package launch turns a hook into a program, an environment and a folder. Package process starts the program.
//
//	dir := launch.Dir(h, call)
//	env := launch.Environ(h, call, nil, binary)
//	path, argv, err := launch.Program(h, dir, env)
//
// Inspect and Doubts check what a hook would run, without running it.
//
// Not guaranteed: that the program found by Program still exists when the hook runs.
package launch
