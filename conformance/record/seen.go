//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/conformance/kit"
	"github.com/hookrun/hookrun/conformance/record/clients"
)

// seen is the behaviour of a client in a case, without the usual. The line of the case has a seen as well.
type seen struct {
	Requests int               `json:"requests"`         // to the model
	Ran      map[string]int    `json:"ran,omitempty"`    // hooks, and how often
	Made     map[string]string `json:"made,omitempty"`   // new and changed files
	Told     []string          `json:"told,omitempty"`   // lines for the model
	Untold   []string          `json:"untold,omitempty"` // lines of the usual result, kept from the model
	Said     []string          `json:"said,omitempty"`   // other lines, for the user
	Keys     []string          `json:"keys,omitempty"`   // +KEY: in the hook's input, and not in the case's stdin; -KEY

	atEvent []string // hooks that ran at the case's event
	words   []string // Said, and single words
	results []string // lines of the requests but the first
	request string   // the first
	ended   string   // how, if not by itself
}

// raw is a run of a client, before distilling.
type raw struct {
	trial    *kit.Trial
	stdin    string // of the case
	before   map[string]string
	requests []string
	call     *clients.Call
}

func distil(r raw, usual *usual) (*seen, error) {
	s := &seen{Requests: len(r.requests), Ran: map[string]int{}, Made: map[string]string{}}
	if r.trial.TimedOut {
		s.ended = "it did not end in " + limit.String()
	}
	plain := plainer(r.trial)
	runs, _, err := r.trial.Runs()
	if err != nil {
		return nil, err
	}
	for _, h := range runs {
		s.Ran[h.ID]++
		event := gjson.Get(h.Note["stdin"], "hook_event_name").String()
		if event == "" || event == r.trial.Event || !named.MatchString(event) {
			s.atEvent = append(s.atEvent, h.ID)
		}
		if s.Keys == nil && event == r.trial.Event {
			s.Keys = otherKeys(r.stdin, h.Note["stdin"])
		}
	}
	for name, text := range filesIn(r.trial.Workspace) {
		own := filepath.Join(r.trial.Workspace, name) == r.trial.HooksFile // which some clients migrate
		if old, there := r.before[name]; !own && (!there || old != text) {
			s.Made[name] = short(plain(text))
		}
	}
	all := s.read(r.requests, plain, usual)
	if r.call != nil {
		for _, line := range usual.results {
			if !all[line] {
				s.Untold = append(s.Untold, line)
			}
		}
	}
	for _, line := range linesSaid(r.trial.Stdout+"\n"+r.trial.Stderr, plain) {
		if !all[line] && !usual.lines[line] {
			all[line] = true
			s.words = append(s.words, line)
			if strings.Contains(line, " ") { // else a word of the client's protocol
				s.Said = append(s.Said, line)
			}
		}
	}
	return s, nil
}

// read notes the lines that the model read, and returns all of them.
func (s *seen) read(requests []string, plain func(string) string, usual *usual) map[string]bool {
	all := map[string]bool{}
	for i, request := range requests {
		if i == 0 {
			s.request = request
		}
		for _, line := range linesTold(request, plain) {
			if all[line] {
				continue
			}
			all[line] = true
			if i > 0 {
				s.results = append(s.results, line)
			}
			if !usual.lines[line] {
				s.Told = append(s.Told, line)
			}
		}
	}
	return all
}

// linesTold are the lines of a request, without tools and without the model's own words.
func linesTold(request string, plain func(string) string) (lines []string) {
	for _, part := range []string{"system", "systemInstruction", "instructions", "messages", "input", "contents"} {
		value := gjson.Get(request, part)
		if !value.IsArray() {
			lines = append(lines, leaves(value, plain)...)
			continue
		}
		for _, m := range value.Array() {
			role, kind := m.Get("role").String(), m.Get("type").String()
			if role != "assistant" && role != "model" && !strings.HasSuffix(kind, "_call") {
				lines = append(lines, leaves(m, plain)...)
			}
		}
	}
	return lines
}

