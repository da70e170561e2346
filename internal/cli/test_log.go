package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/cases"
	"github.com/hookrun/hookrun/internal/files/regular"
	"github.com/hookrun/hookrun/internal/runlog/fleet"
	"github.com/hookrun/hookrun/internal/spelling"
)

// record prints tests made from a run log and its rotated files.
func (t *testRun) record(log string, std Streams) error {
	if err := t.resolveWorkspace(); err != nil {
		return err
	}
	r := cases.NewRecording(t.call.Workspace)
	if err := readLog(r, "--record", log); err != nil {
		return err
	}
	doc, tests := r.File()
	about := fmt.Sprintf("%s of %s", spelling.Count(tests, "test"), spelling.Count(r.Lines, "line")) + skipped(r)
	if tests == 0 {
		const text = "%s; the log has no call of the workspace %s that can be repeated"
		return fmt.Errorf(text, about, t.call.Workspace)
	}
	if err := write(std, doc); err != nil {
		return err
	}
	fmt.Fprintln(std.Err, "hookrun test:", about)
	return nil
}

// readLog reads a run log and its rotated files, or for a replay all files of a folder.
func readLog(r *cases.Recording, flag, log string) error {
	parts := []string{log + ".3", log + ".2", log + ".1", log} // the oldest lines first
	if info, err := os.Stat(log); err == nil && info.IsDir() && flag == "--replay" {
		var unread []error
		if parts, unread, err = fleet.Find(log); err != nil || len(unread) > 0 {
			return errors.Join(append(unread, err)...)
		}
	}
	for _, path := range parts {
		file, err := os.Open(path)
		if path != log && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = r.Read(file, path)
			file.Close()
		}
		if err != nil {
			const mend = "give the file that hookrun was given as --log"
			return fmt.Errorf("%s %s: %w; %s", flag, path, regular.UnwrapPath(err), mend)
		}
	}
	return nil
}

// skipped returns the number of omitted lines of a log, and the reasons.
func skipped(r *cases.Recording) (about string) {
	separator := "; left out: "
	for _, why := range slices.Sorted(maps.Keys(r.LeftOut)) {
		about += fmt.Sprintf("%s%d %s", separator, r.LeftOut[why], why)
		separator = ", "
	}
	return about
}

// replayed returns the calls of run logs as tests of the workspace's hooks.
func (t *testRun) replayed(logs []string) ([]suite, *cases.Recording, error) {
	if err := t.resolveWorkspace(); err != nil {
		return nil, nil, err
	}
	cfg, err := t.read()
	if err != nil {
		return nil, nil, err
	}
	r := cases.NewRecording(t.call.Workspace)
	r.Anywhere = true
	for _, log := range logs {
		if err := readLog(r, "--replay", log); err != nil {
			return nil, nil, err
		}
	}
	file := &cases.File{Path: t.replay, Tests: r.Replay()}
	if len(file.Tests) == 0 {
		const text = "--replay %s: of %s no call can be repeated%s"
		return nil, nil, fmt.Errorf(text, t.replay, spelling.Count(r.Lines, "line"), skipped(r))
	}
	return []suite{{File: file, workspace: t.call.Workspace, config: cfg, hint: t.explainFlags()}}, r, nil
}

// differences returns the summary of a replay.
func (r *testReport) differences(seconds float64) string {
	n, differ := len(r.results), len(r.failures)
	text := fmt.Sprintf("%s, %d as before, %d would end in another way", spelling.Count(n, "call"), n-differ, differ)
	if r.notRun > 0 {
		text += fmt.Sprintf(", %d not run", r.notRun)
	}
	return text + fmt.Sprintf(" (%.1f s)", seconds)
}

// changed rewords a problem of a test for a replay.
func changed(problem string) string {
	return strings.Replace(strings.Replace(problem, ": expected ", ": was ", 1), ", got ", ", now ", 1)
}
