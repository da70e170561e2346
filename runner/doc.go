// Package runner runs a project's hooks for a call of an agent loop, and merges their verdicts into one outcome.
//
//	cfg, err := projecthooks.Load(dir, projecthooks.LoadOptions{})
//	…
//	r, err := runner.New(cfg, runner.Options{})
//	…
//	defer r.Close()
//	result, err := r.Tool(ctx, protocol.Call{Session: "s1", Tool: "shell", Args: args}, runTool)
//	if err != nil {
//		return err // there is no verdict: show the model nothing of the call
//	}
//	… give the model result.Text …
//	if result.Stop {
//		return errors.New(result.StopReason)
//	}
//
// Before and After are the parts of Tool, for loops that run their tools themselves; Prompt is for the user's message.
// A hook can be a Go function: see Hook. Explain tells beforehand which hooks run for a call, and why.
//
// A Runner stays up. The processes of persistent hooks are there for the next call. An async hook is watched to its
// timeout, and the next outcome of its session has its context; calls without a Session are all of one session. Close
// ends all of that; Reload takes other hooks.
//
// Guarantees, for each hook that runs:
//
//  1. The clock starts before the process does. Its stdin is written inside the deadline and beside the reading; a hook
//     that does not read is fine.
//  2. The verdict is taken when the hook exits, not when its pipes close. After that the pipes are read a little
//     longer, and only if somebody still holds them: docs/processes.md has the times.
//  3. A hook has its own session and process group and no terminal. At the deadline, or when ctx ends, the group gets
//     SIGTERM, and then SIGKILL. Descendants that left the group are found and killed on Linux; what could not
//     be killed is named in the outcome.
//  4. After a normal exit its children are left alone. The outcome names those of its group.
//  5. When this process dies, the hook is killed too (Linux; not where its dialect lets hooks ask to be left alone).
//     All that came of it is killed by a watchdog, a shell that knows each run before it is forked (Linux; on macOS the
//     process group alone, and once it is forked). On Windows the system ends its job.
//  6. Of stdout 16 MiB and of stderr 1 MiB are kept, head and tail, the rest is read and counted.
//  7. No descriptor but 0, 1 and 2 reaches a hook. To that end every descriptor of this process is set to close on exec
//     before a hook is started (Linux and macOS).
//  8. Nothing is left of a call when it returns: no zombie, descriptor or goroutine. The exceptions are a process
//     that the system cannot kill, async hooks, and files with contexts that were too long.
//
// Each process of a persistent hook has one call at a time. Its answer is one line. A process that prints anything
// else, or does not answer, is ended, since nobody could tell which call it answers next. What it started ends with it.
//
// Hooks of a client that runs them at once start together. Their verdicts merge in the order of the files, whichever
// ended first.
//
// A nil, zero or closed Runner blocks every call with an error, and so does one that was given no Config.
//
// Not guaranteed:
//
//   - That a function ends: Go cannot make it.
//   - That a persistent hook answers the call that it was given. If it prints a late line just as it reads the next
//     call, that line is taken for the answer to the next call (on macOS and Windows also if it prints before it
//     reads).
//   - That a hook which runs as the same user cannot undo any of this. It is a program of the project's owner, not an
//     enemy.
//   - That all descendants are found on macOS: those that left the group are not.
//   - That a hook on Windows is asked to end before it is killed.
package runner
