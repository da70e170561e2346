// Package launch turns a hook into a program, its environment and its folder. It starts nothing: package process does.
//
//	dir := launch.Dir(h, call)
//	env := launch.Environ(h, call, nil, binary)
//	path, argv, err := launch.Program(h, dir, env)
//
// Inspect and Doubts look at what a hook would run, and run nothing.
//
// Not guaranteed: that a program which Program found is still there when the hook runs.
package launch
