// Package fleet folds the heartbeats of many machines into a table, and marks the machines to look at.
//
//	f := fleet.New(fleet.Options{Now: time.Now(), Silent: 7 * 24 * time.Hour})
//	err := f.Read(file)
//	table := f.Table()
//
// Guarantees: other lines of a run log are skipped. Memory grows with the number of machines up to a limit, but not
// with the number or the length of lines. A line with a fault, or from the future, changes a count and no machine.
//
// Not guaranteed: true heartbeats. A user with write access to a log can write any heartbeat.
package fleet

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/internal/record/runlog"
)

const (
	maxLine     = 64 << 10 // of a heartbeat; longer lines are calls
	maxHead     = 100      // bytes before the heartbeat in a line of a log
	maxDepth    = 16
	maxMachines = 100_000
	maxText     = 200 // bytes of a text in a row
	maxClients  = 32
	skew        = time.Hour // by which the clock of a machine may be ahead
)

// Options say which machines to look at.
type Options struct {
	Now     time.Time
	Silent  time.Duration // a machine is silent after this time without a heartbeat
	Hash    string        // of the right hooks, or its beginning; "": the hash of most machines
	Clients []string      // each machine should have these
	Project string        // a glob for the names of workspaces; "": all heartbeats count
}

// Table is the result.
type Table struct {
	Version    int       `json:"version"`
	OK         bool      `json:"ok"` // there is no machine to look at, and no other problem
	Hash       string    `json:"hash,omitempty"`
	Managed    bool      `json:"managed"` // Hash is of managed hooks, not of a project's
	Machines   []Machine `json:"machines"`
	Heartbeats int       `json:"heartbeats"`
	Unreadable int       `json:"unreadable,omitempty"` // heartbeats with a fault
	Future     int       `json:"future,omitempty"`     // heartbeats from a clock that is ahead
	LeftOut    int       `json:"left_out,omitempty"`   // heartbeats of further machines than fit
	Missed     int       `json:"missed,omitempty"`     // lines of run logs that could not be written
	Problems   []string  `json:"problems,omitempty"`   // of no single machine
}

// Machine is a user on a machine.
type Machine struct {
	Host      string    `json:"machine"`
	MachineID string    `json:"machine_id,omitempty"`
	User      string    `json:"user"`
	Workspace string    `json:"workspace"` // of the last heartbeat
	Hookrun   string    `json:"hookrun,omitempty"`
	Clients   []string  `json:"clients"` // that run hookrun
	Hash      string    `json:"hash,omitempty"`
	Status    string    `json:"status,omitempty"`
	Seen      time.Time `json:"last_seen"`
	Look      []string  `json:"look,omitempty"` // the reasons to look at the machine

	hash, managed string
	found         []string // reasons in the last heartbeat
}

type key struct{ host, id, user string }

// Fold reads heartbeats.
type Fold struct {
	Options
	table Table
	rows  map[key]*Machine
}

// New returns a Fold without heartbeats.
func New(o Options) *Fold {
	return &Fold{Options: o, rows: map[key]*Machine{}, table: Table{Version: 1, Machines: []Machine{}}}
}

