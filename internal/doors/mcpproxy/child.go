package mcpproxy

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/hookrun/hookrun/internal/core/process"
)

// Child is an MCP server that runs as a child of this process, in its own process group.
type Child struct {
	command *exec.Cmd
	stdin   *os.File
	stdout  *os.File
	exited  chan struct{} // closed when the server has exited
	err     error         // of Wait
}

// Limits for the exit of a server. Clients wait a second or two for this process and then kill it.
const (
	killGrace = 2 * time.Second
	exitGrace = process.TermTime // from the end of the server's output to its exit
)

// Start starts a server with the environment env. The server shares our stderr.
func Start(argv, env []string) (*Child, error) {
	// With StdoutPipe, Wait would close the pipe and lose the server's last output.
	in, stdin, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	stdout, out, err := os.Pipe()
	if err != nil {
		stdin.Close()
		return nil, err
	}
	defer out.Close()
	command := exec.Command(argv[0], argv[1:]...)
	command.Env, command.SysProcAttr = env, ownGroup()
	command.Stdin, command.Stdout, command.Stderr = in, out, os.Stderr
	if err := command.Start(); err != nil {
		stdin.Close()
		stdout.Close()
		return nil, fmt.Errorf("starting the server: %w", err)
	}
	c := &Child{command: command, stdin: stdin, stdout: stdout, exited: make(chan struct{})}
	go func() {
		c.err = command.Wait()
		close(c.exited)
	}()
	return c, nil
}

// Server returns the child's streams for Run.
func (c *Child) Server() Server {
	return Server{In: c.stdin, Out: c.stdout, DescribeEnd: func() string {
		if !c.exits(exitGrace) {
			return "it closed its output"
		}
		return c.how()
	}}
}

// how describes the exit of the server.
func (c *Child) how() string {
	if c.err == nil {
		return "exit status 0"
	}
	return c.err.Error()
}

func (c *Child) exits(within time.Duration) bool {
	select {
	case <-c.exited:
		return true
	case <-time.After(within):
		return false
	}
}

// End kills the server and its process group. The server's input must be closed. End returns an error if the server
// survives, or had failed before.
func (c *Child) End() error {
	defer c.stdout.Close()
	own := false
	select {
	case <-c.exited:
		own = true
	default:
	}
	c.endGroup(process.TermTime)
	switch {
	case !c.exits(killGrace):
		return errors.New("the server cannot be killed")
	case own && c.err != nil:
		return fmt.Errorf("the server ended: %s", c.how())
	}
	return nil
}
