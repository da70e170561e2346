// Package process runs a program with an input and a deadline, and returns the exit status and the output. A program
// that exceeds its deadline is killed with all its descendants.
//
//	var s process.Supervisor
//	defer s.Close()
//	p, err := s.Start(program, input, time.Now().Add(30*time.Second), nil)
//	if err != nil {
//		return err
//	}
//	result, _ := p.Wait(ctx)
//
// A Pool keeps persistent processes. Each answers a line of input with a line of output, one call at a time.
// StartDetached starts a process in the background.
//
// Guarantees:
//
//  1. The caller sets the deadline before Start. The input is written inside the deadline, while the output is read. A
//     process need not read its input: its exit counts.
//  2. The result is taken when the process exits, not when its pipes close. If another process still holds the pipes
//     after the exit, they are read for at most DrainTime. Output in this time is in the result.
//  3. A process has its own session and process group and no terminal. At the deadline, or when the context ends, the
//     group gets SIGTERM, and SIGKILL after TermTime. On Linux, descendants that left the group are found and killed,
//     too. On Windows the console gets CTRL_BREAK if Supervisor.Binary is set, and the whole job is ended after
//     TermTime, else at once; no descendant can leave the job. Then Result.TimedOut is true, and Result.Survivors holds
//     the processes that could not be killed.
//  4. After a normal exit the descendants of a process are left alone. Result.Survivors holds those that still run in
//     the process group. The descendants of a persistent process end with the process.
//  5. When this process dies, even by SIGKILL, its processes die too: by the parent-death signal (Linux), and
//     with all their descendants by a watchdog (Linux; on macOS only the process group). On Windows the system ends
//     the job. If Supervisor.OneShot is set, a process that may ask to be detached has no parent-death signal.
//  6. 16 MiB of stdout and 1 MiB of stderr are kept, head and tail. The rest is read and counted. For a persistent
//     process, 64 KiB of stderr are kept, and a line of stdout may have 16 MiB.
//  7. A process gets only the descriptors 0, 1 and 2. For that, every descriptor of this process is set to close on
//     exec before a program is started (Linux and macOS). On Windows a process inherits only its three handles.
//  8. After Wait no zombie, descriptor or goroutine is left. Two exceptions: a process that the system cannot kill, and
//     a detached process, for whose exit status a goroutine waits. The zero Result means exit 0 without output, so
//     check Err and TimedOut first.
//
// Not guaranteed: protection from an enemy. A program that runs as the same user can undo all this. On macOS
// descendants that left the group are not found. If a persistent process prints a second line just when it reads the
// next call, that line becomes the answer to the next call (on macOS and Windows, also if the process prints before it
// reads). To prevent this, put the call's id into each line and compare the id in the check of Ask.
package process