// Read reads lines, of a run log or heartbeats alone.
func (f *Fold) Read(from io.Reader) error {
	in := bufio.NewReaderSize(from, maxLine)
	for long := false; ; {
		line, err := in.ReadSlice('\n')
		if !long {
			f.table.Missed += runlog.Missed(line)
		}
		if !long && !errors.Is(err, bufio.ErrBufferFull) {
			f.line(bytes.TrimSpace(line), err == nil)
		}
		if long = errors.Is(err, bufio.ErrBufferFull); err != nil && !long {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

// line reads a line. An unfinished line with a fault is still being written.
func (f *Fold) line(line []byte, whole bool) {
	at := bytes.Index(line, []byte(`"heartbeat"`))
	if at < 0 {
		return
	}
	var l struct {
		Version   int               `json:"version"`
		Time      time.Time         `json:"time"`
		Heartbeat *runlog.Heartbeat `json:"heartbeat"`
		Outcome   json.RawMessage   `json:"outcome"`
	}
	err := json.Unmarshal(line, &l)
	h := l.Heartbeat
	switch {
	case err == nil && (h == nil || l.Outcome != nil): // a call with the word in its arguments
	case err != nil && (!whole || at > maxHead):
	case err != nil, l.Version != 1, h.Host == "" && h.MachineID == "",
		len(strictjson.Check(string(line), maxDepth)) > 0:
		f.table.Unreadable++
	case !f.isFor(h.Workspace):
	case l.Time.After(f.Now.Add(skew)):
		f.table.Future++
	default:
		f.add(l.Time, h)
	}
}

// isFor reports whether heartbeats from a workspace count. The workspace may be of another system than this one.
func (f *Fold) isFor(workspace string) bool {
	name := workspace[strings.LastIndexAny(workspace, `/\`)+1:]
	match, _ := path.Match(f.Project, name)
	return f.Project == "" || match
}

func (f *Fold) add(at time.Time, h *runlog.Heartbeat) {
	f.table.Heartbeats++
	k := key{cut(h.Host), cut(h.MachineID), cut(h.User)}
	m := f.rows[k]
	switch {
	case m != nil && at.Before(m.Seen):
		return
	case m == nil && len(f.rows) >= maxMachines:
		f.table.LeftOut++
		return
	}
	m = &Machine{Host: k.host, MachineID: k.id, User: k.user, Workspace: cut(h.Workspace), Hookrun: cut(h.Hookrun),
		Status: cut(h.Status), Seen: at.UTC(), Clients: []string{}, hash: cut(h.Hash), managed: cut(h.Managed)}
	f.rows[k] = m
	if h.Problem != "" {
		m.found = append(m.found, cut(h.Problem))
	}
	switch {
	case h.Status == "changed":
		m.found = append(m.found, "the hooks have changed since they were allowed")
	case h.Status == "unknown" && h.Trust == hookfile.TrustRequired:
		m.found = append(m.found, "nobody has allowed the hooks")
	}
	for _, c := range h.Clients[:min(len(h.Clients), maxClients)] {
		name := cut(c.Name)
		switch {
		case len(c.Entries) == 0:
			continue
		case len(c.Off) > 0:
			m.found = append(m.found, name+" is switched off")
			continue
		case c.Canary != nil && !c.Canary.OK:
			m.found = append(m.found, name+" failed the test call")
		}
		m.Clients = append(m.Clients, name)
	}
}

func cut(text string) string {
	return strings.ToValidUTF8(strings.Clone(text[:min(len(text), maxText)]), "")
}

// Problem adds a problem of no single machine, for example an unreadable file.
func (f *Fold) Problem(text string) { f.table.Problems = append(f.table.Problems, text) }

// Table returns the table of all heartbeats read so far.
func (f *Fold) Table() *Table {
	t := f.table
	t.Problems = slices.Clip(t.Problems)
	t.Machines = make([]Machine, 0, len(f.rows))
	for _, m := range f.rows {
		t.Managed = t.Managed || m.managed != ""
		t.Machines = append(t.Machines, *m)
	}
	sort.Slice(t.Machines, func(i, j int) bool {
		a, b := &t.Machines[i], &t.Machines[j]
		return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.User, b.User),
			cmp.Compare(a.MachineID, b.MachineID)) < 0
	})
	counts := map[string]int{}
	for i := range t.Machines {
		m := &t.Machines[i]
		if m.Hash = m.hash; t.Managed {
			m.Hash = m.managed
		}
		if m.Hash != "" {
			counts[m.Hash]++
		}
	}
	t.Hash = f.Hash
	for hash, n := range counts {
		if f.Hash == "" && (n > counts[t.Hash] || n == counts[t.Hash] && hash < t.Hash) {
			t.Hash = hash
		}
	}
	t.OK = len(t.Problems) == 0 && t.Unreadable == 0 && t.Future == 0 && t.LeftOut == 0 && len(t.Machines) > 0
	for i := range t.Machines {
		m := &t.Machines[i]
		m.Look = f.look(m, &t)
		t.OK = t.OK && len(m.Look) == 0
	}
	return &t
}

// look returns the reasons to look at a machine.
func (f *Fold) look(m *Machine, t *Table) (why []string) {
	if silent := f.Now.Sub(m.Seen); silent > f.Silent {
		why = append(why, fmt.Sprintf("silent for %d days", silent/(24*time.Hour)))
	}
	switch {
	case m.Hash == t.Hash, f.Hash != "" && strings.HasPrefix(m.Hash, f.Hash):
	case m.Hash == "" && t.Managed:
		why = append(why, "no managed hooks")
	case m.Hash == "":
		why = append(why, "no hooks")
	case f.Hash == "":
		why = append(why, "other hooks than most")
	default:
		why = append(why, "other hooks")
	}
	for _, c := range f.Clients {
		if !slices.Contains(m.Clients, c) {
			why = append(why, "no "+c)
		}
	}
	return append(why, m.found...)
}
