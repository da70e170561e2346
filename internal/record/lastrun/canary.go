package lastrun

import (
	"encoding/json"
	"path/filepath"
	"time"

	"github.com/hookrun/hookrun/internal/lib/files/atomic"
	"github.com/hookrun/hookrun/internal/lib/files/owner"
	"github.com/hookrun/hookrun/internal/lib/files/regular"
)

// Canary is the result of the last test call of hookrun doctor.
type Canary struct {
	Time time.Time `json:"time"`
	OK   bool      `json:"ok"`
	What string    `json:"what"`
}

const canary = "canary-"

// RecordCanary records the result of a test call in a workspace.
func RecordCanary(dir, client, workspace string, c Canary) error {
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	path := path(dir, canary+client, workspace)
	if err := owner.MkdirAll(filepath.Dir(path)); err != nil {
		return err
	}
	return atomic.WritePrivate(path, string(text)+"\n")
}

// LastCanary returns the last result, or nil without a readable one.
func LastCanary(dir, client, workspace string) *Canary {
	text, _, err := regular.Read(path(dir, canary+client, workspace), 64<<10)
	c := new(Canary)
	if err != nil || json.Unmarshal(text, c) != nil {
		return nil
	}
	return c
}
