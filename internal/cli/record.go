package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/files/owner"
	"github.com/hookrun/hookrun/internal/queue"
	"github.com/hookrun/hookrun/internal/runlog"
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

// runLog has the flags of the run log, and the log.
type runLog struct {
	file, size string
	redact     []string
	wholeArgs  bool
	flags      *pflag.FlagSet
	log        *runlog.Log // nil: no log
	path       string      // of log
}

func (l *runLog) define(flags *pflag.FlagSet) {
	l.flags = flags
	const file = "add a line about each call to `FILE` (default $" + logVariable + "), see hookrun log; " +
		defaultLog + " is run.log among your state"
	flags.StringVar(&l.file, "log", "", file)
	flags.StringVar(&l.size, "log-size", "64M", "`BYTES` at which the log is rotated, as 64M")
	flags.BoolVar(&l.wholeArgs, "log-args", false, "do not cut long arguments in the log, for hookrun test --replay")
	flags.StringArrayVar(&l.redact, "redact", nil, "`RE2` of what is kept out of the log, repeatable")
}

// open checks the flags. The log's file is opened with the first line.
func (l *runLog) open() (err error) {
	path := l.file
	switch {
	case l.flags.Changed("log") && path == "":
		return errors.New("--log is empty; leave it out for the default")
	case path == "":
		path = os.Getenv(logVariable)
	}
	size, err := parseSize(l.size)
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
