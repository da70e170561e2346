//go:build linux

package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/conformance/kit"
	"github.com/hookrun/hookrun/conformance/record/clients"
)

const (
	limit       = 90 * time.Second // of a client that runs one case
	maxRequests = 15               // to the model, of one turn
)

// model is a scripted model: first a call, then the end of the turn.
type model struct {
	clients.Client
	call     *clients.Call
	mu       sync.Mutex
	requests []string
}

func (m *model) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	if req.Method != http.MethodPost || !bytes.Contains(body, []byte(`"name":"`+m.Shell+`"`)) {
		http.NotFound(w, req) // a list of models, a title for the session
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests = append(m.requests, string(body))
	if len(m.requests) > maxRequests {
		http.Error(w, "enough", http.StatusBadRequest)
		return
	}
	var calls []clients.Call
	if m.call != nil && len(m.requests) == 1 {
		calls = append(calls, *m.call)
	}
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, m.Says(len(m.requests)-1, calls...))
}

// recorder gives a real client the cases.
type recorder struct {
	clients.Client
	cases *kit.Client
	bin   string // the folder with the client's program
	usual *usual
}

// observe runs the client once on a case. A reason is why this driver cannot run the case.
func (r *recorder) observe(line string) (s *seen, c *kit.Case, reason string, err error) {
	trial, err := kit.New(line, r.cases)
	if err != nil {
		return nil, nil, "", err
	}
	defer trial.Close()
	c = &trial.Case
	if need := cannot(trial); need != "" {
		return nil, c, need, nil
	}
	m := &model{Client: r.Client}
	if call, ok := callOf(r.Client, trial.Stdin); ok {
		m.call = &call
	}
	server := httptest.NewServer(m)
	defer server.Close()
	replace := strings.NewReplacer("$URL", server.URL, "$WORKSPACE", trial.Workspace,
		"$MODEL", cmp.Or(r.Model, "scripted"))
	if err := r.writeHome(trial, replace); err != nil {
		return nil, c, "", err
	}
	more := map[string]string{"PATH": r.bin + ":" + os.Getenv("PATH"), "TERM": "dumb", "PWD": trial.Workspace,
		"HTTP_PROXY": "http://127.0.0.1:9", "HTTPS_PROXY": "http://127.0.0.1:9", "NO_PROXY": "127.0.0.1"}
	for _, e := range r.Env {
		name, value, _ := strings.Cut(replace.Replace(e), "=")
		more[name] = value
	}
	args := r.arguments(trial, replace)
	before, stdin := filesIn(trial.Workspace), trial.Stdin
	trial.Stdin = "" // the client makes the input of the hooks
	trial.Run(trial.Workspace, trial.Environment(more), limit, filepath.Join(r.bin, r.Name), args...)
	if trial.Err != nil {
		return nil, c, "", trial.Err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.call != nil && len(m.requests) > 0 && !strings.Contains(m.requests[0], `"name":"`+m.call.Tool+`"`) {
		return nil, c, "the client offers no tool " + m.call.Tool, nil
	}
	s, err = distil(raw{trial: trial, stdin: stdin, before: before, requests: m.requests, call: m.call}, r.usual)
	return s, c, "", err
}

// cannot returns why no general driver can run a case, or "".
func cannot(trial *kit.Trial) string {
	switch {
	case trial.Missing() != "":
		return "it needs " + trial.Missing()
	case len(trial.UserSettings) > 0, trial.ClientCwd != "", len(trial.ClientFlags) > 0, trial.ClientArgs != nil:
		return "the client is started in its own way"
	}
	return ""
}

// arguments are for one turn with the case's prompt. In some cases the client asks a person: then no flag forbids
// questions.
func (r *recorder) arguments(trial *kit.Trial, replace *strings.Replacer) (args []string) {
	prompt := gjson.Get(trial.Stdin, "prompt").String()
	asks := trial.Event == "PermissionRequest" || trial.Expect.Approved != nil
	for i, arg := range r.Args {
		switch {
		case asks && slices.Contains(r.Unasked, arg):
			continue
		case (arg == "go" || arg == "please go") && prompt != "" && trial.Event != "AfterAgent":
			arg = prompt
		}
		args = append(args, replace.Replace(arg))
		if i == 0 {
			args = append(args, r.Trusting...)
		}
	}
	return args
}

// writeHome writes the user's files. The text of a case's own file comes behind.
func (r *recorder) writeHome(trial *kit.Trial, replace *strings.Replacer) error {
	for name, text := range r.Client.Home {
		file := filepath.Join(trial.Home, name)
		own, _ := os.ReadFile(file)
		text = replace.Replace(text)
		if r.UserOnly && r.cases.ConfigPath == name {
			config, err := os.ReadFile(trial.HooksFile)
			if err != nil {
				return err
			}
			own = append(own, config...)
		}
		parts := []string{text, string(own)}
		if len(own) > 0 && !bytes.HasPrefix(own, []byte("[")) { // a key of the top level
			slices.Reverse(parts)
		}
		if err := kit.WriteFile(file, kit.File{Content: strings.Join(parts, "\n")}); err != nil {
			return err
		}
	}
	return nil
}

// callOf is the call of a hook's input, as a model makes it: hooks have other names for some tools.
func callOf(c clients.Client, stdin string) (clients.Call, bool) {
	for _, at := range []string{"", "tool_calls.0.", "tool_call.", "tool_result."} {
		name := cmp.Or(gjson.Get(stdin, at+"tool_name").String(), gjson.Get(stdin, at+"name").String())
		if name == "" {
			continue
		}
		input := gjson.Get(stdin, at+"tool_input").Raw
		if input == "" {
			input = gjson.Get(stdin, at+"input").Raw
		}
		command := gjson.Get(input, "command")
		if name == "Bash" && c.Shell != "Bash" && command.Type == gjson.String {
			call := c.Run(command.String())
			if gjson.GetBytes(call.Input, "command").Exists() {
				call.Input = json.RawMessage(input)
			}
			return call, true
		}
		if own, ok := c.Tools[name]; ok {
			name = own
		}
		return clients.Call{Tool: name, Input: json.RawMessage(cmp.Or(input, "{}"))}, true
	}
	return clients.Call{}, false
}

// filesIn reads the files of a folder.
func filesIn(dir string) map[string]string {
	files := map[string]string{}
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			text, _ := os.ReadFile(path)
			name, _ := filepath.Rel(dir, path)
			files[name] = string(text)
		}
		return nil
	})
	return files
}

