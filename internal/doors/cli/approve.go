package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/core/approval"
	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/internal/lib/printable/terminal"
	"github.com/hookrun/hookrun/internal/lib/state"
	"github.com/hookrun/hookrun/internal/trust/ancestor"
)

var approve = command{
	name:    "approve",
	args:    "[CODE]",
	summary: "let a call pass once that a hook has blocked",
	about: `Shows the blocked call that has the code, and asks at the terminal whether it may pass once. The code
stands in the reason of the block. The same call passes once within ten minutes: the same tool,
arguments, workspace, folder and session. Without CODE it lists the calls that wait.

A block has a code if its hook is "approvable", or if the hook asks and the client can ask nobody. It
refuses below the process of an agent, below a hook, and without a terminal. An agent that may run any
program as you can get around that.`,
	example: "  hookrun approve\n  hookrun approve k3r47q2a",
	setup: func(*pflag.FlagSet) func([]string, Streams) (int, error) {
		return func(args []string, std Streams) (int, error) {
			dir, err := state.Folder()
			switch {
			case err != nil:
				return 0, err
			case len(args) > 1:
				return 0, fmt.Errorf("unexpected argument %q; give one CODE", args[1])
			case len(args) == 0:
				return exitOK, listWaiting(dir, std)
			}
			return exitOK, approveCall(dir, args[0], std)
		}
	},
}

// listWaiting prints the calls that wait for a person.
func listWaiting(dir string, std Streams) error {
	waiting, err := approval.Waiting(dir)
	if err != nil {
		return err
	}
	if len(waiting) == 0 {
		return write(std, "no call waits\n")
	}
	var b strings.Builder
	for _, r := range waiting {
		when := r.Asked.Local().Format(time.DateTime)
		fmt.Fprintf(&b, "%s  %s  %s\n", r.Code(), when, terminal.Ellipsize(r.Tool+" "+r.Args, 85))
	}
	return write(std, b.String())
}

// approveCall shows a call, and approves the call if a person agrees.
func approveCall(dir, code string, std Streams) error {
	if agent := ancestor.Agent(); agent != "" {
		return fmt.Errorf("this is below %s, and an agent cannot approve; run it in a terminal of your own", agent)
	}
	r, err := approval.Read(dir, code)
	if errors.Is(err, fs.ErrNotExist) {
		const text = "no call waits under the code %s; hookrun approve lists those that do"
		return fmt.Errorf(text, printable.Escape(code))
	}
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, line := range [][2]string{{"tool", r.Tool}, {"arguments", r.Args}, {"workspace", r.Workspace},
		{"folder", r.Dir}, {"session", r.Session}, {"agent", r.Agent}, {"blocked by", r.Hook}, {"reason", r.Reason}} {
		if line[1] != "" {
			fmt.Fprintf(&b, "%-11s %s\n", line[0]+":", printable.Escape(line[1]))
		}
	}
	if err := write(std, b.String()); err != nil {
		return err
	}
	yes, err := terminal.Confirm(b.String(), "Let this call pass once? [y/N] ")
	switch {
	case errors.Is(err, terminal.ErrNone):
		return errors.New("there is no terminal to ask at; a person must run it at one")
	case err != nil:
		return err
	case !yes:
		return errors.New("nothing was approved")
	}
	if err := r.Approve(dir); err != nil {
		return err
	}
	return write(std, "approved: have the agent call it again within "+approval.Valid.String()+"\n")
}
