package stats

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// Events turns the lines of a log into the events that Universal Agent streams to clients: tool_call, tool_result and
// status. In a turn of a session, each id has one tool_call and one tool_result. Each message of the user begins a
// turn. The model's text and thinking are missing, because no hook ever sees them.
//
// Events keeps the ids of the last turn of each session.
type Events struct {
	filter Filter
	turns  map[string]*turn // by session
	entry  *entry
}

type turn struct {
	begin          time.Time // zero: before the log began
	calls, results map[string]bool
}

// NewEvents returns Events for the calls admitted by the filter. Of must get the lines of all calls, because other
// calls belong to the same turns.
func NewEvents(f Filter) *Events { return &Events{f, map[string]*turn{}, newEntry()} }

type event struct {
	Type      string  `json:"type"`
	Timestamp decimal `json:"timestamp"` // of the call, in seconds since 1970
	Data      any     `json:"data"`
}

type toolCall struct {
	ID     string          `json:"id"`
	Name   string          `json:"name"`
	Input  json.RawMessage `json:"input"`
	Offset decimal         `json:"time_offset"`
}

type toolResult struct {
	ID      string  `json:"tool_use_id"`
	IsError bool    `json:"is_error"`
	Preview string  `json:"content_preview"`
	Size    int     `json:"content_size"` // in characters
	Offset  decimal `json:"time_offset"`
}

type status struct {
	Status string  `json:"status"`
	Level  string  `json:"level"`
	Prefix string  `json:"prefix"`
	IsLog  bool    `json:"is_log"`
	Offset decimal `json:"time_offset"`
}

// decimal is a number always written with a point, like a Python float.
type decimal float64

func (d decimal) MarshalJSON() ([]byte, error) {
	text := strconv.FormatFloat(float64(d), 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return []byte(text), nil
}

// Of returns the events of a line, each as a line of JSON. An unreadable line has no events.
func (m *Events) Of(line []byte) ([]byte, error) {
	e := m.entry
	if !e.read(line) {
		return nil, nil
	}
	called := clients.All().Common(protocol.Event(e.call.event.text()))
	t := m.turn(e, called)
	offset := decimal(0)
	if !t.begin.IsZero() {
		offset = decimal(max(0, e.time.Sub(t.begin).Round(time.Millisecond).Milliseconds())) / 1e3
	}
	var out bytes.Buffer
	to := json.NewEncoder(&out)
	to.SetEscapeHTML(false)
	var failed error
	emit := func(kind string, data any) {
		failed = errors.Join(failed, to.Encode(event{kind, decimal(float64(e.time.UnixMicro()) / 1e6), data}))
	}
	id := e.id.clone()
	if called == protocol.PostTool && first(t.results, id) {
		preview, size, isError := e.content()
		emit("tool_result", toolResult{id, isError, preview, size, offset})
	}
	e.statuses(func(level, prefix, text string) { emit("status", status{text, level, prefix, true, offset}) })
	// A blocked call never ran, so the id may come again.
	if called == protocol.PreTool && e.decided && e.decision == protocol.Continue && !e.stop && first(t.calls, id) {
		emit("tool_call", toolCall{id, e.call.tool.text(), e.input(), offset})
	}
	if !m.filter.admits(e) {
		return nil, nil
	}
	return out.Bytes(), failed
}

// turn returns the turn of an entry. A message of the user begins a new turn.
func (m *Events) turn(e *entry, called protocol.Event) *turn {
	session := e.session.clone()
	t := m.turns[session]
	if t == nil || called == protocol.PreExecute {
		t = &turn{calls: map[string]bool{}, results: map[string]bool{}}
		m.turns[session] = t
	}
	if called == protocol.PreExecute {
		t.begin = e.time
	}
	return t
}

// first reports whether the id is new and not empty, and adds the id to seen.
func first(seen map[string]bool, id string) bool {
	if id == "" || seen[id] {
		return false
	}
	seen[id] = true
	return true
}

// statuses calls emit for each line of stderr, message and warning, in order.
func (e *entry) statuses(emit func(level, prefix, text string)) {
	for _, r := range e.hooks {
		for line := range strings.Lines(r.stderr.text()) {
			if line = strings.TrimRight(line, "\r\n"); strings.TrimSpace(line) != "" {
				emit("INFO", "[LOG]", line)
			}
		}
	}
	for _, q := range e.messages {
		emit("INFO", "", q.text())
	}
	for _, q := range e.warnings {
		emit("WARNING", "", q.text())
	}
}

// input returns the tool's input, always as an object.
func (e *entry) input() json.RawMessage {
	input := cmp.Or(e.updatedInput, e.args)
	if e.updatedInput != "" && input[0] == '"' {
		if preview, size, ok := splitNote(quoted(input).text()); ok {
			return previewObject(strictjson.AppendString(nil, preview), size)
		}
	}
	switch {
	case input == "" && e.argsPreview != "":
		return previewObject([]byte(e.argsPreview), strconv.FormatFloat(e.argsSize, 'f', -1, 64))
	case input == "":
		return json.RawMessage("{}")
	case input[0] != '{':
		return json.RawMessage(`{"value":` + input + `}`)
	}
	return json.RawMessage(input)
}

func previewObject(preview []byte, size string) json.RawMessage {
	return fmt.Appendf(nil, `{"preview":%s,"size":%s}`, preview, size)
}

// splitNote splits the note of a log from a cut text: " … (12345 characters)".
func splitNote(text string) (preview, size string, ok bool) {
	text, ok = strings.CutSuffix(text, " characters)")
	i := strings.LastIndex(text, " … (")
	if !ok || i < 0 {
		return "", "", false
	}
	size = text[i+len(" … ("):]
	_, err := strconv.ParseUint(size, 10, 53)
	return text[:i], size, err == nil
}

// maxPreview is the limit of a result in an event, in characters.
const maxPreview = 2500

// content returns a tool's result as in an event.
func (e *entry) content() (preview string, size int, isError bool) {
	if e.result == "" && e.resultPreview != "" {
		return e.resultPreview.text(), int(min(max(e.resultSize, 0), 1<<53)), e.failed
	}
	result := e.result.text()
	whole := ResultText(result)
	size = utf8.RuneCountInString(whole)
	if preview = whole; size > maxPreview {
		preview = string([]rune(whole)[:maxPreview])
	}
	return preview, size, e.failed || isErrorObject(result)
}

// isErrorObject reports whether a result is an object with an "is_error" or "error" that is not empty, false, null or
// 0.
func isErrorObject(result string) bool {
	if !strings.HasPrefix(strings.TrimSpace(result), "{") || !gjson.Valid(result) {
		return false
	}
	isSet := func(v gjson.Result) bool {
		isEmpty := slices.Contains([]string{"", "null", "false", `""`, "{}", "[]"}, v.Raw)
		return !isEmpty && (v.Type != gjson.Number || v.Num != 0)
	}
	return isSet(gjson.Get(result, "is_error")) || isSet(gjson.Get(result, "error"))
}
