package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// The hooks of the recorded cases are scripts for a POSIX shell. Windows has none, so this program is one under the
// names sh.exe and bash.exe: an interpreter with the few programs that most scripts call. A script that asks for more
// ends with 127, and notes in a file what it was; such a case is left out.

// missingVariable names the file for what is missing.
const missingVariable = "CONFORMANCE_MISSING"

func init() {
	switch strings.TrimSuffix(strings.ToLower(filepath.Base(os.Args[0])), ".exe") {
	case "sh", "bash":
		os.Exit(runShell(os.Args[1:]))
	case "git": // it is there to be found
		os.Exit(127)
	}
}

// runShell is sh -c LINE [ARG…] or sh FILE [ARG…].
func runShell(args []string) int {
	streams := interp.HandlerContext{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	err := shell(context.Background(), streams, args)
	var status interp.ExitStatus
	if errors.As(err, &status) {
		return int(status)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	return 0
}

func shell(ctx context.Context, in interp.HandlerContext, args []string) error {
	if len(args) == 0 {
		return lacks("sh without arguments")
	}
	text, name := "", args[0]
	if args[0] == "-c" {
		text, name = args[1], "sh"
		args = args[1:]
	} else {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(in.Dir, path)
		}
		doc, err := os.ReadFile(path)
		if err != nil {
			fmt.Fprintf(in.Stderr, "sh: 0: cannot open %s: No such file\n", name)
			return interp.ExitStatus(127)
		}
		text = string(doc)
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(text), name)
	if err != nil {
		return lacks("the words of a shell about faults of syntax")
	}
	var what string
	syntax.Walk(file, func(node syntax.Node) bool {
		if s, ok := node.(*syntax.Stmt); ok && s.Background {
			what = "a process in the background"
		}
		return true
	})
	if what != "" {
		return lacks(what)
	}
	runner, err := interp.New(interp.StdIO(in.Stdin, in.Stdout, in.Stderr), interp.Dir(in.Dir), interp.Env(in.Env),
		interp.Params(append([]string{"--"}, args[1:]...)...), interp.CallHandler(call), interp.OpenHandler(open),
		interp.ExecHandlers(func(interp.ExecHandlerFunc) interp.ExecHandlerFunc { return execute }))
	if err != nil {
		return err
	}
	return runner.Run(ctx, file)
}

// lacks notes what a script needs, if no other has noted something.
func lacks(what string) error {
	file, err := os.OpenFile(os.Getenv(missingVariable), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return interp.ExitStatus(127)
	}
	if err == nil {
		_, err = file.WriteString(what)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		return err
	}
	return interp.ExitStatus(127)
}

// call looks at each command of a script: these are about processes and signals of Unix.
func call(_ context.Context, args []string) ([]string, error) {
	switch args[0] {
	case "kill", "exec", "wait", "ulimit", "umask":
		return nil, lacks(args[0])
	case "trap":
		if args[len(args)-1] != "EXIT" {
			return nil, lacks("trap of a signal")
		}
	}
	return args, nil
}

// open has nothing in the files of /proc, which the scripts note.
func open(ctx context.Context, path string, flag int, mode os.FileMode) (io.ReadWriteCloser, error) {
	if strings.HasPrefix(filepath.ToSlash(path), "/proc/") {
		path = os.DevNull
	}
	return interp.DefaultOpenHandler()(ctx, path, flag, mode)
}

// execute runs a script, or one of these programs.
func execute(ctx context.Context, args []string) error {
	in := interp.HandlerCtx(ctx)
	name, args := args[0], args[1:]
	switch name {
	case "sh":
		return shell(ctx, in, args)
	case "cat":
		for _, path := range args {
			file, err := open(ctx, path, os.O_RDONLY, 0)
			if err != nil {
				fmt.Fprintf(in.Stderr, "cat: %s: No such file or directory\n", path)
				return interp.ExitStatus(1)
			}
			_, err = io.Copy(in.Stdout, file)
			if err := errors.Join(err, file.Close()); err != nil {
				return interp.ExitStatus(1)
			}
		}
		if len(args) == 0 {
			_, _ = io.Copy(in.Stdout, in.Stdin)
		}
		return nil
	case "date":
		fmt.Fprintf(in.Stdout, "%.6f\n", float64(time.Now().UnixMicro())/1e6) // +%s.%N
		return nil
	case "head":
		if n, err := strconv.Atoi(strings.TrimPrefix(strings.Join(args[:min(len(args), 2)], ""), "-c")); err == nil {
			if args[len(args)-1] == "/dev/zero" {
				_, err = in.Stdout.Write(make([]byte, n))
			} else {
				_, _ = io.CopyN(in.Stdout, in.Stdin, int64(n)) // there may be less
			}
			return failed(err)
		}
	case "mkdir":
		return failed(os.MkdirAll(args[len(args)-1], 0o755))
	case "sleep":
		if seconds, err := strconv.ParseFloat(args[0], 64); err == nil {
			time.Sleep(time.Duration(seconds * float64(time.Second)))
			return nil
		}
	case "tr":
		from, ok := map[string]string{`\0`: "\x00", `\000`: "\x00", " ": " "}[args[0]]
		if text, err := io.ReadAll(in.Stdin); ok && err == nil {
			to := strings.ReplaceAll(args[1], `\n`, "\n")
			_, err := io.WriteString(in.Stdout, strings.ReplaceAll(string(text), from, to))
			return failed(err)
		}
	default:
		if strings.ContainsAny(name, `/\`) {
			return script(ctx, in, name, args)
		}
	}
	return lacks(name)
}

// script runs a file by its #! line, if it is for a shell.
func script(ctx context.Context, in interp.HandlerContext, name string, args []string) error {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(in.Dir, path)
	}
	doc, err := os.ReadFile(path)
	line, _, _ := strings.Cut(string(doc), "\n")
	if err != nil || strings.HasPrefix(line, "#!") && !strings.HasSuffix(line, "sh") {
		fmt.Fprintf(in.Stderr, "sh: 1: %s: not found\n", name)
		return interp.ExitStatus(127)
	}
	return shell(ctx, in, append([]string{name}, args...))
}

func failed(err error) error {
	if err != nil {
		return interp.ExitStatus(1)
	}
	return nil
}
