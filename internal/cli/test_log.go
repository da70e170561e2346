package cli

import (
	"fmt"

	"github.com/hookrun/hookrun/internal/cases"
	"github.com/hookrun/hookrun/internal/spelling"
)

// record prints tests made from a run log and its rotated files.
func (t *testRun) record(log string, std Streams) error {
	if err := t.resolveWorkspace(); err != nil {
		return err
	}
	r := cases.NewRecording(t.call.Workspace)
	if err := r.ReadLog("--record", log); err != nil {
		return err
	}
	doc, tests := r.File()
	about := fmt.Sprintf("%s of %s", spelling.Count(tests, "test"), spelling.Count(r.Lines, "line")) + r.Skipped()
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

// replayed returns the calls of run logs as tests of the workspace's hooks.
func (t *testRun) replayed(logs []string) ([]cases.Suite, *cases.Recording, error) {
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
		if err := r.ReadLog("--replay", log); err != nil {
			return nil, nil, err
		}
	}
	file := &cases.File{Path: t.replay, Tests: r.Replay()}
	if len(file.Tests) == 0 {
		const text = "--replay %s: of %s no call can be repeated%s"
		return nil, nil, fmt.Errorf(text, t.replay, spelling.Count(r.Lines, "line"), r.Skipped())
	}
	return []cases.Suite{{File: file, Config: cfg, Hint: t.explainFlags()}}, r, nil
}
