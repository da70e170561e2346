package runlog

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/lib/secret"
	"github.com/hookrun/hookrun/internal/record/lastrun"
)

// Heartbeat says that hookrun runs on a machine, for which clients, and with which hooks. It has a line of its own in a
// log.
type Heartbeat struct {
	Workspace string `json:"workspace"`
	Status    string `json:"status,omitempty"` // of the project's hooks: allowed, changed, unknown or none
	Trust     string `json:"trust,omitempty"`  // required: otherwise the project's hooks run in any case
	Hash      string `json:"hash,omitempty"`   // of the project's hooks
	Problem   string `json:"problem,omitempty"`
	Facts
}

// Facts are the part of a Heartbeat that does not depend on trust.
type Facts struct {
	Host      string     `json:"host,omitempty"`
	MachineID string     `json:"machine_id,omitempty"` // made of the system's, which is nobody's business
	User      string     `json:"user,omitempty"`
	Hookrun   string     `json:"hookrun,omitempty"` // the version
	Hooks     int        `json:"hooks"`
	Observing int        `json:"observing,omitempty"`    // how many hooks only observe
	Managed   string     `json:"managed_hash,omitempty"` // of the managed hooks file, and of its scripts beside it
	LastCall  *time.Time `json:"last_call,omitempty"`
	Clients   []Client   `json:"clients"`
}

// Client is a client on the machine.
type Client struct {
	Name    string          `json:"name"`
	Program string          `json:"program,omitempty"`
	Version string          `json:"version,omitempty"` // if the files beside the program say it
	Entries []ClientEntry   `json:"entries"`           // which run hookrun
	Off     []string        `json:"switched_off,omitempty"`
	Last    *time.Time      `json:"last_call,omitempty"` // in this workspace
	Canary  *lastrun.Canary `json:"last_canary,omitempty"`
}

// ClientEntry is a command in a client's settings that runs hookrun.
type ClientEntry struct {
	File   string   `json:"file"`
	Line   int      `json:"line"`
	Events []string `json:"events"`
	Binary string   `json:"binary"`
}

// AppendHeartbeat writes a heartbeat.
func (l *Log) AppendHeartbeat(at time.Time, h *Heartbeat) error {
	if l == nil {
		return nil
	}
	var b bytes.Buffer
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false)
	if err := to.Encode(struct {
		Version   int        `json:"version"`
		Time      string     `json:"time"`
		Heartbeat *Heartbeat `json:"heartbeat"`
	}{1, at.UTC().Format(TimeFormat), h}); err != nil {
		return err
	}
	return l.wrapError(l.append([]byte(secret.Mask(b.String()))))
}

// IsHeartbeat reports whether a line of a log is a heartbeat and no call.
func IsHeartbeat(line []byte) bool {
	return bytes.Contains(line, []byte(`"heartbeat":`)) && gjson.GetBytes(line, "heartbeat").IsObject()
}
