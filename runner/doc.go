// Package runner runs a project's hooks for a call of an agent loop, and merges their verdicts into one outcome.
//
//	package main
//
//	import (
//		"context"
//		"fmt"
//		"log"
//
//		"github.com/hookrun/hookrun/projecthooks"
//		"github.com/hookrun/hookrun/protocol"
//		"github.com/hookrun/hookrun/runner"
//	)
//
//	// runTool is a ToolFunc: args is the JSON that the model wrote, or that a hook put in its place.
//	func runTool(ctx context.Context, args string) runner.Output {
//		return runner.Output{Text: "ran with " + args} // and Err, if the tool failed
//	}
//
//	func main() {
//		cfg, err := projecthooks.Load(".", projecthooks.LoadOptions{})
//		if err != nil {
//			log.Fatal(err)
//		}
//		r, err := runner.New(cfg, runner.Options{})
//		if err != nil {
//			log.Fatal(err)
//		}
//		defer r.Close()
//		call := protocol.Call{Session: "s1", Tool: "shell", Args: `{"command":"ls"}`}
//		result, err := r.Tool(context.Background(), call, runTool)
//		if err != nil {
//			log.Fatal(err) // no verdict: show the model nothing of the call
//		}
//		fmt.Println(result.Text) // for the model
//		if result.Stop {
//			log.Fatal(result.StopReason) // a hook ends the loop
//		}
//	}
//
// Before and After are the parts of Tool, for loops that run their tools themselves; Prompt is for the user's message.
// A hook can be a Go function: see Hook. Explain tells beforehand which hooks run for a call, and why.
//
// A Runner lives for many calls. Processes of persistent hooks wait for the next call. An async hook is watched until
// its timeout, and the next outcome of the session has its context; all calls without a Session are one session. Close
// ends all these processes. Reload replaces the hooks.
//
// Guarantees, for each hook that runs:
//
//  1. The clock starts before the process. Stdin is written before the deadline, while the output is read. A hook need
//     not read stdin.
//  2. The verdict is taken when the hook exits, not when its pipes close. If another process still has the pipes open,
//     hookrun reads them a little longer: docs/reference/environment.md has the times.
//  3. A hook has its own session and process group and no terminal. At the deadline, or when ctx ends, the group gets
//     SIGTERM, then SIGKILL. On Linux, descendants that left the group are found and killed too. The outcome names
//     processes that could not be killed.
//  4. After a normal exit the children of the hook are left alone. The outcome names the children in the hook's group.
//  5. If this process dies, the hook is killed too (Linux; except in dialects that let a hook ask to be left alone). A
//     watchdog, a small shell, kills all descendants of the hook and knows each run before the fork (Linux; on macOS
//     only the process group, and only after the fork). On Windows the system ends the hook's job.
//  6. Of stdout 16 MiB are kept and of stderr 1 MiB, head and tail. The rest is read and counted.
//  7. No descriptor but 0, 1 and 2 reaches a hook. Before a hook starts, every descriptor of this process is set to
//     close on exec (Linux and macOS).
//  8. After the call no zombie, descriptor or goroutine is left. The exceptions are a process that the system cannot
//     kill, async hooks, and files with contexts that were too long.
//
// Each process of a persistent hook has one call at a time, and answers with one line. If the process prints any other
// output or does not answer, the runner ends the process and its descendants, because the next line could be the answer
// to an earlier call.
//
// Hooks start together if their client runs hooks in parallel. Their verdicts merge in the order of the files, not in
// the order in which the hooks end.
//
// A nil, zero or closed Runner blocks every call with an error, and so does a Runner without a Config.
//
// Not guaranteed:
//
//   - That a function ends: Go cannot force a goroutine to end.
//   - That a persistent hook answers the right call. If the hook prints a late line just as it reads the next call, the
//     line counts as the answer to the next call (on macOS and Windows also if the hook prints before it reads).
//   - That a hook, which runs as the same user, cannot undo these guarantees. A hook is a program of the project's
//     owner, not an enemy.
//   - That all descendants are found on macOS: descendants that left the group are not.
//   - That a hook on Windows is asked to end before it is killed.
package runner
