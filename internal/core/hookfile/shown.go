package hookfile

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/endpoint"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// View is a hook as shown to people: as loaded, or at a call.
type View struct {
	Hook *hook.Hook
	Call *AtCall // nil: as loaded
}

// AtCall is how a hook with a program or a request runs at a call.
type AtCall struct {
	Folder    string        // "" for a request
	Timeout   time.Duration // 0: nobody waits for the hook
	OnFailure dialect.FailurePolicy
}

// Value is the value of a hook for one key.
type Value struct {
	Key   string // "": only in the text
	Value any
	Label string   // of Lines
	Lines []string // in explain
}

// Values are the members of a JSON object.
type Values []Value

// MarshalJSON writes the object.
func (vs Values) MarshalJSON() ([]byte, error) {
	var object strictjson.Fields
	for _, v := range vs {
		if v.Key == "" {
			continue
		}
		text, err := strictjson.Marshal(v.Value)
		if err != nil {
			return nil, err
		}
		object = append(object, strictjson.Field{Key: v.Key, Value: text})
	}
	return object.MarshalJSON()
}

// Loaded returns the values of a loaded hook for check --parse. The keys are the keys of `.tenex-hooks.json`, even if
// the hook's file has another form.
func Loaded(h *hook.Hook) (values Values) {
	v := &View{Hook: h}
	for g := range agents + 1 {
		values = append(values, v.group(g)...)
	}
	return values
}

// Identity returns the values that identify the hook, for explain.
func (v *View) Identity() Values { return v.group(identity) }

// Handler returns the values of the handler without the command, for explain.
func (v *View) Handler() Values { return v.group(runs) }

// Run returns how the hook runs, for explain.
func (v *View) Run() (values Values) {
	for _, g := range []group{calls, agents, lifetime, folder, limits} {
		values = append(values, v.group(g)...)
	}
	return values
}

// group returns the non-empty values of a group.
func (v *View) group(g group) (values Values) {
	for i := range fields {
		f := &fields[i]
		if f.group != g || f.value == nil || v.Call != nil && f.explain == "" {
			continue
		}
		value := Value{Key: f.key, Value: f.value(v)}
		if isEmpty(value.Value) {
			continue
		}
		if label, format, has := strings.Cut(f.explain, ": "); has {
			value.Label, value.Lines = label, []string{fmt.Sprintf(format, text(value.Value))}
		}
		values = append(values, value)
	}
	return values
}

func isEmpty(value any) bool {
	switch v := reflect.ValueOf(value); v.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Slice, reflect.Map:
		return v.Len() == 0
	default:
		return v.IsZero()
	}
}

// text formats a value for people.
func text(value any) string {
	var parts []string
	switch value := value.(type) {
	case []string:
		parts = value
	case dialect.FailurePolicy:
		for _, cause := range dialect.FailureCauses() {
			if decision, ok := value[cause]; ok {
				parts = append(parts, string(cause)+": "+decision.String())
			}
		}
	default:
		return fmt.Sprint(value)
	}
	return strings.Join(parts, ", ")
}

// command returns an array, or the text of a shell command, a script or a function.
func (v *View) command() any {
	switch h := v.Hook; {
	case !h.Starts():
		return nil
	case h.Process().Argv != nil:
		return h.Process().Argv
	}
	return v.Hook.String()
}

// endpoint returns the address of the hook's requests, or the zero Endpoint.
func (v *View) endpoint() *endpoint.Endpoint {
	if request := v.Hook.Request(); request != nil {
		return &request.Endpoint
	}
	return &endpoint.Endpoint{}
}

// shownURL returns an address without user and query, because these may be secrets.
func shownURL(url string) string { return (&endpoint.Endpoint{URL: url}).String() }

// headers returns the names of headers, because the values may be secrets.
func (v *View) headers() any {
	var names []string
	for _, header := range v.endpoint().Headers {
		names = append(names, header.Name)
	}
	return names
}

func (v *View) mode() any {
	if v.Call == nil && v.Hook.Observe || v.Hook.Observes(time.Now()) {
		return "observe"
	}
	return nil
}

func (v *View) verdict() *dialect.Verdict {
	if rule := v.Hook.Rule(); rule != nil {
		return &rule.Verdict
	}
	return &dialect.Verdict{}
}

func (v *View) matcher() any {
	if v.Hook.Matcher == nil {
		return nil
	}
	text := v.Hook.Matcher.String()
	return &text // an empty matcher is shown too
}

func (v *View) conditions() any {
	var all []string
	for _, condition := range v.Hook.When {
		all = append(all, condition.String())
	}
	return all
}

func (v *View) keep() any {
	if by := v.Hook.Process(); by.Workers > 0 {
		return by.Keep.String()
	}
	return nil
}

// timeout returns the hook's deadline: one duration or, if they differ, one for each event.
func (v *View) timeout() any {
	switch {
	case v.Call != nil && v.Call.Timeout == 0:
		return "none, it is not waited for"
	case v.Call != nil:
		return v.Call.Timeout.String()
	case v.Hook.Rule() != nil || v.Hook.Unsupported() != "":
		return nil
	}
	byEvent, all := map[string]string{}, map[time.Duration]bool{}
	for _, event := range v.Hook.Events {
		timeout := v.Hook.Deadline(event)
		byEvent[string(event)], all[timeout] = timeout.String(), true
	}
	if len(all) == 1 {
		return v.Hook.Deadline(v.Hook.Events[0]).String()
	}
	return byEvent
}

func (v *View) onFailure() any {
	if v.Call != nil {
		return v.Call.OnFailure
	}
	return v.Hook.OnFailure
}

func (v *View) inherited() any {
	switch {
	case v.Hook.Inherit == nil:
		return nil
	case len(v.Hook.Inherit.Names) == 0:
		return json.RawMessage("false")
	}
	return v.Hook.Inherit.Names
}

// folder returns the folder in which the hook runs at a call.
func (v *View) folder() any {
	if v.Call == nil {
		return nil
	}
	return v.Call.Folder
}
