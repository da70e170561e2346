package doctor

import (
	"path/filepath"

	"golang.org/x/sys/windows"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/launch"
	"github.com/hookrun/hookrun/internal/core/process"
)

// setShell sets up p to run a command in the client's shell.
func (c *checked) setShell(p *process.Program, command string) (err error) {
	if c.WindowsShell == client.Cmd {
		system, err := windows.GetSystemDirectory()
		p.Path, p.Args = filepath.Join(system, "cmd.exe"), []string{"cmd.exe", "/d", "/s", "/c", command}
		return err
	}
	hook := hook.Hook{Handler: &hook.Process{Command: hook.Command{Shell: command,
		PowerShell: c.WindowsShell == client.PowerShell}}}
	p.Path, p.Args, err = launch.Program(&hook, p.Dir, p.Env)
	return err
}
