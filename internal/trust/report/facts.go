package report

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
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/doctor"
	"github.com/hookrun/hookrun/internal/clients/install"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/lib/files/regular"
	"github.com/hookrun/hookrun/internal/record/machine"
	"github.com/hookrun/hookrun/internal/record/runlog"
	"github.com/hookrun/hookrun/internal/rules/shellline"
)

// Machine describes this machine and this hookrun for a report.
type Machine struct {
	State    string // the folder of the user's state
	StateErr error  // why there is none
	Log      string // the run log of calls without a flag; "": none
	Version  func() string
}

// facts returns the facts that need no file of the project.
func (m *Machine) facts() runlog.Facts {
	return runlog.Facts{Host: machine.Host(), MachineID: machine.ID(), User: machine.User(), Hookrun: m.Version(),
		Clients: []runlog.Client{}}
}

// addFacts adds the facts about this machine to the report.
func (r *Report) addFacts(s *State, m Machine) (clients []doctor.Present, err error) {
	cfg, given := s.Config, cmp.Or(s.Now.Path, s.Now.Workspace) // clients know the workspace by the given path
	now := time.Now()
	r.Facts = m.facts()
	r.Managed = managedHash(cfg)
	r.tally = hook.Count(cfg.Hooks, hook.ManagedLevel, now)
	r.Hooks, r.Observing = r.tally.Active(), r.tally[hook.OnlyLooks]
	project := doctor.Workspace{Folder: given, Started: given}
	d := doctor.Doctor{Getenv: os.Getenv, Look: exec.LookPath, Workspace: project, State: m.State, StateErr: m.StateErr,
		Now: now}
	d.Home, _ = os.UserHomeDir()
	d.Binary, err = install.OwnPath()
	for _, c := range d.Present() {
		clients = append(clients, c)
		r.Clients = append(r.Clients, c.Client)
		if c.Last != nil && (r.LastCall == nil || c.Last.After(*r.LastCall)) {
			r.LastCall = c.Last
		}
	}
	if at := lastLogged(given, m.Log); r.LastCall == nil || at.After(*r.LastCall) {
		if r.LastCall = &at; at.IsZero() {
			r.LastCall = nil
		}
	}
	return clients, err
}

// managedHash returns the hash of the managed hooks file and of the scripts in its folder, named by the commands; ""
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
		for _, word := range wordsOf(h.Process()) {
			if strings.HasPrefix(word, folder) {
				text, _, err := regular.Read(word, 16<<20)
				fmt.Fprintf(hash, "%q %x %v\n", word, sha256.Sum256(text), err != nil)
			}
		}
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// wordsOf returns the words of a command, also of the lines in its arguments, and the files that it reads from.
func wordsOf(p *hook.Process) []string {
	if p.Argv == nil {
		return wordsOfLine(p.Shell, p.PowerShell, shellline.MaxWrappers)
	}
	command := shellline.Command{}
	for _, word := range p.Argv {
		command.Words = append(command.Words, shellline.Word{Text: word})
	}
	return wordsOfCommand(command, shellline.MaxWrappers)
}

// wordsOfLine splits a line at blanks if only another shell can read it.
func wordsOfLine(text string, isOther bool, left int) (words []string) {
	line := shellline.Split(text)
	if isOther || line.Unreadable != "" || left == 0 {
		for word := range strings.FieldsSeq(text) {
			words = append(words, strings.Trim(word, `"';`))
		}
		return words
	}
	for _, command := range line.Commands {
		words = append(words, wordsOfCommand(command, left)...)
	}
	return words
}

func wordsOfCommand(c shellline.Command, left int) (words []string) {
	launched, _ := shellline.Launch(c.Words)
	if launched.Stdin && c.Input != nil {
		launched.Lines = append(launched.Lines, c.Input.Text)
	}
	for _, w := range c.Words {
		if !slices.Contains(launched.Lines, w.Text) {
			words = append(words, w.Text)
		}
	}
	for _, line := range launched.Lines {
		words = append(words, wordsOfLine(line, false, left-1)...)
	}
	for _, f := range c.Files {
		if !f.Writes {
			words = append(words, f.File.Text)
		}
	}
	return words
}

// lastLogged returns the time of the last call of the workspace in the end of a run log.
func lastLogged(workspace, path string) (at time.Time) {
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
