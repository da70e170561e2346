// Package process runs a program with an input and a deadline, and says how it ended and what it printed. Nothing is
// left of a program that exceeds its deadline.
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
//  1. The caller sets the deadline before Start. The input is written inside the deadline, while the output is read. A
//     process need not read its input: its exit counts.
//  2. The result is taken when the process exits, not when its pipes close. After the exit the pipes are read for
//     DrainTime at most, and only if another process still holds them. What arrives in that time is in the result.
//  3. A process has its own session and process group and no terminal. At the deadline, or when the context ends, the
//     group gets SIGTERM, and SIGKILL after TermTime. On Linux, descendants that left the group are found and killed,
//     too. On Windows the console gets CTRL_BREAK if Supervisor.Binary is set, and all of the job is ended after
//     TermTime, else at once; no descendant can leave the job. Result.TimedOut says that this happened, and Result.Left
//     names what could not be killed.
//  4. After a normal exit the descendants of a process are left alone. Result.Left names those in its group. The
//     descendants of a persistent process end with it.
//  5. When this process dies, however that happens, its processes die too: by the parent-death signal (Linux), and
//     with all their descendants by a watchdog (Linux; on macOS only the process group). On Windows the system ends
//     the job. If Supervisor.OneShot is set, a process that may ask to be detached has no parent-death signal.
//  6. 16 MiB of stdout and 1 MiB of stderr are kept, head and tail. The rest is read and counted. Of the stderr of a
//     persistent process 64 KiB are kept, and a line of its stdout may have 16 MiB.
//  7. A process gets no descriptor but 0, 1 and 2. For that, every descriptor of this process is set to close on exec
//     before a program is started (Linux and macOS). On Windows a process inherits its three
//     handles and no other.
//  8. Nothing is left when Wait returns: no zombie, descriptor or goroutine. There are two exceptions: a process that
//     the system cannot kill, and a detached one, whose exit status a goroutine waits for. The zero Result is an exit
//     with 0 of a process that printed nothing, so look at Err and TimedOut first.
//
// Not guaranteed: protection from an enemy. A program that runs as the same user can undo all this. On macOS
// descendants that left the group are not found. If a persistent process prints a second line just when it reads the
// next call, that line is taken for the answer to that call (on macOS and Windows, also if it prints before it reads),
// unless the lines name the call that they answer and the check of Ask compares that.
package process
