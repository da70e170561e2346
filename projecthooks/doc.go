// Package projecthooks reads the hooks of a project from its files.
//
//	cfg, err := projecthooks.Load(dir, projecthooks.LoadOptions{})
//	if err != nil {
//		fmt.Fprintln(os.Stderr, err) // every error in the files, each as file:line:col: message
//		return                       // and no tool runs: nobody knows what the gates would say
//	}
//
// Package runner runs the hooks of a Config.
//
// A file in TENEX's form is read strictly: what is not understood is an error, never skipped. TENEX's own load
// unchanged. A file whose "hooks" is an object is in the form of a client: Claude Code's, unless it lies in a folder
// .codex or .gemini. There an unknown event or field is a warning, since the next
// version of the client may know it. A file that ends in .toml is a config.toml of Codex, and one that ends in .yaml or
// .yml a MassGen config, of which the hooks are read, for all agents and for one, by the same rule.
//
// Load reads more than the project's file: before it the managed file of the machine and the user's own, unless
// LoadOptions.ProjectOnly is set, and behind it the local one. Hooks run in that order.
//
// Guarantees:
//
//   - A Config is returned only for files without any error.
//   - All errors are reported at once, in the order of the files. Lines and columns count from 1; a column is a
//     character, a byte order mark is none.
//   - A file costs time linear in its size, and is read up to 1 MiB.
//   - The hooks of a Config never change, and it is safe for concurrent use.
//   - A nil or zero Config has no hooks to show, and blocks every call of a Runner that is given it.
//
// Not guaranteed: that the programs which a file names are there. `hookrun check` looks for them.
package projecthooks
