package process

import "time"

// The times that a user notices. Tests check them, and docs/reference/environment.md is the only page with their
// numbers.
const (
	// TermTime is the time between SIGTERM and SIGKILL.
	TermTime = 500 * time.Millisecond
	// DrainTime is the time for which the pipes are read after the exit, if another process still holds them. Claude
	// Code reads for the same time, so output of a background child in that time counts here as in Claude Code.
	DrainTime = 500 * time.Millisecond
)

const (
	// killTime is the time to wait for killed processes. Only a process that hangs in the kernel takes longer.
	killTime = 2 * time.Second
	// pollTime is the first pause between two checks for running processes; the pause doubles each time. Checks are
	// needed because the system announces only the leader's exit.
	pollTime    = 2 * time.Millisecond
	pollTimeMax = 50 * time.Millisecond
)
