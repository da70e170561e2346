package install

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/protocol"
)

const (
	// AnyHooks is the timeout of an entry for all projects of the user; two clients have this default.
	AnyHooks = 10 * time.Minute

	someHooks  = time.Minute     // if the project has no hooks yet
	aroundHook = 1 * time.Second // to kill a hook and read the rest of its pipes
	aroundCall = 5 * time.Second
)

// EntryTimeout returns a little more than the longest run time of the project's hooks at an event. At a shorter limit,
// the client would kill hookrun and fail open.
func EntryTimeout(events []string, hooks []hook.Hook) time.Duration {
	var longest time.Duration
	for _, event := range events {
		var atEvent time.Duration
		for i := range hooks {
			h := &hooks[i]
			canonical := clients.All().Common(protocol.Event(event))
			if h.Rule() != nil { // a rule takes no time
				continue
			}
			same := func(e protocol.Event) bool { return clients.All().Common(e) == canonical }
			if h.Wants(protocol.Event(event), clients.All()) || slices.ContainsFunc(h.Events, same) {
				own := min(h.Deadline(protocol.Event(event)), MaxTimeout)
				atEvent = min(atEvent+own+aroundHook, MaxTimeout)
			}
		}
		longest = max(longest, atEvent)
	}
	if longest == 0 {
		return someHooks
	}
	return longest + aroundCall
}

// Doubts returns notes about an entry at a place: the entry may not find this hookrun, or another entry may run hookrun
// too.
func (c *Client) Doubts(where client.Where, place dialect.Place, e Entry) (doubts []string) {
	found, err := exec.LookPath("hookrun")
	switch {
	case !e.ByName:
	case err != nil:
		doubts = append(doubts, fmt.Sprintf("there is no hookrun in PATH, where the entry looks for it, so every call "+
			"is blocked until there is one: put %s on PATH", filepath.Dir(e.Binary)))
	case found != e.Binary: // if they were the same, OwnPath would have returned found
		doubts = append(doubts, fmt.Sprintf("the entry runs the hookrun in PATH, which is %s, and not this one", found))
	}
	twice := c.DuplicateEntries(where, e.Binary)
	for _, other := range c.Places(where) {
		if other.Path != place.Path && c.Installed(other, e.Binary) {
			twice = append(twice, other.Path+" has an entry of hookrun's, too, so every hook runs twice")
		}
	}
	if m, has := c.Managed(runtime.GOOS); has && !c.answersOnce {
		if found, _, _ := c.ManagedEntries(m, e.Binary); len(found) > 0 {
			twice = append(twice, m.Path+" has an entry of hookrun's for all users, so every hook runs twice")
		}
	}
	for _, text := range twice {
		doubts = append(doubts, text+"; take one of them out: see hookrun uninstall --help")
	}
	return doubts
}
