package kit

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// Difference is a wrong part of a case.
type Difference struct {
	Field     string
	Want, Got any
}

func (d Difference) String() string {
	return fmt.Sprintf("%s: want %s, got %s", d.Field, Shortened(inJSON(d.Want)), Shortened(inJSON(d.Got)))
}

// Shortened cuts a long text in its middle.
func Shortened(s string) string {
	if r := []rune(s); len(r) > 300 {
		return string(r[:200]) + " … " + string(r[len(r)-80:])
	}
	return s
}

func inJSON(v any) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return fmt.Sprintf("%#v", v)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Form is the form of a program's answer.
type Form string

// Outcome is hookrun's JSON, with exit code 0, 2 or 3, and is compared whole. Answer is the output of a hook of the
// client: exit code and JSON have the client's meaning.
const (
	Outcome Form = "outcome"
	Answer  Form = "client"
)

// Rules are how strictly a program is judged.
type Rules struct {
	Form   Form
	Fields []string      // only these are compared; none: all
	Slower time.Duration // more time for a program that starts slowly
	// Notes are the program's own words to the user, in the text for the model or for the user; nil: no notes. In an
	// Answer notes are not compared.
	Notes *regexp.Regexp
}

// differences are collected: each fault of a case is worth seeing.
type differences struct {
	Rules
	found []Difference
}

func (d *differences) check(field string, ok bool, want, got any) {
	name := field
	if end := strings.IndexAny(field, ". "); end > 0 { // of process.cwd, and of "runs of a"
		name = field[:end]
	}
	always := field == "limit" || field == "stdout" // without an answer no field is there
	if !ok && (always || d.Fields == nil || slices.Contains(d.Fields, name)) {
		d.found = append(d.found, Difference{field, want, got})
	}
}

// equal is check for values without patterns.
func (d *differences) equal(field string, want, got any) {
	d.check(field, reflect.DeepEqual(want, got), want, got)
}

