package binary

import (
	"context"
	"errors"
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
			fmt.Fprintf(own.err, "sh: 0: cannot open %s: No such file\n", name)
			return notFound
		}
		script, args = string(text), args[1:]
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(script), name)
	if err != nil {
		if lacks("the words of a shell about faults of syntax") {
			return notFound
		}
		own.fail("sh", err)
		return 2
	}
	if inBackground(file) && lacks("a process in the background") {
		return notFound
	}
	runner, err := interp.New(append(more, interp.StdIO(own.in, own.out, own.err), interp.Dir(own.dir),
		interp.Params(append([]string{"--"}, args...)...), interp.CallHandler(call), interp.OpenHandler(open),
		interp.ExecHandlers(inProcess))...)
	if err == nil {
		err = runner.Run(context.Background(), file)
	}
	var status interp.ExitStatus
	if errors.As(err, &status) {
		return int(status)
	} else if err != nil {
		return own.fail("sh", err)
	}
	return 0
}

func inBackground(file *syntax.File) (found bool) {
	syntax.Walk(file, func(node syntax.Node) bool {
		statement, is := node.(*syntax.Stmt)
		found = found || is && statement.Background
		return true
	})
	return found
}

// LacksVariable names a file in which the shell notes the first thing that a script needs and the shell does not have.
// Without the variable it does what it can.
const LacksVariable = "HOOKRUN_TEST_LACKS"

// notFound is the exit code of a shell that does not find a program.
const notFound = 127

// lacks notes what a script needs, and reports whether anybody wants to know: then the script need not go on.
func lacks(what string) bool {
	path := os.Getenv(LacksVariable)
	if file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
		_, _ = file.WriteString(what)
		_ = file.Close()
	}
	return path != ""
}

// call looks at each command of a script: these are about processes, signals and modes of Unix.
func call(_ context.Context, args []string) ([]string, error) {
	switch args[0] {
	case "trap", "kill", "exec", "wait", "ulimit", "umask", "chmod":
		atExit := args[0] == "trap" && args[len(args)-1] == "EXIT"
		if !atExit && lacks(args[0]) {
			return nil, interp.ExitStatus(notFound)
		}
	}
	return args, nil
}

// open opens what a script redirects to or from.
func open(ctx context.Context, path string, flag int, mode os.FileMode) (io.ReadWriteCloser, error) {
	if isEmpty(path) {
		path = "/dev/null"
	}
	return interp.DefaultOpenHandler()(ctx, path, flag, mode)
}

// isEmpty says of which files of Unix nothing is to be read. A script notes what /proc has.
func isEmpty(path string) bool {
	slashed := filepath.ToSlash(path)
	return slashed == "/dev/null" || strings.HasPrefix(slashed, "/proc/")
}

// inProcess runs the tools, shells and scripts that a script calls in the process of the shell.
func inProcess(next interp.ExecHandlerFunc) interp.ExecHandlerFunc {
	return func(ctx context.Context, args []string) error {
		shell := interp.HandlerCtx(ctx)
		own := streams{shell.Stdin, shell.Stdout, shell.Stderr, shell.Dir}
		name, code := args[0], 0
		if tool := tools[name]; tool != nil {
			code = tool(own, args[1:])
		} else if name == "sh" || name == "bash" || name == "/bin/sh" { // the sh of Git for Windows has a /bin/sh too
			code = sh(own, args[1:], interp.Env(shell.Env))
		} else if own.isScript(name) {
			code = sh(own, args, interp.Env(shell.Env))
		} else if path, err := interp.LookPathDir(shell.Dir, shell.Env, name); err == nil && isProgram(path) {
			return next(ctx, args)
		} else {
			if !strings.ContainsAny(name, `/\`) {
				lacks(name)
			}
			fmt.Fprintf(shell.Stderr, "sh: 1: %s: not found\n", name)
			code = notFound
		}
		if code != 0 {
			return interp.ExitStatus(code)
		}
		return nil
	}
}

func isProgram(path string) bool { return strings.EqualFold(filepath.Ext(path), programSuffix) }

// streams are those of a tool, and its current folder.
type streams struct {
	in       io.Reader
	out, err io.Writer
	dir      string
}

func (s streams) path(name string) string {
	switch {
	case isEmpty(name):
		return os.DevNull
	case filepath.IsAbs(name):
		return name
	}
	return filepath.Join(s.dir, name)
}

// isScript reports whether a file has no #! line or that of a shell.
func (s streams) isScript(name string) bool {
	if !strings.ContainsAny(name, `/\`) || isProgram(name) {
		return false
	}
	text, err := os.ReadFile(s.path(name))
	line, _, _ := strings.Cut(string(text), "\n")
	return err == nil && (strings.HasSuffix(line, "sh") || !strings.HasPrefix(line, "#!"))
}

// fail says why a tool fails.
func (s streams) fail(tool string, err error) int {
	if errors.Is(err, errUsage) && lacks(tool) {
		return notFound
	}
	fmt.Fprintf(s.err, "%s: %v\n", tool, err)
	return 1
}