// linesSaid are the lines of a client's output, whose lines may be JSON.
func linesSaid(output string, plain func(string) string) (lines []string) {
	for line := range strings.Lines(output) {
		if doc := strings.TrimSpace(line); strings.HasPrefix(doc, "{") && gjson.Valid(doc) {
			lines = append(lines, leaves(gjson.Parse(doc), plain)...)
			continue
		}
		lines = append(lines, split(plain(line))...)
	}
	return lines
}

// names are keys with a name or a number, and no text.
var names = map[string]bool{"id": true, "role": true, "type": true, "model": true, "name": true, "uuid": true,
	"session_id": true, "sessionId": true, "tool_use_id": true, "tool_call_id": true, "call_id": true, "status": true}

// leaves are the lines of the texts in a value.
func leaves(value gjson.Result, plain func(string) string) (lines []string) {
	switch {
	case value.IsObject() || value.IsArray():
		for key, value := range value.ForEach {
			if !names[key.String()] {
				lines = append(lines, leaves(value, plain)...)
			}
		}
	case value.Type == gjson.String:
		lines = split(plain(value.String()))
	}
	return lines
}

func split(text string) (lines []string) {
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, short(line))
		}
	}
	return lines
}

// short keeps the length of a long text, and its ends.
func short(text string) string {
	if r := []rune(text); len(r) > 240 {
		return fmt.Sprintf("%s … %d characters … %s", string(r[:160]), len(r), string(r[len(r)-40:]))
	}
	return text
}

