// Package doctor finds out whether a client runs a workspace's hooks, and what keeps a gate from blocking a call.
//
//	report := (&doctor.Doctor{Workspace: w, Home: home, Getenv: os.Getenv, Start: start}).Examine()
//	for _, f := range report.Findings {
//		fmt.Println(f.Severity, f.What, f.Mend)
//	}
//
// Guaranteed: no hook runs, and Examine changes no file. To test whether a folder is writable, doctor creates a file
// there and removes it. Doctor starts only the clients, with --version, and the command lines of hookrun's entries, for
// the canary, each with a deadline.
//
// Not guaranteed: that a client runs hookrun. Doctor knows the files, switches and trust rules of the recorded version
// of a client. Only the time of the last run proves that a client ran hookrun.
package doctor

import (
	"slices"
	"sync"
	"time"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/check"
	"github.com/hookrun/hookrun/internal/clients/install"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/core/process"
	"github.com/hookrun/hookrun/internal/core/project"
)

// Severity says how bad a finding is.
type Severity string

const (
	OK      Severity = "ok"
	Note    Severity = "note"    // worth knowing; no action needed
	Warning Severity = "warning" // a gate may not hold in some case
	Error   Severity = "error"   // a gate does not block, or blocks every call
)

// Finding is the result of one check.
type Finding struct {
	Client   string   `json:"client,omitempty"` // "": about the workspace or this machine
	Check    string   `json:"check"`            // name of the check; these words are a contract
	Severity Severity `json:"severity"`
	What     string   `json:"what"`
	Where    string   `json:"where,omitempty"` // a file, with line and column if known
	Mend     string   `json:"mend,omitempty"`  // what to do, unless OK
	// Command is Mend as a command line of hookrun, if one command is enough: see Report.Fixes.
	Command []string `json:"command,omitempty"`
}

func (f *Finding) String() string {
	if f.Where == "" {
		return f.What
	}
	return f.Where + ": " + f.What
}

// Report is the result of Examine.
type Report struct {
	Version   int       `json:"version"`
	OK        bool      `json:"ok"` // no finding is an Error
	Workspace string    `json:"workspace"`
	Clients   []string  `json:"clients"` // the clients found
	Findings  []Finding `json:"findings"`
}

// Doctor holds the inputs of Examine.
type Doctor struct {
	Workspace Workspace
	Clients   []string // names; nil: all clients found
	Home      string
	Getenv    func(string) string
	Look      func(program string) (path string, err error) // in PATH
	Binary    string                                        // of this hookrun
	State     string                                        // the state folder; "" if StateErr is set
	StateErr  error
	Log       string // path of the run log; "": no log
	Socket    string // of hookrun serve; "": no socket
	Now       time.Time
	// Start runs a program until the limit. If nil, doctor checks neither versions nor the canary.
	Start func(p process.Program, stdin process.Input, limit time.Duration) process.Result
}

// Workspace describes the project's hooks.
type Workspace struct {
	Folder string
	// Started is the folder in which clients start and read their settings.
	Started string
	Found   string // which files the hooks come from, and why
	Remarks []project.Remark
	Files   []check.File
	Config  *hookfile.Config // of all files; nil: they do not load
	Trust   Trust
}

// Trust says whether a person has allowed the project's hooks as they are, like hookrun status.
type Trust struct {
	Status  string // allowed, changed, unknown or none
	Reason  string // why every call is blocked
	Allowed time.Time
	Problem string // why the status is unreadable
}

// Examine runs all checks.
func (d *Doctor) Examine() *Report {
	r := &Report{Version: 1, Workspace: d.Workspace.Folder, Clients: []string{}}
	r.Findings = append(d.workspace(), d.state()...)
	names := d.Clients
	if names == nil {
		names = install.Names()
	}
	examined := make([]*checked, len(names))
	var wait sync.WaitGroup
	for i, name := range names { // some clients take seconds to print their version
		wait.Go(func() { examined[i] = d.client(name) })
	}
	wait.Wait()
	examined = slices.DeleteFunc(examined, func(c *checked) bool { return c.found == "" && d.Clients == nil })
	d.gates(examined)
	d.unnamedServers(examined)
	r.Findings = append(r.Findings, d.missingEvents(examined)...)
	for _, c := range examined {
		r.Clients = append(r.Clients, c.Name)
		r.Findings = append(r.Findings, c.findings...)
	}
	if len(r.Clients) == 0 {
		r.Findings = append(r.Findings, Finding{
			Check: "clients", Severity: Note,
			What: "no client was found in PATH, by its settings or by its environment",
			Mend: "run hookrun install CLIENT for " + clients.All().ClientList() +
				"; your own agent loop runs hookrun pre-tool",
		})
	}
	r.OK = !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Severity == Error })
	return r
}
