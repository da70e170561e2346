// Package process runs a program for a limited time, with an input, and says how it ended and what it printed.
// Nothing of a program that overstays its deadline is left.
//
//	var s process.Supervisor
//	defer s.Close()
//	p, err := s.Start(program, input, time.Now().Add(30*time.Second), nil)
//	if err != nil {
//		return err
//	}
//	result, _ := p.Wait(ctx)
//
// A Pool keeps persistent processes, each of which answers one line of input with one line of output at a time.
// StartDetached starts a process that nobody waits for.
//
// Guarantees:
//
//  1. The deadline is the caller's, who takes it before Start. The input is written inside the deadline and beside
//     the reading. A process that does not read its input is fine: its exit counts.
//  2. The result is that of the exit, not of the end of the pipes. After the exit the pipes are read for 500 ms at
//     most, and only if somebody still holds them. What arrives in that time is in the result.
//  3. A process has its own session and process group and no terminal. At the deadline, or when the context ends, the
//     group gets SIGTERM, and SIGKILL 500 ms later. Descendants that left the group are found and killed on Linux.
//     Result.TimedOut says that this happened, and Result.Left names what could not be killed.
//  4. After a normal exit the descendants of a process are left alone. Result.Left names those of its group. What a
//     persistent process started ends with it.
//  5. When this process dies, however that happens, its processes die too: by the parent-death signal (Linux), and
//     with all their descendants by a watchdog (Linux; on macOS the process group alone). On Windows the system ends
//     the job. A process that may ask to be detached has no parent-death signal if Supervisor.OneShot is set.
//  6. Of stdout and stderr 1 MiB each is kept, head and tail. The rest is read and counted. Of the stderr of a
//     persistent process 64 KiB are kept, and a line of its stdout may have 1 MiB.
//  7. No descriptor but 0, 1 and 2 reaches a process. To that end every descriptor of this process is set to close on
//     exec before a program is started (Linux and macOS).
//  8. Nothing is left when Wait returns: no zombie, descriptor or goroutine. The exceptions are a process that the
//     system cannot kill, and one that is detached: a goroutine waits for its exit status. The zero Result is an exit
//     with 0 of a process that printed nothing, so look at Err and TimedOut first.
//
// Not guaranteed: that a program which runs as the same user cannot undo this. It is not an enemy. On macOS
// descendants that left the group are not found. On Windows there is no SIGTERM: the job is ended at the deadline. A
// line that a persistent process prints late, in the moment in which it reads the next one, is taken for the answer
// to that (on macOS and Windows also one that it prints before it reads).
package process
