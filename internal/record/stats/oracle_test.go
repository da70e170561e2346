package stats

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// oracleMissed finds the count of missing lines.
var oracleMissed = regexp.MustCompile(`^\{"version":1,"missed":(\d{1,9})(?:,|\n|$)`)

// oracle reads a log slowly, by encoding/json alone, and counts in the plainest way. Percentiles are exact.
func oracle(log []byte, f Filter) *Summary {
	s := &Summary{Version: 1, Hooks: []Hook{}, NeverFired: []NeverFired{}, Blocks: []Block{}}
	durations := map[hookKey][]float64{}
	strays := map[string]int{}
	lines := bytes.SplitAfter(log, []byte("\n"))
	var from, to time.Time
	blank := 0
	defer func() { s.Missed += blank }()
	for _, line := range lines {
		if len(line) == 0 {
			continue
		}
		if string(line) == "\n" {
			blank++
			continue
		}
		blank = 0
		if n := oracleMissed.FindSubmatch(line); n != nil {
			more, _ := strconv.Atoi(string(n[1]))
			s.Missed += more
		}
		call, err := oracleCall(line)
		if err != nil && !bytes.HasSuffix(line, []byte("\n")) {
			continue
		}
		s.Lines++
		if err != nil {
			s.Unreadable++
			continue
		}
		when := call.when.Truncate(time.Microsecond)
		if !f.Since.IsZero() && when.Before(f.Since) || f.Session != "" && call.text("session_id") != f.Session {
			continue
		}
		if s.Calls++; s.Calls == 1 || when.Before(from) {
			from = when
		}
		if s.Calls == 1 || when.After(to) {
			to = when
		}
		if call.has("error") {
			s.Errors++
		}
		count := oracleColumn(&call)
		*map[string]*int{
			"continue": &s.Columns.Continue, "rewritten": &s.Columns.Rewritten, "failed": &s.Columns.Failed,
			"ask":   &s.Columns.Ask,
			"defer": &s.Columns.Defer, "block": &s.Columns.Block, "stop": &s.Columns.Stop, "error": &s.Columns.Error,
		}[count]++
		if !call.has("outcome") {
			continue
		}
		o := call.get("outcome").(object)
		event, tool := call.text("event"), call.text("tool")
		if o.has("event") {
			event = o.text("event")
		}
		if o.has("tool") {
			tool = o.text("tool")
		}
		if o.get("stop") == true {
			s.Stopped++
		}
		decision := o.text("decision")
		switch decision {
		case "continue":
			s.Decisions.Continue++
		case "ask":
			s.Decisions.Ask++
		case "defer":
			s.Decisions.Defer++
		default:
			s.Decisions.Block++
		}
		if decision != "continue" {
			s.Blocks = append(s.Blocks, Block{Time: when.UTC().Format(stampForm), Event: event, Tool: tool,
				Hook: o.text("hook"), Cause: o.text("cause"), Reason: o.text("reason"), Decision: decision,
				Session: call.text("session_id")})
			s.Blocks = s.Blocks[max(0, len(s.Blocks)-200):]
		}
		waiting := map[string]bool{}
		for _, in := range o.list("inject") {
			waiting[in.(object).text("hook")] = true
		}
		for i, r := range o.list("hooks") {
			r, note := r.(object), oracleNote(&call, i)
			source, _, _ := cutLine(r.text("source"))
			key := hookKey{r.text("name"), absolute(source, call.text("workspace"))}
			i := slices.IndexFunc(s.Hooks, func(h Hook) bool { return h.Name == key.name && h.File == key.file })
			if i < 0 {
				i = len(s.Hooks)
				s.Hooks = append(s.Hooks, Hook{Name: key.name, File: key.file})
			}
			h := &s.Hooks[i]
			if event != "" && !slices.Contains(h.Events, event) {
				h.Events = append(h.Events, event)
			}
			h.Last = max(h.Last, when.UTC().Format(stampForm))
			injects := waiting[key.name]
			delete(waiting, key.name)
			h.Matched++
			duration, limit := r.number("duration_ms"), r.number("limit_ms")
			if limit > 0 {
				h.Limit = limit
			}
			status := r.text("status")
			count := map[string]*int{"ok": &h.OK, "blocked": &h.Blocked, "failed": &h.Failed, "timeout": &h.TimedOut,
				"unstarted": &h.Unstarted, "skipped": &h.Skipped, "async": &h.Async}[status]
			if count == nil {
				count = &h.Other
			}
			if status == "ok" && injects {
				count = &h.Injected
			}
			if status == "ok" && note == "rewrite" {
				count = &h.Rewrote
			}
			if status == "blocked" && (note == "ask" || decision == "ask") {
				count = &h.Asked
			}
			if note == "warning" && !slices.Contains([]string{"blocked", "timeout", "unstarted"}, status) {
				count = &h.Failed
			}
			*count++
			if slices.Contains([]string{"ok", "blocked", "failed", "timeout"}, status) {
				durations[key] = append(durations[key], max(duration, 0))
				if status != "timeout" && limit > 0 && duration >= 0.8*limit {
					h.Near++
				}
			}
		}
		for name := range waiting {
			strays[name]++
		}
	}
	if s.Calls > 0 {
		s.From, s.To = from.UTC().Format(stampForm), to.UTC().Format(stampForm)
	}
	delete(strays, "")
	for i := range s.Hooks {
		h := &s.Hooks[i]
		h.Late += strays[h.Name]
		delete(strays, h.Name)
		if all := durations[hookKey{h.Name, h.File}]; len(all) > 0 {
			slices.Sort(all)
			rank := func(percent int) float64 { return all[int(math.Ceil(float64(len(all)*percent)/100))-1] }
			h.P50, h.P95, h.Max = rank(50), rank(95), all[len(all)-1]
		}
	}
	return s
}

