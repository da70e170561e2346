package runlog

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/form"
	"github.com/hookrun/hookrun/internal/lib/secret"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
	"github.com/hookrun/hookrun/protocol"
)

var begun = time.Date(2026, 11, 21, 15, 43, 17, 120_000_000, time.FixedZone("", 3600))

// lineOf is the line of an entry without what all have.
func lineOf(t *testing.T, e Entry, patterns ...string) string {
	t.Helper()
	var compiled []*regexp.Regexp
	for _, p := range patterns {
		compiled = append(compiled, pattern(p))
	}
	e.Time, e.Command = begun, "serve"
	line := string(e.AppendLine(nil, compiled))
	require.True(t, json.Valid([]byte(line)), line)
	require.NotContains(t, line, "\n")
	start := fmt.Sprintf(`{"version":1,"time":"2026-11-21T14:43:17.120000Z","command":"serve","pid":%d`, os.Getpid())
	require.True(t, strings.HasPrefix(line, start), line)
	return strings.TrimSuffix(strings.TrimPrefix(line[len(start):], ","), "}")
}

func TestLine(t *testing.T) {
	long := strings.Repeat("é", maxText)
	outcome := func(change func(o *protocol.Outcome)) *protocol.Outcome {
		o := protocol.Outcome{Version: 1, Event: "pre-tool", Decision: protocol.Continue}
		change(&o)
		return &o
	}
	const (
		begins = `"outcome":{"version":1,"event":"pre-tool","decision":"continue",`
		ends   = `,"hooks":[],"duration_ms":0}`
	)
	for name, test := range map[string]struct {
		entry    Entry
		patterns []string
		want     string
	}{
		"empty": {want: ""},
		"a prompt": {entry: Entry{Call: &dialect.Call{Event: "pre-execute", Prompt: "hi\n", Args: "{}"}},
			want: `"prompt":"hi\n","event":"pre-execute"`},
		"all of a call": {
			entry: Entry{Call: &dialect.Call{Event: "post-tool", Tool: "shell", SessionID: "s", AgentID: "a",
				Workspace: "/w", ToolUseID: "t", Prompt: "p",
				Args: ` { "b" : 1 , "a":"\u00e9" } `, Result: "done", Failed: true}},
			want: `"session_id":"s","agent_id":"a","workspace":"/w","tool_use_id":"t","args":{"b":1,"a":"é"},` +
				`"result":"done","failed":true,"event":"post-tool","tool":"shell"`,
		},
		"a blocked call": {entry: Entry{Call: &dialect.Call{Event: "post-tool", Result: "no", Blocked: true}},
			want: `"args":{},"result":"no","blocked":true,"event":"post-tool"`},
		"no arguments": {entry: Entry{Call: &dialect.Call{Event: "PreToolUse", Tool: "x"}},
			want: `"args":{},"event":"PreToolUse","tool":"x"`},
		"text as args": {entry: Entry{Call: &dialect.Call{Event: "pre-tool", Args: "ls -l"}},
			want: `"args":"ls -l","event":"pre-tool"`},
		"no result yet": {entry: Entry{Call: &dialect.Call{Event: "pre-tool", Result: "x"}},
			want: `"args":{},"event":"pre-tool"`},
		"a failed tool": {entry: Entry{Call: &dialect.Call{Event: "PostToolUseFailure", Result: "x"}},
			want: `"args":{},"result":"x","event":"PostToolUseFailure"`},
		"an error": {entry: Entry{Err: errors.New("no\nway"), Outcome: &protocol.Outcome{},
			Call: &dialect.Call{Event: "Stop"}}, want: `"error":"no\nway","event":"Stop"`},
		"an empty error": {entry: Entry{Err: errors.New("")}, want: `"error":""`},
		"no UTF-8":       {entry: Entry{Call: &dialect.Call{SessionID: "a\xffb"}}, want: `"session_id":"a�b"`},
		"args that fit": {entry: Entry{Call: &dialect.Call{Event: "pre-tool", Args: `"` + long[4:] + `"`}},
			want: `"args":"` + long[4:] + `","event":"pre-tool"`},
		"a result fits": {entry: Entry{Call: &dialect.Call{Event: "post-tool", Result: long}},
			want: `"args":{},"result":"` + long + `","event":"post-tool"`},
		"a prompt is cut": {entry: Entry{Call: &dialect.Call{Event: "pre-execute", Prompt: long + "x"}},
			want: `"prompt":"` + long + ` … (2501 characters)","event":"pre-execute"`},
		"args that do not": {
			entry: Entry{Call: &dialect.Call{Event: "pre-tool", Args: `["` + long + `"]`}},
			want:  `"args_preview":"[\"` + long[4:] + `","args_size":2504,"event":"pre-tool"`,
		},
		"a result does not": {
			entry: Entry{Call: &dialect.Call{Event: "post-tool", Result: long + "xy"}},
			want:  `"args":{},"result_preview":"` + long + `","result_size":2502,"event":"post-tool"`,
		},
		"args nested too deep": {
			entry: Entry{Call: &dialect.Call{Event: "pre-tool",
				Args: strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000)}},
			want: `"args_preview":"` + strings.Repeat("[", maxText) + `","args_size":20000,"event":"pre-tool"`,
		},
		"secrets": {
			entry: Entry{Call: &dialect.Call{Event: "post-tool", Args: `{"token":"x"}`, Result: "PASSWORD=x",
				SessionID: "42"}, Err: errors.New("no 42")}, patterns: []string{"4."},
			want: `"session_id":"[redacted]","args":{"token":"[redacted]"},"result":"PASSWORD=[redacted]",` +
				`"redacted":true,"error":"no [redacted]","event":"post-tool"`,
		},
		"a secret in the outcome is said before it": {
			entry: Entry{Call: &dialect.Call{}, Outcome: outcome(func(o *protocol.Outcome) { o.Reason = "token: x" })},
			want:  `"redacted":true,` + begins + `"reason":"token: [redacted]"` + ends,
		},
		"a pattern": {
			entry:    Entry{Outcome: outcome(func(o *protocol.Outcome) { o.Reason = "aXXbXXXc" })},
			patterns: []string{"X", "bX+", `\b`},
			want:     `"redacted":true,` + begins + `"reason":"a[redacted]c"` + ends,
		},
		"a display has no part of a secret": {
			entry: Entry{Outcome: outcome(func(o *protocol.Outcome) {
				text := protocol.Text{Content: strings.Repeat("a", 295) + " AKIA0123456789ABCDEF"}
				o.Texts = []protocol.Text{dialect.WithDisplay(text)}
			})},
			patterns: []string{`AKIA\w{16}`},
			want: `"redacted":true,` + begins + `"inject":[{"content":"` + strings.Repeat("a", 295) +
				` [redacted]","display":"[INJECTION] ` + strings.Repeat("a", 295) + ` [red..."}]` + ends,
		},
		"texts of an outcome are cut": {
			entry: Entry{Outcome: outcome(func(o *protocol.Outcome) {
				o.Reason, o.Warnings = long+"1", []string{long, long + "12"}
			})},
			want: begins + `"reason":"` + long + ` … (2501 characters)","warnings":["` + long + `","` + long +
				` … (2502 characters)"]` + ends,
		},
		"rewrites are cut": {
			entry: Entry{Outcome: outcome(func(o *protocol.Outcome) {
				o.UpdatedInput, o.UpdatedOutput = []byte(`{"a":"`+long+`"}`), []byte(`{"token":"x"}`)
				o.Other = []byte(`{"apiToken":"x","x":["` + long + `"],"y":[1]}`)
			})},
			want: `"redacted":true,` + begins + `"updated_input":"{\"a\":\"` + long[12:] +
				` … (2508 characters)","updated_output":{"token":"[redacted]"},` +
				`"other":{"apiToken":"[redacted]","x":"[\"` + long[4:] + ` … (2504 characters)","y":[1]}` + ends,
		},
		"rewrites that are no JSON": {
			entry: Entry{Outcome: outcome(func(o *protocol.Outcome) {
				o.UpdatedInput, o.UpdatedOutput = []byte("{\"a\":\n\"x"), []byte("[1,\n 2]")
			})},
			want: begins + `"updated_input":"{\"a\":\n\"x","updated_output":[1,2]` + ends,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if test.entry.Outcome != nil {
				test.want += "}"
			}
			require.Equal(t, strings.TrimSuffix(test.want, "}"), lineOf(t, test.entry, test.patterns...))
		})
	}
}

