package binary

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// Windows has no POSIX shell, and Wine can have none. So a program of tests is one, and the tools that most hooks call,
// if it is started by their name. Where Git for Windows is installed, hookrun takes Git's sh for its hooks.

// asTool runs a tool, and ends the process, if this program was started as one.
func asTool() {
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(os.Args[0])), programSuffix)
	own := streams{os.Stdin, os.Stdout, os.Stderr, "."}
	if name == "sh" || name == "bash" {
		os.Exit(sh(own, os.Args[1:]))
	}
	if tool := tools[name]; tool != nil {
		os.Exit(tool(own, os.Args[1:]))
	}
}

// putTools makes the tools in a folder, and puts it into PATH.
func putTools(dir string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	names := []string{"sh", "bash"}
	for name := range tools {
		names = append(names, name)
	}
	for _, name := range names {
		if err := os.Link(self, filepath.Join(dir, name+programSuffix)); err != nil {
			return err
		}
	}
	return os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// sh is `sh -c SCRIPT [NAME [ARG…]]`, or `sh FILE [ARG…]`.
func sh(own streams, args []string, more ...interp.RunnerOption) int {
	if len(args) == 0 {
		return own.fail("sh", errUsage)
	}
	var script string
	name := args[0]
	if name == "-c" && len(args) > 1 {
		script, name, args = args[1], "sh", args[2:]
		if len(args) > 0 {
			name, args = args[0], args[1:]
		}
	} else {
		text, err := os.ReadFile(own.path(name))
		if err != nil {
			return own.fail("sh", err)
		}
		script, args = string(text), args[1:]
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(script), name)
	if err != nil {
		own.fail("sh", err)
		return 2
	}
	runner, err := interp.New(append(more, interp.StdIO(own.in, own.out, own.err), interp.Dir(own.dir),
		interp.Params(append([]string{"--"}, args...)...), interp.ExecHandlers(inProcess))...)
	if err == nil {
		err = runner.Run(context.Background(), file)
	}
	if status, exited := interp.IsExitStatus(err); exited {
		return int(status)
	} else if err != nil {
		return own.fail("sh", err)
	}
	return 0
}

// inProcess runs the tools and scripts that a script calls in the process of the shell.
func inProcess(next interp.ExecHandlerFunc) interp.ExecHandlerFunc {
	return func(ctx context.Context, args []string) error {
		shell := interp.HandlerCtx(ctx)
		own := streams{shell.Stdin, shell.Stdout, shell.Stderr, shell.Dir}
		code := 0
		if tool := tools[args[0]]; tool != nil {
			code = tool(own, args[1:])
		} else if own.isScript(args[0]) {
			code = sh(own, args, interp.Env(shell.Env))
		} else if _, err := interp.LookPathDir(shell.Dir, shell.Env, args[0]); err != nil {
			fmt.Fprintf(shell.Stderr, "sh: 1: %s: not found\n", args[0])
			code = 127
		} else {
			return next(ctx, args)
		}
		if code != 0 {
			return interp.ExitStatus(code)
		}
		return nil
	}
}

// streams are those of a tool, and its current folder.
type streams struct {
	in       io.Reader
	out, err io.Writer
	dir      string
}

func (s streams) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(s.dir, name)
}

func (s streams) isScript(name string) bool {
	if !strings.ContainsAny(name, `/\`) {
		return false
	}
	text, err := os.ReadFile(s.path(name))
	return err == nil && strings.HasPrefix(string(text), "#!/bin/sh")
}

func (s streams) fail(tool string, err error) int {
	fmt.Fprintf(s.err, "%s: %v\n", tool, err)
	return 1
}