// oracleColumn says in which column a call belongs, by asking of each column whether another one comes before it.
func oracleColumn(call *oracleLine) string {
	if call.has("error") || !call.has("outcome") {
		return "error"
	}
	o := call.get("outcome").(object)
	if o.get("stop") == true {
		return "stop"
	}
	if decision := o.text("decision"); decision != "continue" {
		return decision
	}
	failed := float64(len(o.list("warnings"))) > call.number("lint")
	for i, r := range o.list("hooks") {
		r := r.(object)
		failed = failed || oracleNote(call, i) == "warning" ||
			strings.Contains(" failed timeout unstarted ", " "+r.text("status")+" ")
	}
	switch {
	case failed:
		return "failed"
	case o.has("updated_input") || o.has("updated_output"):
		return "rewritten"
	}
	return "continue"
}

func oracleNote(call *oracleLine, hook int) string {
	if notes := call.list("notes"); hook < len(notes) {
		return notes[hook].(string)
	}
	return ""
}

const stampForm = "2006-01-02T15:04:05.000000Z"

func cutLine(source string) (path, line string, found bool) {
	i := strings.LastIndex(source, ":")
	if i <= 0 || i == len(source)-1 {
		return source, "", false
	}
	for _, c := range source[i+1:] {
		if c < '0' || c > '9' {
			return source, "", false
		}
	}
	return source[:i], source[i+1:], true
}

// object is a JSON object with all of its members.
type object []member

type member struct {
	key   string
	value any
}

func (o object) get(key string) (last any) {
	for _, m := range o {
		if m.key == key {
			last = m.value
		}
	}
	return last
}

func (o object) has(key string) bool {
	return slices.ContainsFunc(o, func(m member) bool { return m.key == key })
}

func (o object) text(key string) string { s, _ := o.get(key).(string); return s }
func (o object) list(key string) []any  { l, _ := o.get(key).([]any); return l }

