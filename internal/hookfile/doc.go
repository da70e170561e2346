// Package hookfile reads hooks files into a Config: the hooks of all levels, and what the files say of all of them.
// Package projecthooks is the part of it that host programs need.
//
//	cfg, err := hookfile.Load(hookfile.Options{Workspace: dir})
//	if err != nil {
//		fmt.Fprintln(os.Stderr, err) // every error in the files, each as file:line:col: message
//	}
//
// There is one reader for a file in the project's own form, one for files in a client's form, which goes by the tables
// of the client's dialect, and one for what a dialect makes of a file that is no JSON. What is not understood in the
// project's own form is an error, never skipped. In a client's form an unknown event or field is a warning, since the
// next version of the client may know it.
//
// Guarantees:
//
//   - A Config is returned only for files without any error.
//   - All errors are reported at once, in the order of the file. Lines and columns count from 1; a column is a
//     character, a byte order mark is none.
//   - A file costs time linear in its size, and is read up to 1 MiB.
//   - A Config is never changed after it was returned, but by Add, and is safe for concurrent use.
package hookfile
