package e2e

import (
	"fmt"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/windows"

	"github.com/hookrun/hookrun/internal/core/process/processtest"
)

// roles are what the hooks of the tests do: this program is all of them.
var roles = map[string]func(args []string){
	"print": func(args []string) { fmt.Println(strings.Join(args, " ")) },
	"show": func(args []string) {
		text, err := os.ReadFile(args[0])
		processtest.OrExit(err)
		_, _ = os.Stdout.Write(text)
	},
	"folder": func([]string) {
		dir, err := os.Getwd()
		processtest.OrExit(err)
		fmt.Println(dir)
	},
	"wait": func([]string) { processtest.SayReady() },
	// tree starts a child and waits.
	"tree": func([]string) {
		processtest.OrExit(processtest.ChildOf("wait", 0).Start())
		processtest.SayReady()
	},
	// leave starts a child, and exits.
	"leave": func(args []string) {
		child := processtest.ChildOf("wait", 0)
		child.Stdout = os.Stdout
		processtest.OrExit(child.Start())
		fmt.Println(strings.Join(args, " "))
	},
	// send sends a control event to all processes of another's console.
	"send": func(args []string) {
		var pid, event uint32
		_, err := fmt.Sscan(strings.Join(args, " "), &pid, &event)
		processtest.OrExit(err)
		kernel := windows.NewLazySystemDLL("kernel32.dll")
		if ok, _, err := kernel.NewProc("AttachConsole").Call(uintptr(pid)); ok == 0 {
			processtest.OrExit(err)
		}
		ignore := syscall.NewCallback(func(uintptr) uintptr { return 1 })
		_, _, _ = kernel.NewProc("SetConsoleCtrlHandler").Call(ignore, 1)
		processtest.OrExit(windows.GenerateConsoleCtrlEvent(event, 0))
	},
}
