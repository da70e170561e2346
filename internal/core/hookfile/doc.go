// Package hookfile reads hooks files into a Config: the hooks of all levels, and the files' settings for all hooks.
// Package projecthooks is the part for host programs.
//
//	cfg, err := hookfile.Load(hookfile.Options{Workspace: dir})
//	if err != nil {
//		fmt.Fprintln(os.Stderr, err) // every error in the files, each as file:line:col: message
//	}
//
// There are three readers: for files in the project's own form; for files in a client's form, with the tables of the
// client's dialect; and for files that are not JSON, with a reader of the dialect. In the project's own form, an error
// stops the load if hookrun does not understand a key or value; no key is skipped. In a client's form an unknown event
// or field is a warning, because the next version of the client may know it.
//
// Guarantees:
//
//   - A Config is returned only if the files have no error.
//   - All errors are reported at once, in the order of the file. Lines and columns count from 1. A column is a
//     character; a byte order mark does not count.
//   - Reading a file takes time linear in its size. At most 1 MiB is read.
//   - A returned Config changes only by Add. It is safe for concurrent use.
package hookfile