// Judge compares the result of the case with the client's result.
func (r *Trial) Judge(rules Rules) []Difference {
	d := &differences{Rules: rules}
	if r.TimedOut {
		d.check("limit", false, "an end in time", "none")
		return d.found
	}
	runs, notes, err := r.Runs()
	if err != nil {
		d.check("notes", false, "readable notes", err.Error())
		return d.found
	}
	ids := []string{}
	for _, h := range runs {
		ids = append(ids, h.ID)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if r.Expect.ConfigError {
		r.judgeRefusal(d)
		d.equal("ran", []string{}, ids)
		return d.found
	}
	var outcome map[string]any
	if d.Form == Answer {
		outcome, err = r.answer()
	} else if err = json.Unmarshal([]byte(r.Stdout), &outcome); outcome == nil && err == nil {
		err = errors.New("null")
	}
	if err != nil {
		got := fmt.Sprintf("%v: %s, exit %d, stderr %s", err, r.Stdout, r.Code, r.Stderr)
		d.check("stdout", false, "an outcome in the form "+string(d.Form), got)
		return d.found
	}
	if d.Form == Answer {
		r.judgeAnswer(d, outcome)
	} else {
		r.judgeOutcome(d, outcome)
	}
	r.judgeFields(d, outcome)
	r.judgeRuns(d, runs, ids)
	for name, want := range r.Expect.Notes {
		var got any
		if text, ok := notes[name]; ok {
			got = text
		}
		d.check("notes."+name, same(want, got), want, got)
	}
	for _, h := range runs {
		r.judgeProcess(d, h)
	}
	return d.found
}

// judgeRefusal looks at how a program refuses a hooks file with a fault.
func (r *Trial) judgeRefusal(d *differences) {
	if d.Form == Answer {
		holds := r.Code != 0 && strings.TrimSpace(r.Stderr) != ""
		if answer, err := r.answer(); err == nil && answer["decision"] != "continue" || answer["stop"] == true {
			holds = true
		}
		d.check("config_error", holds, "an exit code but 0 with a message on stderr, or an answer that blocks",
			fmt.Sprintf("exit %d, stdout %s, stderr %s", r.Code, r.Stdout, r.Stderr))
		return
	}
	name := filepath.Base(r.HooksFile)
	d.equal("exit", 1, r.Code)
	d.equal("stdout", "", strings.TrimSpace(r.Stdout))
	d.check("stderr", regexp.MustCompile(regexp.QuoteMeta(name)+`:[0-9]+:[0-9]+: `).MatchString(r.Stderr),
		name+":LINE:COL: message", r.Stderr)
}

// ownName is hookrun's name for a client's event.
var ownName = map[string]string{"UserPromptSubmit": "pre-execute", "PreToolUse": "pre-tool", "PostToolUse": "post-tool"}

// judgeOutcome compares the fields that only hookrun's outcome has.
func (r *Trial) judgeOutcome(d *differences, outcome map[string]any) {
	want := r.Expect
	d.equal("version", 1.0, outcome["version"])
	event, _ := outcome["event"].(string)
	d.check("event", event == r.Event || event != "" && event == ownName[r.Event], r.Event, outcome["event"])
	hooks, isList := outcome["hooks"].([]any)
	d.check("hooks", isList, "a list", outcome["hooks"])
	if !want.any("inject") {
		got, there := outcome["inject"]
		d.check("inject", !there && len(want.Inject) == 0 || sameInject(want.Inject, got), want.Inject, got)
	}
	if !want.any("system_messages") {
		wanted, got := orEmpty(want.SystemMessages), orEmpty(outcome["system_messages"])
		d.check("system_messages", same(wanted, got), wanted, got)
	}

	var codes []int
	if outcome["decision"] != "continue" {
		codes = append(codes, 2)
	}
	if outcome["stop"] == true {
		codes = append(codes, 3)
	}
	if codes == nil {
		codes = []int{0}
	}
	d.check("exit", slices.Contains(codes, r.Code), codes, r.Code)
	if want.Statuses != nil {
		r.judgeStatuses(d, hooks)
	}
	if want.Warning {
		warnings, _ := outcome["warnings"].([]any)
		d.check("warning", len(warnings) > 0 || strings.TrimSpace(r.Stderr) != "", "a warning", nil)
	}
}

func orEmpty(list any) any {
	if list == nil {
		return []any{}
	}
	return list
}

// judgeFields compares the fields of every answer.
func (r *Trial) judgeFields(d *differences, outcome map[string]any) {
	want, decision := r.Expect, outcome["decision"]
	d.check("decision", same(want.Decision, decision), want.Decision, decision)
	for _, f := range []struct {
		name         string
		want, absent any
	}{
		{"approved", want.Approved, false},
		{"updated_input", want.UpdatedInput, nil},
		{"updated_output", want.UpdatedOutput, nil},
		{"stop", want.Stop, false},
	} {
		if want.any(f.name) || f.name == "approved" && decision != "continue" {
			continue
		}
		if f.want == nil {
			f.want = f.absent
		}
		got, there := outcome[f.name]
		if !there {
			got = f.absent
		}
		d.check(f.name, same(f.want, got), f.want, got)
	}
	for name, reason := range map[string]any{"reason": want.Reason, "stop_reason": want.StopReason} {
		if reason == nil || want.any(name) {
			continue
		}
		got, there := outcome[name]
		if text, ok := got.(string); ok || !there {
			got = strings.TrimSpace(text)
		}
		text, isText := reason.(string)
		said, isSaid := got.(string)
		if d.Form == Answer && isText && isSaid && strings.Contains(said, strings.TrimSpace(text)) {
			continue // an answer may name the hook of the reason
		}
		d.check(name, same(reason, got), reason, got)
	}
}

// judgeStatuses compares the statuses of the hooks that matched, in the order of the file.
func (r *Trial) judgeStatuses(d *differences, hooks []any) {
	var want, got []any
	for _, status := range gjson.ParseBytes(r.Expect.Statuses).ForEach {
		want = append(want, status.Value())
	}
	for _, hook := range hooks {
		entry, _ := hook.(map[string]any)
		if status := entry["status"]; status != "skipped" {
			got = append(got, status)
		}
	}
	d.check("statuses", slices.EqualFunc(want, got, same), want, got)
}

// judgeRuns compares the runs of the hooks, and their times.
func (r *Trial) judgeRuns(d *differences, runs []HookRun, ids []string) {
	want := r.Expect
	if want.Ran != nil {
		slices.Sort(want.Ran)
		d.equal("ran", want.Ran, ids)
	}
	for id, n := range want.Runs {
		got := 0
		for _, h := range runs {
			if h.ID == id {
				got++
			}
		}
		d.equal("runs of "+id, n, got)
	}
	if want.Matched != nil {
		// A pattern can stand in the matrix twice.
		matched := map[string]bool{}
		for n, pattern := range r.Matrix.Patterns {
			if slices.Contains(ids, r.Matrix.mark(n)) {
				matched[inJSON(pattern)] = true
			}
		}
		for _, p := range want.Matched {
			d.check("matched", matched[inJSON(p)], p, "no match")
		}
		for _, p := range want.NotMatched {
			d.check("not_matched", !matched[inJSON(p)], p, "a match")
		}
	}
	if want.Overlapped && exactTimes {
		d.check("overlapped", overlapped(runs), true, false)
	}
	low, high := int64(0), Limit.Milliseconds()
	if want.MinMS != nil {
		low = *want.MinMS
	}
	if want.MaxMS != nil && exactTimes {
		high = *want.MaxMS + d.Slower.Milliseconds()
	}
	inTime := time.Duration(low)*time.Millisecond <= r.Took && r.Took <= time.Duration(high)*time.Millisecond
	d.check("ms", inTime, []int64{low, high}, r.Took.Milliseconds())
	if want.NoSurvivors {
		// A killed process exists until the parent has waited for the process.
		within(3*time.Second, func() bool { return len(r.survivors()) == 0 })
		alive := r.survivors()
		commands := []string{}
		for _, p := range alive {
			commands = append(commands, p.command)
		}
		d.equal("no_survivors", []string{}, commands)
	}
	if want.LeftRunning {
		d.check("left_running", r.left, true, false)
	}
}

// Tries is how often a case is run at most, while MayBeBusy says that the machine may have been too busy for it.
const Tries = 3

// MayBeBusy reports whether a busy machine alone may be the reason of the differences: a quick hook may end before a
// slow one notes its start. Hooks that run in turn never overlap, however often they are tried.
func MayBeBusy(wrong []Difference) bool { return len(wrong) == 1 && wrong[0].Field == "overlapped" }

// overlapped reports whether two runs overlapped in time. A run without a note of the end was killed, and counts as an
// instant.
func overlapped(runs []HookRun) bool {
	type span struct{ start, end float64 }
	var spans []span
	for _, h := range runs {
		start, err := strconv.ParseFloat(strings.TrimSpace(h.Note["start"]), 64)
		if err != nil {
			continue
		}
		end, err := strconv.ParseFloat(strings.TrimSpace(h.Note["end"]), 64)
		if err != nil {
			end = start
		}
		spans = append(spans, span{start, end})
	}
	for n, a := range spans {
		for _, b := range spans[n+1:] {
			if a.start < b.end && b.start < a.end {
				return true
			}
		}
	}
	return false
}

// judgeProcess compares the stdin, the arguments and the surroundings of one hook.
func (r *Trial) judgeProcess(d *differences, h HookRun) {
	want := r.Expect
	if want.HookStdin {
		d.equal("hook_stdin", r.Stdin, h.Note["stdin"])
	}
	if !hasProc {
		return
	}
	if want.Argv != nil {
		d.equal("argv", want.Argv, strings.Split(strings.TrimSuffix(h.Note["cmdline"], "\x00"), "\x00"))
	}
	names := []any{"CLAUDE_PROJECT_DIR"}
	switch process := want.Process.(type) {
	case []any:
		names = process
	case bool:
		if !process {
			return
		}
	case nil:
		return
	}
	d.equal("process.cwd", r.Workspace, strings.TrimSpace(h.Note["cwd"]))
	d.equal("process.tty", "no", strings.TrimSpace(h.Note["tty"]))
	env := map[string]string{}
	for v := range strings.SplitSeq(h.Note["env"], "\x00") {
		name, value, _ := strings.Cut(v, "=")
		env[name] = value
	}
	for _, name := range names {
		d.equal(fmt.Sprint("process.", name), r.Workspace, env[fmt.Sprint(name)])
	}
	// After the name, which ends with the last bracket: state, parent, group, session.
	stat := h.Note["stat"]
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	d.check("process.session", len(fields) > 3 && fields[3] != strconv.Itoa(r.pid), "its own", fields)
}

// same compares a value of the outcome with the expected value.
func same(want, got any) bool {
	if pattern, ok := want.(map[string]any); ok {
		text, isText := got.(string)
		if options, ok := pattern["one_of"].([]any); ok {
			return slices.ContainsFunc(options, func(option any) bool { return same(option, got) })
		}
		if part, ok := pattern["contains"].(string); ok {
			return isText && strings.Contains(text, part)
		}
		if match, ok := pattern["match"].(string); ok {
			return isText && regexp.MustCompile(match).MatchString(text)
		}
	}
	return reflect.DeepEqual(want, got)
}

// longest is the maximum length of a cut text, in characters.
const longest = 10000

var absolutePath = regexp.MustCompile(`(?:[A-Z]:\\|/)[^\s"'<>()\[\]]+`)

// sameInject compares the texts for the model, in order. {"truncated": TEXT} is a cut text: the outcome marks the cut
// and names a file with all of TEXT.
func sameInject(want []any, got any) bool {
	entries, ok := got.([]any)
	return ok && slices.EqualFunc(want, entries, func(want, got any) bool {
		entry, _ := got.(map[string]any)
		content, ok := entry["content"].(string)
		if !ok {
			return false
		}
		truncated := entry["truncated"]
		long, isLong := want.(map[string]any)
		if !isLong {
			return content == want && (truncated == nil || truncated == false)
		}
		text, ok := long["truncated"].(string)
		return ok && truncated == true && utf8.RuneCountInString(content) <= longest && keptInFull(entry, text)
	})
}

func keptInFull(entry map[string]any, text string) bool {
	for _, v := range entry {
		s, _ := v.(string)
		for _, path := range absolutePath.FindAllString(s, -1) {
			doc, err := os.ReadFile(strings.TrimRight(path, ".,:;"))
			if err == nil && strings.TrimSpace(string(doc)) == strings.TrimSpace(text) {
				return true
			}
		}
	}
	return false
}
