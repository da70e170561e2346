package cases

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/lazy"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/internal/record/runlog"
	"github.com/hookrun/hookrun/protocol"
)

const (
	cutAt   = 2500     // characters; a run log may have cut a text of this length
	maxLine = 16 << 20 // of a run log; hookrun writes no longer lines
)

// Recording turns the calls of a run log into tests. Equal calls become one test, in the order of the first call and
// with the outcome of the last.
type Recording struct {
	Lines   int // number of lines read
	LeftOut map[string]int
	// Anywhere takes calls of other workspaces too, as if they were of this workspace.
	Anywhere bool

	workspace string
	calls     []logged
	indexes   map[string]int // index in calls, by the fields that make a call different
}

// NewRecording returns a Recording of the calls in a workspace, whose path must be absolute.
func NewRecording(workspace string) *Recording {
	return &Recording{workspace: workspace, LeftOut: map[string]int{}, indexes: map[string]int{}}
}

// logged is the part of a line in a run log that a test needs.
type logged struct {
	callFields
	Workspace     string            `json:"workspace"`
	ArgsPreview   *string           `json:"args_preview"`
	ResultPreview *string           `json:"result_preview"`
	Redacted      bool              `json:"redacted"`
	Outcome       *protocol.Outcome `json:"outcome"`

	file string
	line int
}

