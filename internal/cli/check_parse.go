package cli

import (
	"encoding/json"

	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/httphook"
	"github.com/hookrun/hookrun/protocol"
)

// parsed is what check --parse prints: the hooks as they were loaded, in their order.
type parsed struct {
	Version  int               `json:"version"`
	Files    []string          `json:"files"`
	Wrappers []string          `json:"wrappers,omitempty"`
	Hooks    []parsedHook      `json:"hooks"`
	Warnings []hook.Diagnostic `json:"warnings"`
}

// parsedHook has the keys of .tenex-hooks.json. Hooks in other forms are shown under the same keys.
type parsedHook struct {
	Name        string                 `json:"name"`
	Source      string                 `json:"source"`
	Level       hook.Level             `json:"level"`
	Disabled    string                 `json:"disabled,omitempty"` // by what
	Dialect     string                 `json:"dialect"`
	Command     any                    `json:"command,omitempty"` // an array, a shell's line, a script or a function
	URL         string                 `json:"url,omitempty"`     // without user and query, which may be secrets
	Headers     []string               `json:"headers,omitempty"` // their names
	Variables   []string               `json:"allowed_env_vars,omitempty"`
	CAFile      string                 `json:"ca_file,omitempty"`
	ClientCert  string                 `json:"client_cert,omitempty"`
	ClientKey   string                 `json:"client_key,omitempty"`
	Proxy       string                 `json:"proxy,omitempty"`
	Block       string                 `json:"block,omitempty"`
	Inject      string                 `json:"inject,omitempty"`
	Unsupported string                 `json:"unsupported,omitempty"` // the type of a hook that hookrun cannot run
	Events      []protocol.Event       `json:"events"`
	Matcher     *string                `json:"matcher,omitempty"`
	If          string                 `json:"if,omitempty"`
	When        []string               `json:"when,omitempty"`
	Timeout     any                    `json:"timeout,omitempty"` // by event, where that makes a difference
	OnFailure   protocol.FailurePolicy `json:"on_failure,omitempty"`
	Env         []string               `json:"env,omitempty"`
	InheritEnv  any                    `json:"inherit_env,omitempty"`
	Files       []string               `json:"files,omitempty"`
	Persistent  bool                   `json:"persistent,omitempty"`
	Workers     int                    `json:"workers,omitempty"`
	Async       bool                   `json:"async,omitempty"`
	Sequential  bool                   `json:"sequential,omitempty"`
	MaxStops    int                    `json:"max_stop_blocks,omitempty"` // of a hook at the end of a turn
	Agent       string                 `json:"agent,omitempty"`
	NotAgents   []string               `json:"not_agents,omitempty"`
}

// parse loads files and looks at nothing that they name. An error is of type hookfile.Diagnostics, with those of all
// files.
func (c *checker) parse(files []hookfile.File) (*parsed, error) {
	cfg, err := c.LoadFiles(files)
	if err != nil {
		return nil, err
	}
	p := &parsed{Version: 1, Files: cfg.Paths(), Hooks: []parsedHook{}}
	p.Wrappers = cfg.Wrappers()
	p.Warnings = append([]hook.Diagnostic{}, cfg.Warned()...)
	for i := range cfg.Hooks {
		p.Hooks = append(p.Hooks, newParsedHook(&cfg.Hooks[i]))
	}
	return p, nil
}

func newParsedHook(h *hook.Hook) parsedHook {
	x := parsedHook{
		Name: h.Name, Source: h.Source(), Level: h.Level, Disabled: h.Disabled, Dialect: h.Dialect.Name,
		Unsupported: h.Unsupported,
		Events:      h.Events, If: h.If.String(), OnFailure: h.OnFailure, Env: h.Environment(),
		Files:      h.Files,
		Persistent: h.Persistent, Async: h.Async, Sequential: h.Sequential, Agent: h.Agent, NotAgents: h.NotAgents,
	}
	if h.Matcher != nil {
		matcher := h.Matcher.String()
		x.Matcher = &matcher
	}
	for _, condition := range h.When {
		x.When = append(x.When, condition.String())
	}
	x.MaxStops = h.StopBlocks()
	if h.Inherit != nil {
		x.InheritEnv = json.RawMessage("false")
		if len(h.Inherit.Names) > 0 {
			x.InheritEnv = h.Inherit.Names
		}
	}
	switch {
	case h.StaticVerdict != nil && h.StaticVerdict.Decision == protocol.Block:
		x.Block = h.StaticVerdict.Reason
		return x
	case h.StaticVerdict != nil:
		x.Inject = h.StaticVerdict.Context
		return x
	case h.Unsupported != "":
		return x
	case h.HTTP != nil:
		x.URL, x.Variables = h.HTTP.String(), h.HTTP.AllowedEnvVars
		for _, header := range h.HTTP.Headers {
			x.Headers = append(x.Headers, header.Name)
		}
		x.CAFile, x.ClientCert, x.ClientKey = h.HTTP.CAFile, h.HTTP.ClientCert, h.HTTP.ClientKey
		if h.HTTP.Proxy != "" {
			x.Proxy = (&httphook.Endpoint{URL: h.HTTP.Proxy}).String()
		}
	case h.Command.Argv != nil:
		x.Command = h.Command.Argv
	default:
		x.Command = h.Command.String()
	}
	x.Timeout = timeouts(h)
	if h.Persistent {
		x.Workers = max(h.Workers, 1)
	}
	return x
}

// timeouts is how long the hook may take: one duration, or one for each event.
func timeouts(h *hook.Hook) any {
	byEvent, same := map[string]string{}, true
	for _, event := range h.Events {
		byEvent[string(event)] = h.Deadline(event).String()
		same = same && h.Deadline(event) == h.Deadline(h.Events[0])
	}
	if same && len(h.Events) > 0 {
		return h.Deadline(h.Events[0]).String()
	}
	return byEvent
}
