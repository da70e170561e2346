// Package projecthooks reads the hooks of a project from its files.
//
//	package main
//
//	import (
//		"fmt"
//		"log"
//
//		"github.com/hookrun/hookrun/projecthooks"
//	)
//
//	func main() {
//		cfg, err := projecthooks.Load(".", projecthooks.LoadOptions{})
//		if err != nil {
//			log.Fatal(err) // every error in the files, each as file:line:col: message; run no tool
//		}
//		for _, h := range cfg.Hooks() {
//			fmt.Println(h.Name, h.Events, h.Command)
//		}
//	}
//
// Package runner runs the hooks of a Config.
//
// A file in TENEX's form is read strictly: a key or value that hookrun does not understand is an error, never skipped.
// TENEX's own files load unchanged. A file in a client's folder, such as .codex or .gemini, is in the form of this
// client. Elsewhere a file whose "hooks" is an object is in Claude Code's form. An unknown event or field of a client's
// form is a warning, because the next version of the client may know it. A file that ends in .toml is a config.toml of
// Codex. A file that ends in .yaml or .yml is a MassGen config with hooks for all agents and for single agents; unknown
// fields are warnings in it, too.
//
// Load reads more than the project's file. First come the managed file of the machine and the user's own file, unless
// LoadOptions.ProjectOnly is set; last comes the project's local file. Hooks run in that order.
//
// Guarantees:
//
//   - Load and Parse return a Config only if the files have no error.
//   - All errors are reported at once, in the order of the files. Lines and columns count from 1. A column is a
//     character; a byte order mark does not count.
//   - Reading a file takes time linear in its size. At most 1 MiB is read.
//   - The hooks of a Config never change. A Config is safe for concurrent use.
//   - A nil or zero Config lists no hooks, and a Runner with such a Config blocks every call.
//
// Not guaranteed: that the programs in a file exist. `hookrun check` looks for them.
package projecthooks