func (o object) number(key string) float64 {
	n, _ := o.get(key).(json.Number)
	f, _ := strconv.ParseFloat(string(n), 64)
	return f
}

// check refuses a member of a wrong type. The types are s a string, b true or false, n a number, o an object and l a
// list, and [s] and [o] lists of those.
func (o object) check(types map[string]string) error {
	for _, m := range o {
		ok := true
		switch v := m.value; types[m.key] {
		case "s":
			_, ok = v.(string)
		case "b":
			_, ok = v.(bool)
		case "n":
			var n json.Number
			if n, ok = v.(json.Number); ok {
				_, err := strconv.ParseFloat(string(n), 64)
				ok = err == nil
			}
		case "o":
			_, ok = v.(object)
		case "[s]", "[o]":
			var list []any
			list, ok = v.([]any)
			for _, e := range list {
				_, isText := e.(string)
				_, isObject := e.(object)
				ok = ok && (isText && types[m.key] == "[s]" || isObject && types[m.key] == "[o]")
			}
		}
		if !ok {
			return errors.New(m.key + " is of a wrong type")
		}
	}
	return nil
}

type oracleLine struct {
	object
	when time.Time
}

func oracleCall(line []byte) (c oracleLine, err error) {
	if !json.Valid(line) {
		return c, errors.New("not JSON")
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	v, err := oracleValue(d)
	o, isObject := v.(object)
	if err != nil || !isObject {
		return c, errors.New("no object")
	}
	c.object = o
	if err := o.check(map[string]string{
		"time": "s", "session_id": "s", "workspace": "s", "tool_use_id": "s", "event": "s", "tool": "s",
		"args_preview": "s",
		"args_size":    "n", "result": "s", "result_preview": "s", "result_size": "n", "failed": "b", "error": "s",
		"outcome": "o", "lint": "n", "notes": "[s]",
	}); err != nil {
		return c, err
	}
	for _, m := range o {
		if m.key != "outcome" {
			continue
		}
		o := m.value.(object)
		if err := o.check(map[string]string{
			"event": "s", "tool": "s", "decision": "s", "stop": "b", "reason": "s", "cause": "s", "hook": "s",
			"inject":          "[o]",
			"system_messages": "[s]", "warnings": "[s]", "hooks": "[o]",
		}); err != nil {
			return c, err
		}
		if !slices.Contains([]string{"continue", "block", "ask", "defer"}, o.text("decision")) {
			return c, errors.New("no decision")
		}
		for _, m := range o {
			for _, x := range map[bool][]any{true: oracleList(m.value)}[m.key == "hooks" || m.key == "inject"] {
				x := x.(object)
				types := map[string]string{"hook": "s"}
				if m.key == "hooks" {
					types = map[string]string{"name": "s", "source": "s", "status": "s", "duration_ms": "n",
						"limit_ms": "n", "stderr": "s"}
					if !x.has("name") || !x.has("status") {
						return c, errors.New("no report")
					}
				}
				if err := x.check(types); err != nil {
					return c, err
				}
			}
		}
	}
	if !o.has("time") || !o.has("error") && !o.has("outcome") {
		return c, errors.New("no call")
	}
	if c.when, err = time.Parse(time.RFC3339Nano, o.text("time")); c.when.UTC().Year() < 1 {
		return c, errors.New("no time")
	}
	return c, err
}

func oracleList(v any) []any { l, _ := v.([]any); return l }

func oracleValue(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		o := object{}
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			value, err := oracleValue(d)
			if err != nil {
				return nil, err
			}
			o = append(o, member{key.(string), value})
		}
		_, err := d.Token()
		return o, err
	case json.Delim('['):
		l := []any{}
		for d.More() {
			value, err := oracleValue(d)
			if err != nil {
				return nil, err
			}
			l = append(l, value)
		}
		_, err := d.Token()
		return l, err
	}
	return token, nil
}
