//go:build !windows

package doctor

import (
	"cmp"
	"os/exec"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/process"
)

// setShell sets up p to run a command in the client's shell.
func (c *checked) setShell(p *process.Program, command string) (err error) {
	shell := "/bin/sh"
	if c.Completed(dialect.Command{}).Bash {
		shell = "bash"
	}
	shell = cmp.Or(c.Shell(), shell)
	p.Args = []string{shell, "-c", command}
	p.Path, err = exec.LookPath(shell)
	return err
}
