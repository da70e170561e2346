package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/pflag"
)

var version = command{
	name:    "version",
	summary: "print the version",
	about:   "Prints the version of hookrun, of the Go that built it, and the system it was built for.",
	example: "  hookrun version",
	setup: func(*pflag.FlagSet) func([]string, Streams) (int, error) {
		return func(args []string, std Streams) (int, error) {
			if err := noArgs(args); err != nil {
				return 0, err
			}
			return exitOK, write(std, fmt.Sprintf("hookrun %s %s %s/%s\n",
				installed(), runtime.Version(), runtime.GOOS, runtime.GOARCH))
		}
	},
}

// installed returns the version of hookrun's module.
func installed() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(unknown)"
}
