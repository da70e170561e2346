// Package trust records which hooks of a project a person has allowed, and detects when they have changed.
//
//	now, err := trust.Take(cfg, trust.Options{Workspace: dir, Environ: …})
//	store, err := trust.Open("")                     // the user's state folder
//	err = store.Allow(now)                           // after a person has seen it
//	…
//	judgment := store.Judge(now, trust.Rules{Required: true, Session: id})
//	…
//	why := now.Touched(hook)                         // before the hook starts
//	…
//	why = now.Rewritten(hook)                        // when it has ended
//
// A Fingerprint is the hooks files of a workspace, present or absent, and the files in the workspace that commands of
// its project and local hooks name: each with the path that it really has and the SHA-256 of its content.
//
// Guarantees:
//
//  1. The text of a hooks file that is hashed is the one that was parsed. Each other file is opened once, and what was
//     hashed is what that descriptor had.
//  2. A file that was touched, replaced or created between Take and Rewritten is detected, also if its old content is
//     back, by the change time (ctime). One that was mapped into memory is, if its content is another one at the end.
//  3. A state folder that another user can write to is refused.
//  4. Two processes that begin the same session record the same hooks for it.
//  5. What files a command runs is understood wholly, or Unresolved says that it is not.
//
// Not guaranteed: files that a script reads, sources or imports by itself; a path that only a shell can compute; a
// folder that was renamed away and back within one call; what lies outside of the workspace, of which only the path
// counts. A process of the same user can write to the state folder: this is no sandbox.
package trust
