// Package projecthooks reads the hooks of a project from its files.
//
//	cfg, err := hookfile.Load(workspace) // WORKSPACE/.tenex-hooks.json; a missing file means no hooks
//	if err != nil {
//		fmt.Fprintln(os.Stderr, err) // every error in the file, each as file:line:col: message
//		return                       // and no tool runs: a gate that cannot be read must not look like one that approved
//	}
//
// A file in TENEX's form is read strictly: what is not understood is an error, never skipped. TENEX's own load unchanged. A file whose
// "hooks" is an object is in the form of a client: Claude Code's, unless it lies in a folder .codex or .gemini, or a Loader says whose it
// is. LoadFile reads such files as well, and LoadClaude those that Claude Code would. There an unknown event or field is a warning, since
// the next version of the client may know it. A file that ends in .toml is a config.toml of Codex, and one that ends in .yaml or .yml
// a MassGen config, of which the hooks are read, for all agents and for one, by the same rule.
//
// Guarantees:
//
//   - A Config is returned only for files without any error.
//   - All errors are reported at once, in the order of the file. Lines and columns count from 1; a column is a
//     character, a byte order mark is none.
//   - A file costs time linear in its size, and is read up to 1 MiB.
//   - A Config is never changed after it was returned, but by Add, and is safe for concurrent use.
//
// Not guaranteed: that a program which Inspect found is still there when the hook runs.
package hookfile