func TestPreviews(t *testing.T) {
	result := func(size int) string {
		return "{" + lineOf(t, Entry{Call: &dialect.Call{Event: "post-tool", Result: strings.Repeat("x", size)}}) + "}"
	}
	t.Run("U54 a result of 3,000 characters has a preview of 2,500, and its size", func(t *testing.T) {
		line := result(3000)
		require.Len(t, gjson.Get(line, "result_preview").String(), 2500)
		require.Equal(t, int64(3000), gjson.Get(line, "result_size").Int())
		require.False(t, gjson.Get(line, "result").Exists())
	})
	t.Run("U54 one of 2,500 is whole", func(t *testing.T) {
		line := result(2500)
		require.Len(t, gjson.Get(line, "result").String(), 2500)
		require.False(t, gjson.Get(line, "result_size").Exists())
	})
}

// fill gives everything in a value something that omitempty would not leave out.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes([]byte(`{"a":[1.50,"é<"]}`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0))
		fill(v.Index(1))
	case reflect.String:
		v.SetString("text of <" + v.Type().Name() + "> \t\"")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1_234_567_890)
	default:
		panic(v.Kind())
	}
}

// The outcome's contract is its JSON form: whatever is added to it must be in the log, too.
func TestOutcomeIsWrittenAsItsJSON(t *testing.T) {
	var full protocol.Outcome
	fill(reflect.ValueOf(&full).Elem())
	full.Decision = protocol.Ask
	full.Other = []byte(`{"a":1,"other":2}`)
	for i := range full.Texts {
		full.Texts[i] = dialect.WithDisplay(full.Texts[i])
	}
	bare := protocol.Outcome{Texts: []protocol.Text{{}}, Hooks: []protocol.Report{{}}}
	for _, o := range []protocol.Outcome{full, {Hooks: []protocol.Report{}}, bare} {
		want, err := form.JSON(o)
		require.NoError(t, err)
		notes := make([]string, len(o.Hooks))
		if len(o.Hooks) == 2 {
			notes[1] = "warning"
		}
		got := lineOf(t, Entry{Outcome: &o, Lint: len(o.Warnings), Notes: notes})
		before, outcome, found := strings.Cut(got, `"outcome":`)
		require.True(t, found)
		require.Equal(t, string(want), outcome)
		require.Equal(t, len(o.Warnings) == 2, strings.Contains(before, `"lint":2,"notes":["","warning"],`), before)
	}
}

