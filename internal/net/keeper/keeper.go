package keeper

import (
	"cmp"
	"time"
)

// Command is the first argument of a process that must call Run. The second is the name of the hook, for ps.
const Command = "__keep"

// Info describes a keeper.
type Info struct {
	Hook      string        `json:"hook"`
	Workspace string        `json:"workspace"`
	PID       int           `json:"pid"`
	Since     time.Time     `json:"since"`
	Calls     int64         `json:"calls"`
	Busy      int           `json:"busy,omitempty"` // calls in flight
	Idle      time.Duration `json:"-"`
	Keep      time.Duration `json:"-"`
	Processes []int         `json:"processes"`           // of the hook, without those that have a call
	Elsewhere bool          `json:"elsewhere,omitempty"` // in another container: the process ids are not those of here
	Memory    int64         `json:"memory,omitempty"`    // bytes of the keeper and these processes; 0: not known

	socket string
}

func (i Info) compare(other Info) int {
	return cmp.Or(cmp.Compare(i.Workspace, other.Workspace), cmp.Compare(i.Hook, other.Hook),
		i.Since.Compare(other.Since))
}
