package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/doors/calls"
	"github.com/hookrun/hookrun/internal/lib/files/owner"
	"github.com/hookrun/hookrun/internal/record/lastrun"
	"github.com/hookrun/hookrun/internal/record/runlog"
	"github.com/hookrun/hookrun/internal/texts/ipc"
	"github.com/hookrun/hookrun/internal/texts/queue"
	"github.com/hookrun/hookrun/internal/trust/report"
)

// logVariable is the variable with the path of the run log, if no flag names the log.
const logVariable = "HOOKRUN_LOG"

// defaultLog stands for run.log in the folder of the user's state, so a project's settings can mean each colleague's
// own log.
const defaultLog = "default"

// logPath returns the path of the run log for the name in a flag or the variable.
func logPath(name string) (string, error) {
	if name != defaultLog {
		return name, nil
	}
	dir, err := queue.DefaultDir()
	if err != nil {
		return "", fmt.Errorf("finding the default place of the run log: %w", err)
	}
	return filepath.Join(dir, "run.log"), nil
}

// stateFlags are the flags of what lasts longer than a call: the queues, and the run log.
type stateFlags struct {
	queue      queue.Queue
	ipc        string // MassGen's folder; "": none
	file, size *pflag.Flag
	redact     []string
	wholeArgs  bool
	log        *runlog.Log // nil: no log
	path       string      // of log
}

// defineIPC adds the flag for the folder in which MassGen leaves a text.
func defineIPC(flags *pflag.FlagSet, dir *string) {
	flags.StringVar(dir, "massgen-ipc", "",
		"`DIR` in which MassGen leaves a text for the next result, as "+ipc.FileName)
}

// stateDir returns the folder of the user's state.
func (l *stateFlags) stateDir() (string, error) {
	if l.queue.Dir != "" {
		return l.queue.Dir, nil
	}
	return queue.DefaultDir()
}

// service returns what runs the calls of a command. The runner is set once the hooks files are read.
func (l *stateFlags) service(command string, warn func(error)) *calls.Service {
	return &calls.Service{Queue: &l.queue, Log: l.log, Command: command, Warn: warn}
}

// defineLog adds the flags of the run log.
func (l *stateFlags) defineLog(flags *pflag.FlagSet) {
	const file = "add a line about each call to `FILE` (default $" + logVariable + "), see hookrun log; " +
		defaultLog + " is run.log among your state"
	flags.String("log", "", file)
	flags.String("log-size", "64M", "`BYTES` at which the log is rotated, as 64M")
	l.file, l.size = flags.Lookup("log"), flags.Lookup("log-size")
	flags.BoolVar(&l.wholeArgs, "log-args", false, "do not cut long arguments in the log, for hookrun test --replay")
	flags.Var((*list)(&l.redact), "redact", "`RE2` of what is kept out of the log, repeatable")
}

// openLog checks the flags of the log. The log's file is opened with the first line.
func (l *stateFlags) openLog() (err error) {
	path := l.file.Value.String()
	switch {
	case l.file.Changed && path == "":
		return errors.New("--log is empty; leave it out for the default")
	case path == "":
		path = os.Getenv(logVariable)
	}
	size, err := parseSize(l.size.Value.String())
	if err != nil {
		return fmt.Errorf("--log-size %w", err)
	}
	if path == "" {
		if len(l.redact) > 0 {
			return errors.New("--redact is for the run log; it needs --log")
		}
		if l.wholeArgs {
			return errors.New("--log-args is for the run log; it needs --log")
		}
		return nil
	}
	isDefault := path == defaultLog
	if path, err = logPath(path); err != nil {
		return err
	}
	if isDefault {
		_ = owner.MkdirAll(filepath.Dir(path)) // if this fails, the first line reports the error
	}
	l.path = path
	l.log, err = runlog.New(runlog.Options{Path: path, Redact: l.redact, MaxSize: size, WholeArgs: l.wholeArgs})
	return err
}

// parseSize reads a number of bytes with an optional suffix K, M or G.
func parseSize(text string) (int64, error) {
	number, unit := text, int64(1)
	for i, suffix := range []string{"K", "M", "G"} {
		if n, ok := strings.CutSuffix(strings.ToUpper(text), suffix); ok {
			number, unit = n, 1<<(10*(i+1))
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 1 || n > (1<<50)/unit {
		return 0, fmt.Errorf("must be a number of bytes, as 64M, not %q", text)
	}
	return n * unit, nil
}

// machineOf returns this machine for a report. state is the folder given by a flag, or "".
func machineOf(state string) (m report.Machine) {
	m = report.Machine{State: state, Version: installed}
	if m.State == "" {
		m.State, m.StateErr = queue.DefaultDir()
	}
	m.Log, _ = logPath(cmp.Or(os.Getenv(logVariable), defaultLog)) // without a place, no log
	return m
}

// beats returns what writes heartbeats into the run log, about the hooks of a workspace.
func (l *stateFlags) beats(hooks *hooksFlags, workspace string) *report.Beats {
	dir, err := l.stateDir()
	if l.log == nil || err != nil || workspace == "" {
		return &report.Beats{}
	}
	mode, _ := hooks.trustMode()
	flags := *hooks
	return &report.Beats{Log: l.log, Path: l.path, Workspace: workspace, Stamp: stampedVersion,
		Required: mode == hookfile.TrustRequired, Machine: machineOf(dir),
		Read: func() (report.State, error, error) {
			again := flags
			return again.readTrustState(nil)
		}}
}

// forgetBeats makes a heartbeat due at the next call, since its facts have changed.
func forgetBeats() {
	if dir, err := queue.DefaultDir(); err == nil {
		lastrun.ForgetBeats(dir)
	}
}
