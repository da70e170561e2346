package process_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"time"

	"golang.org/x/sys/windows"

	"github.com/hookrun/hookrun/internal/core/process"
	"github.com/hookrun/hookrun/internal/core/process/processtest"
)

// roles are what the processes of the tests do: this program is all of them. A role that hangs ends by itself.
var roles = map[string]func(args []string){
	"exit": func(args []string) {
		fmt.Print("partial\n")
		code, _ := strconv.ParseUint(args[0], 0, 32)
		windows.ExitProcess(uint32(code))
	},
	"cat": func([]string) { _, _ = io.Copy(os.Stdout, os.Stdin) },
	"answer first": func([]string) {
		_, _ = os.Stdout.Write(bytes.Repeat([]byte("z"), 1_000_000))
		n, _ := io.Copy(io.Discard, os.Stdin)
		fmt.Println(n)
	},
	"close stdin": func([]string) {
		os.Stdin.Close()
		fmt.Println("hi")
	},
	"wait": func([]string) { processtest.SayReady() },
	"lines": func([]string) {
		lines := bufio.NewScanner(os.Stdin)
		for n := 1; lines.Scan(); n++ {
			if lines.Text() == "hang" {
				_, _ = io.Copy(io.Discard, os.Stdin) // until the caller is gone
			}
			fmt.Println(n, lines.Text())
		}
	},
	"flood": func([]string) {
		go processtest.SayReady()
		for {
			if _, err := os.Stdout.Write(bytes.Repeat([]byte("y\n"), 32<<10)); err != nil {
				return
			}
		}
	},
	"print": func(args []string) {
		n, _ := strconv.Atoi(args[0])
		fmt.Println("first")
		for range n >> 20 {
			_, _ = os.Stdout.Write(bytes.Repeat([]byte("x"), 1<<20))
		}
		fmt.Println("\nlast")
	},
	"notice CTRL_BREAK": func([]string) {
		events := make(chan os.Signal, 1)
		signal.Notify(events, os.Interrupt)
		open := make(chan struct{})
		go func() {
			processtest.SayReady()
			close(open)
		}()
		select {
		case <-events:
			_ = os.WriteFile("trace", nil, 0o600)
		case <-open:
		}
	},
	"ignore CTRL_BREAK": func([]string) {
		signal.Ignore(os.Interrupt)
		processtest.SayReady()
	},
	// leave starts a child and exits with a code.
	"leave": func(args []string) {
		child := processtest.ChildOf("wait", 0)
		if args[1] == "holds stdout" {
			child.Stdout, child.Stderr = os.Stdout, os.Stderr
		}
		processtest.OrExit(child.Start())
		fmt.Print("out\n")
		fmt.Fprint(os.Stderr, "why\n")
		code, _ := strconv.Atoi(args[0])
		os.Exit(code)
	},
	// tree starts a child with some flags of CreateProcess, and waits.
	"tree": func(args []string) {
		flags, _ := strconv.ParseUint(args[0], 0, 32)
		child := processtest.ChildOf("wait", uint32(flags))
		if err := child.Start(); err != nil {
			fmt.Println(err)
			processtest.OrExit(processtest.ChildOf("wait", 0).Start()) // so that there are two in any case
		}
		processtest.SayReady()
	},
	// orphan starts a child that starts another one and ends.
	"orphan": func([]string) {
		processtest.OrExit(processtest.ChildOf("leave", 0, "0", "").Start())
		processtest.SayReady()
	},
	"handle": func(args []string) {
		number, _ := strconv.ParseUint(args[0], 10, 64)
		path := make([]uint16, 1024)
		n, err := windows.GetFinalPathNameByHandle(windows.Handle(number), &path[0], uint32(len(path)), 0)
		fmt.Println(windows.UTF16ToString(path[:n]), err)
	},
	"window": func([]string) {
		window, _, _ := windows.NewLazySystemDLL("kernel32.dll").NewProc("GetConsoleWindow").Call()
		visible, _, _ := windows.NewLazySystemDLL("user32.dll").NewProc("IsWindowVisible").Call(window)
		fmt.Println("visible", visible)
	},
	// host is a program that is killed while its process runs.
	"host": func([]string) {
		self, _ := os.Executable()
		var s process.Supervisor
		p, err := s.Start(process.Program{Path: self, Args: []string{self, "tree", "0"}, Env: os.Environ()},
			process.Input{[]byte("line\n")}, time.Now().Add(2*processtest.Patience), nil)
		processtest.OrExit(err)
		go processtest.SayReady()
		p.Wait(context.Background())
	},
}