// usual holds the lines of a run with the usual call and without hooks.
type usual struct {
	lines   map[string]bool // of requests and of output
	results []string        // lines of the call's result
	request string          // the first
}

// namesOf are the files of a case below hooks, in JSON, without content.
func namesOf(line string) string {
	files := map[string]string{}
	for name := range gjson.Get(line, "files").ForEach {
		if strings.HasPrefix(name.String(), "hooks/") {
			files[name.String()] = ""
		}
	}
	return clients.Text(files)
}

// learn runs the client without hooks: with the call that most cases have, and without a call.
func (r *recorder) learn(lines []kit.Line) error {
	calls, most, input, files := map[string]int{}, "", "{}", "{}"
	for _, l := range lines {
		stdin := gjson.Get(l.Text, "stdin").Raw
		if call, ok := callOf(r.Client, stdin); ok {
			key := call.Tool + string(call.Input)
			if calls[key]++; most == "" || calls[key] > calls[most] {
				most, input = key, stdin
				files = namesOf(l.Text) // some clients list the files for the model
			}
		}
	}
	r.usual = &usual{lines: map[string]bool{}}
	none := map[bool]string{true: "{}"}[path.Ext(r.cases.ConfigPath) == ".json"]
	for _, stdin := range []string{input, input, `{}`} {
		s, _, reason, err := r.observe(`{"id": "usual", "event": "none", "config_text": "` + none +
			`", "expect": {}, "files": ` + files + `, "stdin": ` + stdin + `}`)
		switch {
		case err != nil:
			return err
		case reason != "" || s.Requests == 0:
			return fmt.Errorf("%s does not reach its model: %s %s %q", r.Name, reason, s.ended, s.Said)
		}
		for _, l := range slices.Concat(s.Told, s.Said) {
			r.usual.lines[l] = true
		}
		if r.usual.results == nil {
			r.usual.results, r.usual.request = s.results, s.request
		}
	}
	return nil
}
