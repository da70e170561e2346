// Command hookrun runs a project's hooks for an agent loop: see README.md, or hookrun --help.
package main

import (
	"os"

	"github.com/hookrun/hookrun/internal/doors/cli"
)

func main() { os.Exit(cli.Run(os.Args[1:], cli.Standard())) }
