// Command hookrun runs a project's hooks for an agent loop: see README.md, or hookrun --help.
package main

import (
	"os"

	"github.com/hookrun/hookrun/internal/cli"
)

func main() { os.Exit(run(os.Args)) }

// run has a large frame, so that the stack grows here, once. Else it would grow some four times on the way to the first hook, and each
// time the runtime looks up the frames so far in tables whose pages are not in memory yet: that is a fiftieth of a start.
//
//go:noinline
func run(args []string) int {
	if len(args) == 0 { // never, but its variable is in the frame
		var room [20 << 10]byte
		return int(room[os.Getpid()])
	}
	return cli.Run(args[1:], cli.Standard())
}