var changing = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`\x1b\[[0-9;?]*[a-zA-Z]`), ""},
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "<UUID>"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.,\d]*(Z|[+-]\d\d:?\d\d)?`), "<TIME>"},
	{regexp.MustCompile(`\b(req|call|msg|toolu|conv|ses|agent|chatcmpl|hook|run)_[0-9A-Za-z]{8,}\b`), "<ID>"},
	{regexp.MustCompile(`-[0-9a-f]{32}-`), "-N-"}, // in the name of a file with a long text
	{regexp.MustCompile(`\b(rec|h|a)\.\d+\b`), "$1.N"},
	{regexp.MustCompile(`/\d+\.sock\b`), "/N.sock"},
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "127.0.0.1:PORT"},
	{regexp.MustCompile(`\b\d+(\.\d+)? ?(ms|s|sec|secs|seconds|minutes)\b`), "N $2"},
	{regexp.MustCompile(`(?i)\b(pgid|pid|process id|process group pgid|chunk id)(:? |=)[0-9a-f]+`), "$1${2}N"},
}

// plainer replaces the parts of a text that differ from run to run.
func plainer(trial *kit.Trial) func(string) string {
	slug := func(path string) string { return strings.ReplaceAll(path, "/", "-") }
	replace := strings.NewReplacer(trial.Workspace, "<WORKSPACE>", slug(trial.Workspace), "<WORKSPACE_SLUG>",
		trial.Home, "<HOME>", trial.Base, "<BASE>", slug(trial.Base), "<BASE>", path.Base(trial.Base), "<BASE>")
	return func(text string) string {
		text = replace.Replace(text)
		for _, c := range changing {
			text = c.pattern.ReplaceAllString(text, c.with)
		}
		return text
	}
}

// otherKeys are keys of a hook's input without a key of the case, and the other way round.
func otherKeys(want, got string) (keys []string) {
	old, now := map[string]bool{}, map[string]bool{}
	allKeys(gjson.Parse(want), "", old)
	allKeys(gjson.Parse(got), "", now)
	for _, key := range slices.Sorted(maps.Keys(now)) {
		if !old[key] {
			keys = append(keys, "+"+key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(old)) {
		if !now[key] {
			keys = append(keys, "-"+key)
		}
	}
	return keys
}

func allKeys(value gjson.Result, at string, into map[string]bool) {
	for key, value := range value.ForEach {
		below := at
		if key.String() != "" { // of an object
			below = strings.TrimPrefix(at+"."+key.String(), ".")
			into[below] = true
		}
		if value.IsObject() || value.IsArray() {
			allKeys(value, below, into)
		}
	}
}

// disagrees lists the expectations of a case that the real client did not meet, as far as can be seen.
// A case with a departure expects that of hookrun, and not of the client.
func (s *seen) disagrees(c *kit.Case, call *clients.Call) (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if s.ended != "" {
		fault("%s", s.ended)
	}
	if c.Departs != "" || c.Expect.ConfigError {
		return faults
	}
	want, got := slices.Sorted(slices.Values(c.Expect.Ran)), slices.Compact(slices.Sorted(slices.Values(s.atEvent)))
	if c.Matrix != nil {
		want = c.Expect.Marks(c.Matrix)
	}
	if !slices.Equal(want, got) {
		fault("hooks that ran: want %q, got %q", want, got)
	}
	decision, _ := c.Expect.Decision.(string)
	if call != nil && beforeTool[c.Event] {
		made := slices.ContainsFunc(slices.Collect(maps.Keys(s.Made)), func(name string) bool {
			return strings.Contains(string(call.Input), name)
		})
		could := slices.ContainsFunc(effects, func(name string) bool {
			return strings.Contains(string(call.Input), name)
		})
		switch {
		case (decision == "block" || decision == "ask") && made:
			fault("decision: want %s, but the tool ran", decision)
		case decision == "continue" && !made && could && c.Expect.UpdatedInput == nil:
			fault("decision: want continue, but the tool did not run")
		}
	}
	read := slices.Concat(s.Told, s.words)
	texts := c.Expect.Inject
	if decision == "block" && s.Requests == 0 && call != nil {
		fault("no request")
	}
	if decision == "block" && s.Requests > 0 { // some clients block a prompt without a word
		texts = append(slices.Clone(texts), c.Expect.Reason)
	}
	for _, text := range texts {
		want, ok := text.(string)
		if object, isObject := text.(map[string]any); isObject {
			want, ok = object["contains"].(string)
		}
		for line := range strings.Lines(want) {
			if line = strings.TrimSpace(line); ok && !isRead(read, line) && !isRead(read, escaped.Replace(line)) {
				fault("nobody read %q", short(line))
				break
			}
		}
	}
	return faults
}

// isRead reports whether one of these lines holds a text. Of a shortened line the start, length and end count.
func isRead(lines []string, text string) bool {
	whole := []rune(text)
	return slices.ContainsFunc(lines, func(line string) bool {
		parts := shortened.FindStringSubmatch(line)
		if parts == nil || len(whole) <= 40 {
			return strings.Contains(line, text)
		}
		before, _, found := strings.Cut(parts[1], string(whole[:40]))
		length, _ := strconv.Atoi(parts[2])
		behind := length - len([]rune(before)) - len(whole)
		end := []rune(parts[3])
		return found && behind >= 0 &&
			(behind >= len(end) || strings.HasSuffix(text, string(end[:len(end)-behind])))
	})
}

// escaped is a text as Gemini CLI gives it to the model.
var escaped = strings.NewReplacer("<", "&lt;", ">", "&gt;")

// shortened are the parts of what short returns.
var shortened = regexp.MustCompile(`^(.*) … (\d+) characters … (.*)$`)

// effects are the files that the tools of the cases make.
var effects = []string{"ran.txt", "tool_ran", "toolran", "new.txt"}

// named matches the clients' names of events in PascalCase.
var named = regexp.MustCompile(`^[A-Z]`)

var beforeTool = map[string]bool{"PreToolUse": true, "BeforeTool": true, "PermissionRequest": true}

func inJSON(v any) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(v)
	return strings.TrimSpace(b.String())
}
