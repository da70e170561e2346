package cli

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/crash"
	"github.com/hookrun/hookrun/internal/doctor"
	"github.com/hookrun/hookrun/internal/doctor/canary"
	"github.com/hookrun/hookrun/internal/files/regular"
	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/queue"
	"github.com/hookrun/hookrun/internal/runlog"
	"github.com/hookrun/hookrun/internal/runlog/machine"
	"github.com/hookrun/hookrun/internal/state/lastrun"
)

// machineFacts returns the facts that need no file of the project.
func machineFacts() runlog.Facts {
	return runlog.Facts{Host: machine.Host(), MachineID: machine.ID(), User: machine.User(), Hookrun: installed(),
		Clients: []runlog.Client{}}
}

// addFacts adds the facts about this machine to the report. state is the folder given by a flag, or "".
func (r *trustReport) addFacts(s *trustState, state string) (clients []doctor.Present, err error) {
	cfg, given := s.config, cmp.Or(s.now.Path, s.now.Workspace) // clients know the workspace by the given path
	now := time.Now()
	r.Facts = machineFacts()
	r.Managed = managedHash(cfg)
	r.tally = hook.Count(cfg.Hooks, hook.ManagedLevel, now)
	r.Hooks, r.Observing = r.tally.Active(), r.tally[hook.OnlyLooks]
	project := doctor.Workspace{Folder: given, Started: given}
	d := doctor.Doctor{Getenv: os.Getenv, Look: exec.LookPath, Workspace: project, State: state, Now: now}
	d.Home, _ = os.UserHomeDir()
	if d.State == "" {
		d.State, d.StateErr = queue.DefaultDir()
	}
	d.Binary, err = ownPath()
	for _, c := range d.Present() {
		clients = append(clients, c)
		r.Clients = append(r.Clients, c.Client)
		if c.Last != nil && (r.LastCall == nil || c.Last.After(*r.LastCall)) {
			r.LastCall = c.Last
		}
	}
	if at := lastLogged(given); r.LastCall == nil || at.After(*r.LastCall) {
		if r.LastCall = &at; at.IsZero() {
			r.LastCall = nil
		}
	}
	return clients, err
}

// managedHash returns the hash of the managed hooks file and of the scripts in its folder that its commands name; ""
// without such a file.
func managedHash(cfg *hookfile.Config) string {
	if !cfg.HasLevel(hook.ManagedLevel) {
		return ""
	}
	hash := sha256.New()
	for i := range cfg.Files {
		if f := &cfg.Files[i]; f.Level == hook.ManagedLevel {
			fmt.Fprintf(hash, "%q\n", f.Text)
		}
	}
	for i := range cfg.Hooks {
		h := &cfg.Hooks[i]
		if h.Level != hook.ManagedLevel {
			continue
		}
		folder := filepath.Dir(h.File) + string(filepath.Separator)
		for _, word := range append(strings.Fields(h.Command.Shell), h.Command.Argv...) {
			if word = strings.Trim(word, `"';`); strings.HasPrefix(word, folder) {
				text, _, err := regular.Read(word, 16<<20)
				fmt.Fprintf(hash, "%q %x %v\n", word, sha256.Sum256(text), err != nil)
			}
		}
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// lastLogged returns the time of the last call of the workspace in the end of the run log that has no flag.
func lastLogged(workspace string) (at time.Time) {
	name := os.Getenv(logVariable)
	if name == "" {
		name = defaultLog
	}
	path, err := logPath(name)
	if err != nil {
		return at
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return at
	}
	file, err := os.Open(path)
	if err != nil {
		return at
	}
	defer file.Close()
	const most = 128 << 10
	size, _ := file.Seek(0, io.SeekEnd)
	text := make([]byte, min(size, most))
	n, _ := file.ReadAt(text, size-int64(len(text)))
	for line := range bytes.Lines(text[:n]) {
		if !gjson.ValidBytes(line) || gjson.GetBytes(line, "workspace").String() != workspace {
			continue
		}
		if t, err := time.Parse(time.RFC3339Nano, gjson.GetBytes(line, "time").String()); err == nil && t.After(at) {
			at = t
		}
	}
	return at
}

// beatLimit bounds the time in which the facts of a heartbeat are gathered: the caller waits for the end of hookrun.
const beatLimit = time.Second

// beat writes a heartbeat into the run log if a heartbeat is due. The caller must have given the answer already. cfg
// has the hooks of the call; nil: they have a fault.
func (f *callFlags) beat(cfg *hookfile.Config) {
	if f.record.log == nil || canary.Is(&f.call) || f.call.Workspace == "" {
		return
	}
	dir, err := f.stateDir()
	if err != nil {
		return
	}
	key := sha256.New()
	own, _ := os.Executable()
	fmt.Fprintf(key, "%q %q %q %q\n", f.record.path, f.call.Workspace, own, stampedVersion)
	if cfg != nil {
		for i := range cfg.Files {
			fmt.Fprintf(key, "%q %q\n", cfg.Files[i].Path, cfg.Files[i].Text)
		}
	}
	if !lastrun.BeatDue(dir, string(key.Sum(nil))) {
		return
	}
	h := &runlog.Heartbeat{Workspace: f.call.Workspace, Facts: machineFacts(),
		Problem: "the facts were not gathered in " + beatLimit.String()}
	gathered := make(chan *runlog.Heartbeat, 1)
	again := *f
	go func() { gathered <- again.heartbeat(dir) }()
	select {
	case h = <-gathered:
	case <-time.After(beatLimit):
	}
	_ = f.record.log.AppendHeartbeat(time.Now(), h) // the calls themselves have the warning
}

// forgetBeats makes a heartbeat due at the next call, since its facts have changed.
func forgetBeats() {
	if dir, err := queue.DefaultDir(); err == nil {
		lastrun.ForgetBeats(dir)
	}
}

// beats writes the heartbeats of a process that answers many calls.
type beats struct {
	of      *callFlags
	config  atomic.Pointer[hookfile.Config]
	running sync.WaitGroup
	next    atomic.Int64 // when to look again whether a heartbeat is due, in nanoseconds since 1970
}

// use changes the hooks. The next answer looks at once whether a heartbeat about them is due.
func (b *beats) use(cfg *hookfile.Config) {
	b.config.Store(cfg)
	b.next.Store(0)
}

// answered is called after each answer. It waits for nothing.
func (b *beats) answered() {
	now, next := time.Now().UnixNano(), b.next.Load()
	if b.of.record.log != nil && now >= next && b.next.CompareAndSwap(next, now+int64(time.Minute)) {
		b.running.Go(func() { b.of.beat(b.config.Load()) })
	}
}

// heartbeat gathers the facts of a heartbeat.
func (f *callFlags) heartbeat(state string) *runlog.Heartbeat {
	h := &runlog.Heartbeat{Workspace: f.call.Workspace, Facts: machineFacts()}
	problem := func() (err error) {
		defer crash.Catch(&err)
		s, fault, err := f.readTrustState(nil)
		if err != nil {
			return err
		}
		r, err := s.report()
		if err != nil {
			return err
		}
		if h.Status = r.Status; r.Status != "none" && fault == nil {
			h.Hash = r.Hash
		}
		if mode, _ := f.trustMode(); mode == hookfile.TrustRequired || s.config.Trust == hookfile.TrustRequired {
			h.Trust = hookfile.TrustRequired
		}
		_, err = r.addFacts(&s, state)
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
