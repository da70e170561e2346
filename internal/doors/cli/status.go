package cli

import (
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/lib/crash"
	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/internal/lib/spelling"
)

var status = command{
	name:    "status",
	args:    "[DIR] [FLAGS]",
	takes:   folders,
	summary: "show whether a project's hooks are those that were allowed",
	masks:   true,
	about: `Shows whether the hooks of the project are allowed, how they differ from what was allowed, and which
are switched off or only observe. With -o json also which clients are here, with their entries for
hookrun, their last call, and the last test call of hookrun doctor. A line "warm" is for each persistent
hook with a process that waits for the next call; --end ends these processes, and shows nothing else.`,
	exits: []exitCode{{exitOK, "allowed, or there are none"}, {exitFailed, failed},
		{exitBlock, "changed since they were allowed"}, {exitUnknown, "unknown: nobody has allowed them"}},
	example: "  hookrun status\n  hookrun status -o json\n  hookrun status --line",
	setup: func(flags *pflag.FlagSet) func([]string, Streams) (int, error) {
		var f hooksFlags
		f.defineFiles(flags)
		var output string
		defineOutput(flags, &output, "text", "json")
		const oneLine = "print one line for a status bar, and exit with 0 whatever is wrong"
		line := flags.Bool("line", false, oneLine)
		end := flags.Bool("end", false, "end the processes of persistent hooks that are warm here")
		return func(args []string, std Streams) (int, error) {
			if *line {
				_ = write(std, printable.Escape(spelling.Brief(f.statusLine(args), 300))+"\n")
				return exitOK, nil
			}
			if err := checkOutput(flags); err != nil {
				return 0, err
			}
			if *end {
				return exitOK, f.endWarm(args, output, std)
			}
			s, err := f.trustState(args)
			if err != nil {
				return 0, err
			}
			r := statusReport{}
			if r.Report, err = s.Report(); err != nil {
				return 0, err
			}
			if err := r.AddOff(&s, machineOf("")); err != nil {
				return 0, err
			}
			r.Warm = warmIn(s.Now.Workspace)
			return statusExit(r.Status), writeAs(std, output, r, r.String)
		}
	},
}

// exitUnknown is the exit code of status if nobody has allowed the hooks.
const exitUnknown = 3

func statusExit(status string) int {
	switch status {
	case "changed":
		return exitBlock
	case "unknown":
		return exitUnknown
	}
	return exitOK
}

// statusLine returns one line for a status bar.
func (f *hooksFlags) statusLine(args []string) (text string) {
	var err error
	defer func() {
		if err != nil {
			first, _, _ := strings.Cut(err.Error(), "\n")
			text = "hookrun: PROBLEM: " + first
		}
	}()
	defer crash.Catch(&err)
	s, err := f.trustState(args)
	if err != nil {
		return ""
	}
	r, err := s.Report()
	if err != nil {
		return ""
	}
	if err = r.AddOff(&s, machineOf("")); err != nil {
		return ""
	}
	return r.Line(time.Now())
}