// A secret that begins in what is shown, or where nothing is shown any more, must not be seen in part.
func TestSecretsAcrossTheCut(t *testing.T) {
	testall.Alone(t)
	const planted = "hunter2hunter2hunter2"
	much := strings.Repeat("z", maxText+2*secret.Ahead)
	step := testall.Of(9, 3)
	if raceEnabled {
		step = 18
	}
	for shift := -36; shift <= 36; shift += step {
		// What goes before shrinks to nothing, so that the place of the cut in the text is not that of the cut in the
		// line.
		const ahead = 2 * secret.Ahead
		for _, at := range []int{maxText, maxText + secret.Ahead, maxText + ahead, 4*maxText + ahead} {
			for before, after := range map[string]string{
				"token=" + strings.Repeat("s", at+shift) + " ": " PASSWORD=" + planted + " ",
				strings.Repeat("x", at+shift):                  " AKIA" + planted + " ",
				"AKIA" + strings.Repeat("s", at+shift) + " ":   " AKIA" + planted + " ",
				"x " + strings.Repeat("y", at+shift):           "\ntoken: '" + planted + " ",
			} {
				after += much
				for _, args := range []any{before + after,
					[]any{map[string]any{"password": before}, after,
						map[string]any{"token": []string{planted, much}}}} {
					doc, err := json.Marshal(args)
					require.NoError(t, err)
					line := lineOf(t, Entry{Call: &dialect.Call{Event: "post-tool", Args: string(doc),
						Result: before + after}}, `AKIAs+|AKIA(hunter2){3}`)
					require.NotContains(t, line, "hun")
					require.NotContains(t, line, "er2")
					require.LessOrEqual(t, utf8.RuneCountInString(gjson.Get("{"+line+"}", "args_preview").String()),
						maxText)
				}
			}
		}
	}
}

// A pattern that looks to the end for each of its matches is tried on little.
func TestCostOfAPattern(t *testing.T) {
	testall.Alone(t)
	if raceEnabled {
		t.Skip("nothing runs at once here, and it takes ten times as long")
	}
	text := strings.Repeat("a", 10<<20)
	begin := time.Now()
	line := lineOf(t, Entry{Call: &dialect.Call{Event: "post-tool", Args: text, Result: text}}, "(?s)a(.*Z)?")
	require.Equal(t,
		`"args_preview":"[redacted]","args_size":10485762,"result_preview":"[redacted]","result_size":10485760,`+
			`"redacted":true,"event":"post-tool"`,
		strings.ReplaceAll(line, `\"`, ""))
	require.Less(t, time.Since(begin), time.Minute)
}

func BenchmarkLine(b *testing.B) {
	code := 0
	e := Entry{Time: begun, Command: "serve",
		Call: &dialect.Call{Event: "pre-tool", Tool: "shell", SessionID: "0d6e1f0c", Workspace: "/home/u/project",
			Args: `{"command":"go test ./... -run TestSomething -count=1","timeout":120000,"description":"run the ` +
				`tests ` +
				`of the package"}`},
		Outcome: &protocol.Outcome{Version: 1, Event: "pre-tool", Tool: "shell", Decision: protocol.Continue,
			Hooks: []protocol.Report{
				{Name: "guard", Source: "/home/u/project/.tenex-hooks.json:7", Status: "ok", ExitCode: &code,
					Duration: 1_234_567, Limit: 30_000_000_000},
				{Name: "workspace", Source: "/home/u/project/.tenex-hooks.json:17", Status: "ok", ExitCode: &code,
					Duration: 1_234_567, Limit: 30_000_000_000},
			}}}
	for name, result := range map[string]string{"small": "", "2500": strings.Repeat("a line of\n", 250),
		"10 MB": strings.Repeat("a line of\n", 1<<20)} {
		b.Run(name, func(b *testing.B) {
			e.Call.Event, e.Call.Result = "post-tool", result
			var line []byte
			for b.Loop() {
				line = e.AppendLine(line[:0], nil)
			}
		})
	}
	b.Run("Append", func(b *testing.B) {
		e.Call.Result = ""
		l, err := New(Options{Path: b.TempDir() + "/log"})
		require.NoError(b, err)
		defer l.Close()
		for b.Loop() {
			if err := l.Append(&e); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func pattern(expression string) *regexp.Regexp {
	return regexp.MustCompile(expression)
}
