package report

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/lib/crash"
	"github.com/hookrun/hookrun/internal/record/lastrun"
	"github.com/hookrun/hookrun/internal/record/runlog"
)

// beatLimit bounds the time for the facts of a heartbeat: the caller waits for the end of hookrun.
const beatLimit = time.Second

// Beats writes heartbeats into a run log, when one is due.
type Beats struct {
	Log       *runlog.Log // nil: no heartbeats
	Path      string      // of Log
	Workspace string
	Stamp     string // the version of a release; a new version makes a heartbeat due
	Required  bool   // the command line requires trust
	Machine   Machine
	Read      func() (s State, fault, err error) // reads the hooks; fault is a fault of a hooks file

	config  atomic.Pointer[hookfile.Config]
	running sync.WaitGroup
	next    atomic.Int64 // when to look again whether a heartbeat is due, in nanoseconds since 1970
}

// Beat writes a heartbeat if one is due. The caller must have given the answer already. cfg has the hooks of the call;
// nil: they have a fault.
func (b *Beats) Beat(cfg *hookfile.Config) {
	if b.Log == nil {
		return
	}
	key := sha256.New()
	own, _ := os.Executable()
	fmt.Fprintf(key, "%q %q %q %q\n", b.Path, b.Workspace, own, b.Stamp)
	if cfg != nil {
		for i := range cfg.Files {
			fmt.Fprintf(key, "%q %q\n", cfg.Files[i].Path, cfg.Files[i].Text)
		}
	}
	if !lastrun.BeatDue(b.Machine.State, string(key.Sum(nil))) {
		return
	}
	h := &runlog.Heartbeat{Workspace: b.Workspace, Facts: b.Machine.facts(),
		Problem: "the facts were not gathered in " + beatLimit.String()}
	gathered := make(chan *runlog.Heartbeat, 1)
	go func() { gathered <- b.heartbeat() }()
	select {
	case h = <-gathered:
	case <-time.After(beatLimit):
	}
	_ = b.Log.AppendHeartbeat(time.Now(), h) // the calls themselves have the warning
}

// Use changes the hooks of a process that answers many calls. The next answer looks at once whether a heartbeat about
// them is due.
func (b *Beats) Use(cfg *hookfile.Config) {
	b.config.Store(cfg)
	b.next.Store(0)
}

// Answered is called after each answer. It waits for nothing.
func (b *Beats) Answered() {
	now, next := time.Now().UnixNano(), b.next.Load()
	if b.Log != nil && now >= next && b.next.CompareAndSwap(next, now+int64(time.Minute)) {
		b.running.Go(func() { b.Beat(b.config.Load()) })
	}
}

// Wait waits for the heartbeats after answers.
func (b *Beats) Wait() { b.running.Wait() }

// heartbeat gathers the facts of a heartbeat.
func (b *Beats) heartbeat() *runlog.Heartbeat {
	h := &runlog.Heartbeat{Workspace: b.Workspace, Facts: b.Machine.facts()}
	problem := func() (err error) {
		defer crash.Catch(&err)
		s, fault, err := b.Read()
		if err != nil {
			return err
		}
		r, err := s.Report()
		if err != nil {
			return err
		}
		if h.Status = r.Status; r.Status != "none" && fault == nil {
			h.Hash = r.Hash
		}
		if b.Required || s.Config.Trust == hookfile.TrustRequired {
			h.Trust = hookfile.TrustRequired
		}
		_, err = r.addFacts(&s, b.Machine)
		if h.Facts = r.Facts; fault != nil {
			h.Status, err = "", fault
		}
		return err
	}()
	if problem != nil {
		h.Problem = problem.Error()
		const most = 500
		h.Problem = strings.ToValidUTF8(h.Problem[:min(len(h.Problem), most)], "")
	}
	return h
}
