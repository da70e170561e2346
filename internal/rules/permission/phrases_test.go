package permission

// Phrases of reasons for a match out of doubt.
const (
	notThrough = "cannot see through the line ("
	soItRuns   = ", so the hook runs"
	noCommand  = "cannot read the command of this call"
)
