package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/clients/doctor"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/net/keeper"
	"github.com/hookrun/hookrun/internal/texts/queue"
	"github.com/hookrun/hookrun/internal/trust/report"
)

// statusReport is a report with the persistent hooks that are warm in the workspace.
type statusReport struct {
	report.Report
	Warm []keeper.Info `json:"warm,omitempty"`
}

// String returns the report with a line for each warm hook.
func (r statusReport) String() string { return r.Report.String() + warmText(r.Warm, time.Now()) }

// warmText returns a line for each warm hook.
func warmText(warm []keeper.Info, now time.Time) string {
	var b strings.Builder
	for _, k := range warm {
		process := fmt.Sprintf("%.1f MB, process %d", float64(k.Memory)/1e6, k.PID)
		if k.Elsewhere {
			process = "in another container"
		}
		fmt.Fprintf(&b, "warm: hook %s, begun %s, %s, %s\n", spelling.Quote(k.Hook),
			doctor.Ago(now.Sub(k.Since)), spelling.Count(int(k.Calls), "call"), process)
	}
	return b.String()
}

// warmIn returns the persistent hooks that are warm in a workspace; "": in all.
func warmIn(workspace string) (warm []keeper.Info) {
	dir, err := queue.DefaultDir()
	if err != nil {
		return nil
	}
	all := keeper.List(dir)
	if workspace == "" {
		return all
	}
	return slices.DeleteFunc(all, func(k keeper.Info) bool { return realPath(k.Workspace) != realPath(workspace) })
}

func realPath(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// endWarm ends the processes of the persistent hooks that are warm in the project, and prints which.
func (f *hooksFlags) endWarm(args []string, output string, std Streams) error {
	if err := f.findIn(args); err != nil {
		return err
	}
	ended, err := endWarm(f.folder)
	if err != nil {
		return err
	}
	return writeAs(std, output, struct {
		Ended []keeper.Info `json:"ended"`
	}{ended}, func() string {
		if len(ended) == 0 {
			return "no persistent hook is warm here\n"
		}
		return strings.ReplaceAll(warmText(ended, time.Now()), "warm: ", "ended: ")
	})
}

// endWarm ends the processes of the persistent hooks that are warm in a workspace; "": in all.
func endWarm(workspace string) (ended []keeper.Info, err error) {
	ended = warmIn(workspace)
	for i := range ended {
		err = errors.Join(err, ended[i].End())
	}
	return ended, err
}
