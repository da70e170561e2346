// Package kit reads the recorded cases of conformance, runs a program on a case, and judges what came of the case.
package kit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// Client is the client.json of a folder of cases: the client, and files that all cases of the folder have.
type Client struct {
	Name       string `json:"-"` // of the folder, and of hookrun's dialect
	Title      string `json:"client"`
	Version    string
	Written    string // says why the cases are not recorded; "": they are
	ConfigPath string `json:"config_path"` // of the hooks file
	Files      map[string]File
}

// Line is a case as a line of a file.
type Line struct{ Topic, ID, Text string }

// Names returns the folders with cases of a client.
func Names(cases fs.FS) (names []string, err error) {
	found, err := fs.Glob(cases, "*/client.json")
	for _, name := range found {
		names = append(names, path.Dir(name))
	}
	return names, err
}

// ReadClient reads the folder of a client. Lines are in the order of the files and their names. No two have one ID.
func ReadClient(cases fs.FS, name string) (client *Client, lines []Line, err error) {
	doc, err := fs.ReadFile(cases, path.Join(name, "client.json"))
	if errors.Is(err, fs.ErrNotExist) {
		known, _ := Names(cases)
		return nil, nil, fmt.Errorf("no cases of a client %q; there are: %s", name, strings.Join(known, ", "))
	}
	client = &Client{Name: name}
	if err == nil {
		err = strictly(string(doc), client)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s/client.json: %w", name, err)
	}
	files, err := fs.Glob(cases, path.Join(name, "*.jsonl"))
	ids := map[string]bool{}
	for _, file := range files {
		doc, err := fs.ReadFile(cases, file)
		if err != nil {
			return nil, nil, err
		}
		for text := range strings.Lines(string(doc)) {
			if strings.TrimSpace(text) == "" {
				continue
			}
			id := gjson.Get(text, "id").String()
			if id == "" || ids[id] {
				return nil, nil, fmt.Errorf("%s: a case has no id, or that of another case: %q", file, id)
			}
			ids[id] = true
			lines = append(lines, Line{strings.TrimSuffix(path.Base(file), ".jsonl"), id, text})
		}
	}
	return client, lines, err
}

// strictly decodes JSON without unknown fields: an unknown expectation would not be compared.
func strictly(doc string, into any) error {
	decoder := json.NewDecoder(strings.NewReader(doc))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}

// Case is a case: hooks, their input, and the client's result. The hooks file is Config, or ConfigText byte
// for byte, or made from Matrix.
type Case struct {
	ID, Event, Note string
	// Departs says how hookrun differs from the client on purpose; Expect is then hookrun's. "": Expect is the
	// client's.
	Departs       string
	ClientVersion string `json:"client_version"` // "": that of client.json
	Needs         []string
	Files         map[string]File
	Env           map[string]*string // nil: not set
	Stdin         json.RawMessage
	Config        json.RawMessage
	ConfigText    *string `json:"config_text"`
	ConfigPath    string  `json:"config_path"`
	Matrix        *Matrix
	Expect        Expectation
	Seen          json.RawMessage // by conformance/record, of the real client

	// For people: how the client was started, and how the client behaved.
	Client       json.RawMessage
	ClientArgs   []string        `json:"client_args"`
	ClientCwd    string          `json:"client_cwd"`
	ClientFlags  json.RawMessage `json:"client_flags"`
	ConfiguredAs json.RawMessage `json:"configured_as"`
	UserSettings json.RawMessage `json:"user_settings"`
}

// File is a file of the workspace. In JSON a file can be a string, the content.
type File struct {
	Content string
	Mode    string // octal; "" is 0644
}

// UnmarshalJSON implements json.Unmarshaler.
func (f *File) UnmarshalJSON(doc []byte) error {
	if doc[0] == '"' {
		return json.Unmarshal(doc, &f.Content)
	}
	type object File
	return strictly(string(doc), (*object)(f))
}

// Matrix is one hook for each pattern. The hook notes its run. The pattern is the hook's `if` or the group's `matcher`;
// nil is no pattern.
type Matrix struct {
	Field    string
	Patterns []*string
}

// mark returns the name of the note of a pattern's hook.
func (m *Matrix) mark(n int) string { return fmt.Sprintf("p%02d", n) }

func (m *Matrix) settings(event string) string {
	type object = map[string]any
	var groups []object
	for n, pattern := range m.Patterns {
		handler := object{"type": "command", "command": `sh "$CLAUDE_PROJECT_DIR/hooks/mark.sh" ` + m.mark(n)}
		group := object{"hooks": []any{handler}}
		switch {
		case pattern == nil:
		case m.Field == "if":
			handler["if"] = *pattern
		default:
			group[m.Field] = *pattern
		}
		groups = append(groups, group)
	}
	return inJSON(object{"hooks": object{event: groups}})
}

// settings is the text of the hooks file.
func (c *Case) settings() string {
	switch {
	case c.ConfigText != nil:
		return *c.ConfigText
	case c.Matrix != nil:
		return c.Matrix.settings(c.Event)
	case c.Config != nil:
		return string(c.Config)
	}
	return "{}"
}

// Expectation is the result of a case. Every part of the outcome without an expectation must be absent, except for
// reasons and statuses. Facts about processes are compared only with an expectation. A value can be
// {"one_of": [...]}, {"contains": "..."} or {"match": "regexp"}.
type Expectation struct {
	ClientInject     json.RawMessage `json:"client_inject"` // as the client joined the texts, for people
	ClientOverlapped json.RawMessage `json:"client_overlapped"`

	// The outcome.
	Decision       any
	Approved       any
	UpdatedInput   any `json:"updated_input"`
	UpdatedOutput  any `json:"updated_output"`
	Stop           any
	SystemMessages any `json:"system_messages"`
	Inject         []any
	Reason         any
	StopReason     any             `json:"stop_reason"`
	Statuses       json.RawMessage // an object in the order of the file
	Warning        bool
	Any            []string // fields with any value

	ConfigError bool `json:"config_error"`

	// The processes.
	Ran         []string
	Runs        map[string]int
	Matched     []*string
	NotMatched  []*string `json:"not_matched"`
	Overlapped  bool
	MinMS       *int64 `json:"min_ms"`
	MaxMS       *int64 `json:"max_ms"`
	NoSurvivors bool   `json:"no_survivors"`
	LeftRunning bool   `json:"left_running"`
	HookStdin   bool   `json:"hook_stdin"`
	Argv        []string
	Process     any // true, or the variables that hold the workspace
	Notes       map[string]any
}

// any reports whether a field may be anything.
func (e *Expectation) any(field string) bool { return slices.Contains(e.Any, field) }

// Marks are the names of the notes of a matrix whose patterns shall match, in order.
func (e *Expectation) Marks(m *Matrix) (names []string) {
	if m == nil {
		return nil
	}
	for n, pattern := range m.Patterns {
		if slices.ContainsFunc(e.Matched, func(matched *string) bool {
			return matched == pattern || matched != nil && pattern != nil && *matched == *pattern
		}) {
			names = append(names, m.mark(n))
		}
	}
	return names
}
