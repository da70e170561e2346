// Package hooks reads the hooks of a project with the parts that a program names.
//
//	package main
//
//	import (
//		"fmt"
//		"log"
//
//		"github.com/hookrun/hookrun/hooks"
//		"github.com/hookrun/hookrun/hooks/clients/claude"
//		"github.com/hookrun/hookrun/hooks/rules"
//	)
//
//	func main() {
//		loader := hooks.Loader{Parts: []hooks.Part{claude.Part, rules.Part}}
//		cfg, err := loader.Load(".", hooks.LoadOptions{})
//		if err != nil {
//			log.Fatal(err) // every error in the files, each as file:line:col: message; run no tool
//		}
//		for _, h := range cfg.Hooks() {
//			fmt.Println(h.Name, h.Events, h.Command)
//		}
//	}
//
// Package projecthooks does the same with all parts. A program that links little imports hooks instead, and only the
// parts that its files need: a client by its package in hooks/clients, the rules of "if" and "packs" by hooks/rules,
// HTTP hooks by hooks/requests, and trust by hooks/trust. Package runner runs the hooks of a Config.
//
// Guarantees:
//
//   - Without parts a Loader reads hookrun's own form alone. If a file needs another part, Load returns an error with
//     the position. No hook is skipped.
//   - A Runner that must check trust, and has a Config without hooks/trust, blocks every call.
//   - The guarantees of package projecthooks.
//
// Not guaranteed: that a file of a client which is not among the parts is found to be a client's file. Such a file is
// read in hookrun's own form, and has errors.
package hooks
