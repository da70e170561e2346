package hookfile

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/httphook"
	"github.com/hookrun/hookrun/internal/strictjson"
)

// View is a hook for people to look at: as it was loaded, or as a call has it.
type View struct {
	Hook *hook.Hook
	Call *AtCall // nil: no call
}

// AtCall is what a call makes of a hook that runs a program or posts a request.
type AtCall struct {
	Folder    string        // "": a request
	Timeout   time.Duration // 0: the hook is not waited for
	OnFailure dialect.FailurePolicy
}

// Value is what a hook has for a key.
type Value struct {
	Key   string // "": the value is in the text alone
	Value any
	Label string   // of its lines in explain
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

// Loaded returns what a loaded hook has, as check --parse shows it. The keys are those of `.tenex-hooks.json`, in
// whatever form the hook's file is.
func Loaded(h *hook.Hook) (values Values) {
	v := &View{Hook: h}
	for g := range agents + 1 {
		values = append(values, v.group(g)...)
	}
	return values
}

// Identity returns what tells a hook from others, as explain shows it.
func (v *View) Identity() Values { return v.group(identity) }

// Handler returns what the hook runs, beside its command, as explain shows it.
func (v *View) Handler() Values { return v.group(runs) }

// Run returns how the hook runs, as explain shows it.
func (v *View) Run() (values Values) {
	for _, g := range []group{calls, agents, lifetime, folder, limits} {
		values = append(values, v.group(g)...)
	}
	return values
}

// group returns the values of a group that are not empty.
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

// text returns a value for people.
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

// command is an array, a shell's line, a script or a function.
func (v *View) command() any {
	switch {
	case v.Hook.StaticVerdict != nil || v.Hook.Unsupported != "" || v.Hook.HTTP != nil:
		return nil
	case v.Hook.Command.Argv != nil:
		return v.Hook.Command.Argv
	}
	return v.Hook.Command.String()
}

// endpoint returns what the hook posts to, the zero Endpoint if it posts nothing.
func (v *View) endpoint() *httphook.Endpoint {
	if v.Hook.HTTP == nil {
		return &httphook.Endpoint{}
	}
	return v.Hook.HTTP
}

// shownURL returns an address without user and query, which may be secrets.
func shownURL(url string) string { return (&httphook.Endpoint{URL: url}).String() }

// headers returns the names of headers. The values may be secrets.
func (v *View) headers() any {
	var names []string
	for _, header := range v.endpoint().Headers {
		names = append(names, header.Name)
	}
	return names
}

func (v *View) mode() any {
	if v.Hook.Observe {
		return "observe"
	}
	return nil
}

func (v *View) verdict() *dialect.Verdict {
	if v.Hook.StaticVerdict == nil {
		return &dialect.Verdict{}
	}
	return v.Hook.StaticVerdict
}

func (v *View) matcher() any {
	if v.Hook.Matcher == nil {
		return nil
	}
	text := v.Hook.Matcher.String()
	return &text // also the empty one is shown
}

func (v *View) conditions() any {
	var all []string
	for _, condition := range v.Hook.When {
		all = append(all, condition.String())
	}
	return all
}

// timeout is how long the hook may take: one duration, or one for each event where that makes a difference.
func (v *View) timeout() any {
	switch {
	case v.Call != nil && v.Call.Timeout == 0:
		return "none, it is not waited for"
	case v.Call != nil:
		return v.Call.Timeout.String()
	case v.Hook.StaticVerdict != nil || v.Hook.Unsupported != "":
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

func (v *View) workers() any {
	if !v.Hook.Persistent {
		return 0
	}
	return max(v.Hook.Workers, 1)
}

// folder is where the hook runs at a call.
func (v *View) folder() any {
	if v.Call == nil {
		return nil
	}
	return v.Call.Folder
}
