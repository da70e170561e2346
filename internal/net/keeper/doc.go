// Package keeper keeps the processes of persistent hooks between calls that are programs of their own.
//
//	o := engine.Options{OneShot: true, Keeper: keeper.In(stateFolder, binary)}
//	…
//	os.Exit(keeper.Run())                                 // in a process that Ask started: see Command
//	…
//	all, err := keeper.List(stateFolder)
//	err = all[0].End()
//
// The first call of a hook starts a keeper: a process with its own session that outlives the call, with a socket in the
// state folder. The keeper starts the hook's processes, gives them lines, and returns their answers. It reads no hooks
// file, judges no call and knows no dialect. Each call still loads, checks and matches, and reads the answer.
//
// A keeper is for one engine.Kept, one build of hookrun, and one set of rights that the system gives a process
// (namespaces, groups, umask, limits). If any of them differs, another keeper with another socket is used.
//
// Guarantees:
//
//  1. One process gets the line of a call. The keeper claims a token before it gives a line to a process, and the
//     caller claims the token before it runs the hook without a keeper.
//  2. Ask returns at its limit, plus the time to kill. A keeper that hangs then is killed with all processes.
//  3. The number of a call is random, of 53 bits. If the caller is gone or refuses the answer, the
//     process is killed, because its next answer could belong to either call. If a file of the hook has changed
//     during a call, the process answers no later one.
//  4. A keeper ends when it was idle for engine.Kept.Keep, when its workspace or its socket is gone or another, when it
//     is asked to, or at SIGTERM, and with it its processes and their descendants. After SIGKILL a watchdog kills those
//     that package process finds without their parent.
//  5. Both ends are processes of the same user. The state folder is one that no other user can write to. A keeper in
//     another container that shares the folder is listed, and never killed by a process id that is of that container.
//  6. A hook has at most eight keepers in a workspace: a new one ends the keeper idle for longest, and
//     keepers of files that have changed since.
//
// Not guaranteed: anything against processes of the same user. On Windows nothing is kept, nor where the state folder
// cannot be written to, or where its path is too long for a socket.
package keeper
