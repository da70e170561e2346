package cli

import (
	"cmp"
	"os"

	"github.com/hookrun/hookrun/internal/doctor/canary"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/queue"
	"github.com/hookrun/hookrun/internal/state/lastrun"
	"github.com/hookrun/hookrun/internal/trust/report"
)

// machineOf returns this machine for a report. state is the folder given by a flag, or "".
func machineOf(state string) (m report.Machine) {
	m = report.Machine{State: state, Version: installed}
	if m.State == "" {
		m.State, m.StateErr = queue.DefaultDir()
	}
	m.Log, _ = logPath(cmp.Or(os.Getenv(logVariable), defaultLog)) // without a place, no log
	return m
}

// beats returns what writes heartbeats into the run log of the flags.
func (f *callFlags) beats() *report.Beats {
	dir, err := f.stateDir()
	if f.record.log == nil || err != nil || canary.Is(&f.call) || f.call.Workspace == "" {
		return &report.Beats{}
	}
	mode, _ := f.trustMode()
	flags := *f
	return &report.Beats{Log: f.record.log, Path: f.record.path, Workspace: f.call.Workspace, Stamp: stampedVersion,
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