// callFields are the fields of a call with the same keys in a run log and in a test.
type callFields struct {
	Args      json.RawMessage `json:"args,omitempty"`
	Result    string          `json:"result,omitempty"`
	Failed    bool            `json:"failed,omitempty"`
	Blocked   bool            `json:"blocked,omitempty"`
	Prompt    string          `json:"prompt,omitempty"`
	SessionID string          `json:"session_id,omitempty"`
	AgentID   string          `json:"agent_id,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
}

// Reasons to leave out a line.
const (
	unreadable     = "not readable"
	otherWorkspace = "of other workspaces"
	noOutcome      = "without an outcome"
	incomplete     = "with texts that were cut or redacted"
	partialInput   = "of events of which the log has not the whole input"
	unrepeatable   = "that no test can repeat, such as those with hooks that gave no answer"
	tooMany        = "over the 1 MiB that a file of tests may have"
)

// Read adds the lines of a log. path is for messages.
func (r *Recording) Read(log io.Reader, path string) error {
	number := 0
	lines := bufio.NewReaderSize(log, 64<<10)
	var line []byte
	for long := false; ; {
		part, more, err := lines.ReadLine()
		if line = append(line, part...); len(line) > maxLine {
			line, long = nil, true // skip the whole line
		}
		if more {
			continue
		}
		if len(bytes.TrimSpace(line)) > 0 || long {
			if number++; !runlog.IsHeartbeat(line) {
				r.Lines++
				r.add(line, path, number)
			}
		}
		line, long = nil, false
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (r *Recording) add(line []byte, path string, number int) {
	l := logged{file: path, line: number}
	if json.Unmarshal(line, &l) != nil {
		r.LeftOut[unreadable]++
		return
	}
	if why := r.skipReason(&l); why != "" {
		r.LeftOut[why]++
		return
	}
	parts := []any{l.Outcome.Event, l.Outcome.Tool, string(l.Args), l.Result, l.Failed, l.Blocked, l.Prompt}
	if r.Anywhere {
		parts = append(parts, l.AgentID, l.SessionID)
	}
	key, _ := json.Marshal(parts) // strings and bools: no error
	index, ok := r.indexes[string(key)]
	if !ok {
		index = len(r.calls)
		r.indexes[string(key)] = index
		r.calls = append(r.calls, l)
	}
	r.calls[index] = l
}

// skipReason returns the reason why a line cannot become a test, or "".
func (r *Recording) skipReason(l *logged) string {
	if r.Anywhere && filepath.IsAbs(l.Workspace) && l.Outcome != nil {
		l.move(r.workspace)
	}
	switch {
	case filepath.Clean(l.Workspace) != r.workspace:
		return otherWorkspace
	case l.Outcome == nil:
		return noOutcome
	case l.Redacted || l.ArgsPreview != nil || l.ResultPreview != nil || l.cut():
		return incomplete
	case !clients.All().IsAboutTool(l.Outcome.Event) && clients.All().Common(l.Outcome.Event) != protocol.PreExecute:
		return partialInput
	case l.Outcome.Event != clients.All().Common(l.Outcome.Event) && gjson.Valid(l.Result):
		return partialInput // hooks got the value; the log has only a text of it
	case l.Outcome.Cause == protocol.CauseRewrite:
		return unrepeatable // text output cannot carry the rewrite, but a test can
	}
	if len(l.Args) > 0 {
		if len(strictjson.Check(string(l.Args), maxFileDepth)) > 0 {
			return unrepeatable
		}
		l.Args = strictjson.Compact(nil, string(l.Args))
	}
	// A test expects neither the code of an approval nor texts from a queue, which come only once.
	l.Outcome.Reason, _, _ = strings.Cut(l.Outcome.Reason, "\n"+dialect.ApproveHint)
	own := l.Outcome.Texts[:0]
	for _, in := range l.Outcome.Texts {
		if in.Hook != "" {
			own = append(own, in)
		}
	}
	l.Outcome.Texts = own
	if _, err := l.test("a name", r.workspace); err != nil {
		return unrepeatable
	}
	return ""
}

// cut reports whether the log may have cut a text.
func (l *logged) cut() bool {
	o := l.Outcome
	texts := []string{l.Prompt, o.Reason, o.StopReason, string(o.UpdatedInput), string(o.UpdatedOutput)}
	texts = append(texts, o.SystemMessages...)
	for _, in := range o.Texts {
		if in.Truncated {
			return true
		}
		texts = append(texts, in.Content)
	}
	return slices.ContainsFunc(texts, func(s string) bool { return utf8.RuneCountInString(s) >= cutAt })
}

// testJSON is a test in the form of a file.
type testJSON struct {
	Name  string         `json:"name"`
	Event protocol.Event `json:"event"`
	Tool  string         `json:"tool,omitempty"`
	callFields
	Expect expectJSON `json:"expect"`
}

type expectJSON struct {
	Decision      protocol.Decision `json:"decision"`
	Approved      bool              `json:"approved,omitempty"`
	Reason        json.RawMessage   `json:"reason,omitempty"`
	Cause         protocol.Cause    `json:"cause,omitempty"`
	Stop          bool              `json:"stop,omitempty"`
	StopReason    json.RawMessage   `json:"stop_reason,omitempty"`
	Inject        []json.RawMessage `json:"inject,omitempty"`
	Message       []json.RawMessage `json:"message,omitempty"`
	UpdatedInput  json.RawMessage   `json:"updated_input,omitempty"`
	UpdatedOutput json.RawMessage   `json:"updated_output,omitempty"`
}

// perRun matches the parts of a text that differ in each run: ids of processes, addresses of memory, and errors of
// connections.
var perRun = lazy.Regexp{Text: `(?i)\b(?:pids?|process(?:es)?)[ :=#]*[0-9]+(?:, [0-9]+)*|` +
	`\bline [0-9]+: +[0-9]+ |\b0x[0-9a-f]{6,}|\b(?:dial|read|write) (?:tcp|unix)[^;\n]*`}

var digits = lazy.Regexp{Text: `[0-9]+`}

// stable returns the expectation for a text: the text, or a pattern if the text would differ in another run. It returns
// nil for an empty text.
func stable(text string) json.RawMessage {
	spans := perRun.Get().FindAllStringIndex(text, -1)
	switch {
	case text == "":
		return nil
	case spans == nil:
		return strictjson.AppendString(nil, text)
	}
	var pattern strings.Builder
	pattern.WriteString("^")
	done := 0
	for _, span := range spans {
		pattern.WriteString(regexp.QuoteMeta(text[done:span[0]]))
		switch found := text[span[0]:span[1]]; {
		case strings.HasPrefix(found, "0x"):
			pattern.WriteString("0x[0-9a-f]+")
		case strings.Contains(found, "tcp"), strings.Contains(found, "unix"):
			pattern.WriteString(".*")
		default:
			pattern.WriteString(digits.Get().ReplaceAllString(regexp.QuoteMeta(found), "[0-9]+"))
		}
		done = span[1]
	}
	pattern.WriteString(regexp.QuoteMeta(text[done:]) + "$")
	quoted := strictjson.AppendString(nil, pattern.String())
	return append(append([]byte(`{"matches":`), quoted...), '}')
}

func stableTexts(texts []string) (expected []json.RawMessage) {
	for _, text := range texts {
		one := stable(text)
		if one == nil {
			one = json.RawMessage(`""`)
		}
		expected = append(expected, one)
	}
	return expected
}

// test returns the call as the text of a test. It fails if the text reads as another call, because no file can have
// these arguments, or if the test does not pass with its own outcome, because hooks gave no answer.
func (l *logged) test(name, workspace string) (string, error) {
	o := l.Outcome
	w := testJSON{
		Name: name, Event: o.Event, Tool: o.Tool, callFields: l.callFields,
		Expect: expectJSON{
			Decision: o.Decision, Approved: o.Approved, Reason: stable(o.Reason), Cause: o.Cause,
			Stop: o.Stop, StopReason: stable(o.StopReason),
			Inject: stableTexts(dialect.TextsOf(*o)), Message: stableTexts(o.SystemMessages),
			UpdatedInput: o.UpdatedInput, UpdatedOutput: o.UpdatedOutput,
		},
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("    ", "  ")
	if err := e.Encode(w); err != nil {
		return "", err
	}
	text := insertMark(strings.TrimSpace(b.String()), workspace)
	f, err := Parse("", []byte(`{"tests":[`+text+`]}`), workspace)
	if err != nil {
		return "", err
	}
	t := &f.Tests[0]
	c := dialect.Call{
		Event: o.Event, Workspace: workspace, Tool: o.Tool, Args: string(l.Args), Result: l.Result,
		Failed: l.Failed, Blocked: l.Blocked, Prompt: l.Prompt,
		SessionID: l.SessionID, AgentID: l.AgentID, ToolUseID: l.ToolUseID,
	}
	c.Failed = c.Failed || c.Event == "PostToolUseFailure"
	if !reflect.DeepEqual(t.Call, c) {
		return "", errors.New("it would be another call")
	}
	if result := t.Check(*o, nil); !result.OK {
		return "", errors.New(result.Problems[0])
	}
	return text, nil
}

// insertMark replaces the workspace's path by WorkspaceMark, unless the path is only a part of another path.
func insertMark(doc, workspace string) string {
	if filepath.Dir(workspace) == workspace {
		return doc // every path contains the root
	}
	path := string(strictjson.AppendString(nil, workspace))
	path = path[1 : len(path)-1]
	inName := func(c byte) bool {
		return c >= utf8.RuneSelf || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
			strings.IndexByte("_-.", c) >= 0
	}
	var b strings.Builder
	done := 0
	for {
		at := strings.Index(doc[done:], path)
		if at < 0 {
			return b.String() + doc[done:]
		}
		at += done
		end := at + len(path)
		mark := WorkspaceMark
		isPart := at > 0 && (inName(doc[at-1]) || doc[at-1] == '/' || doc[at-1] == '\\')
		if isPart || end < len(doc) && inName(doc[end]) {
			mark = path
		}
		b.WriteString(doc[done:at] + mark)
		done = end
	}
}

// File returns the tests as the text of a file, and their number.
func (r *Recording) File() (doc string, tests int) {
	var b strings.Builder
	b.WriteString("{\n  \"tests\": [")
	names := map[string]bool{}
	for i := range r.calls {
		l := &r.calls[i]
		base := l.name()
		name := base
		for n := 2; names[name]; n++ {
			name = fmt.Sprintf("%s (%d)", base, n)
		}
		text, err := l.test(name, r.workspace)
		if err != nil { // another name would work
			r.LeftOut[unrepeatable]++
			continue
		}
		if b.Len()+len(text) > maxFileSize-100 {
			r.LeftOut[tooMany]++
			continue
		}
		if tests++; tests > 1 {
			b.WriteString(",")
		}
		names[name] = true
		b.WriteString("\n    " + text)
	}
	b.WriteString("\n  ]\n}\n")
	return b.String(), tests
}

// name describes the call in a few words: shell: git push --force…
func (l *logged) name() string {
	o := l.Outcome
	name, about := string(o.Event), l.Prompt
	if clients.All().IsAboutTool(o.Event) {
		about = "" // the user's message is the same for many calls
		if clients.All().Common(o.Event) == protocol.PreTool {
			name = o.Tool
		} else {
			name += " " + o.Tool
		}
		args := gjson.ParseBytes(l.Args)
		for _, v := range args.ForEach {
			about = cmp.Or(about, strictjson.Text(v.Raw))
		}
		if about == "" && args.Raw != "{}" {
			about = args.Raw
		}
	}
	if about != "" {
		name += ": " + about
	}
	words := strings.FieldsFunc(name, func(c rune) bool { return unicode.IsSpace(c) || !unicode.IsPrint(c) })
	name = strings.Join(words, " ")
	return spelling.Brief(name, 60)
}
