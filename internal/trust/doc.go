// Package trust records which hooks of a project a person has allowed, and detects when they have changed.
//
//	now, err := trust.Take(cfg, trust.Options{Workspace: dir, Environ: …})
//	store, err := trust.Open("", dir)                // the user's state folder
//	err = store.Allow(now)                           // after a person has seen it
//	…
//	judgment := store.Judge(now, trust.Rules{Required: true, Session: id})
//	…
//	why := now.ChangedBeforeRun(hook)                // before the hook starts
//	…
//	why = now.ChangedDuringRun(hook)                 // when it has ended
//
// The engine does not import this package: it gets the check of a call by engine.Options{CheckTrust: trust.Check}.
//
// A Fingerprint covers the hooks files of a workspace, present or absent, and the files in the workspace that commands
// of the project's and the local hooks name. Each file has a real path and the SHA-256 of the content.
//
// Guarantees:
//
//  1. The hash of a hooks file is the hash of the parsed text. Every other file is opened once, and the hash is of the
//     content of that descriptor.
//  2. A file that was touched, replaced or created between Take and ChangedDuringRun is detected by the change time
//     (ctime), even if the old content is back. A write through a memory mapping is detected up to 1 MiB, by content.
//  3. A state folder that another user can write to is refused.
//  4. Two processes that begin the same session record the same hooks.
//  5. Either all files that a command runs are known, or Unresolved returns a message.
//
// Not guaranteed: files that a script reads, sources or imports by itself; a path that only a shell can compute; a
// folder that was renamed away and back within one call; the content of files outside of the workspace, where only the
// path counts. A process of the same user can write to the state folder: this is no sandbox.
package trust
