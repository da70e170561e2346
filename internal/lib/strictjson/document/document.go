// Package document reads the values of a JSON document that a person has written, and collects the problems.
//
//	r := &document.Reader{File: path, Text: text}
//	top, ok := r.Parse(maxDepth)
//	for key, v := range top.Fields("name", "timeout") {
//		if v.Is("string") {
//			…
//		}
//	}
//	if len(r.Problems) > 0 {
//		return r.Problems // file.json:3:14: "timeout" must be a string, not a number
//	}
//
// A Value knows what messages call it and where it is, so the reader says only the problem.
//
// Guarantees: reading goes on after a problem, so a person sees all of them. A message has one line, and at most 80
// bytes of each text of the document. Equal keys and faults of syntax are problems of Parse, so no reader need think of
// them.
//
// Not guaranteed: after a problem the values that are read mean nothing.
package document

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// Reader reads one document.
type Reader struct {
	File               string // for messages
	Text               string
	Problems, Warnings Diagnostics

	Locate func(offset int) Position // if Text is not the file's, but made of it
	Cites  bool                      // a message about a wrong type has the value, and not its type
	// Hint ends the message about an unknown key; nil: spelling.Hint.
	Hint func(wrong string, known []string) string

	locator strictjson.Locator
}

// Position is a position in a file.
type Position struct{ Line, Column int }

// At returns the position of an offset in the text.
func (r *Reader) At(offset int) Position {
	if r.Locate != nil {
		return r.Locate(offset)
	}
	r.locator.Doc = r.Text
	line, column := r.locator.Position(offset)
	return Position{line, column}
}

// Place returns a diagnostic without a text. Its Position is the value's.
func (v Value) Place() Diagnostic { return v.In.Diagnostic(v.Index, "") }

// Diagnostic returns a diagnostic about an offset in the text.
func (r *Reader) Diagnostic(offset int, format string, args ...any) Diagnostic {
	at := r.At(offset)
	return Diagnostic{File: r.File, Line: at.Line, Column: at.Column, Text: fmt.Sprintf(format, args...)}
}

// Problem adds an error.
func (r *Reader) Problem(offset int, format string, args ...any) {
	r.Problems = append(r.Problems, r.Diagnostic(offset, format, args...))
}

// Warn adds a warning. The caller can change the diagnostic.
func (r *Reader) Warn(offset int, format string, args ...any) *Diagnostic {
	r.Warnings = append(r.Warnings, r.Diagnostic(offset, format, args...))
	return &r.Warnings[len(r.Warnings)-1]
}

// Parse checks the text, and returns its value. ok is false if the text is not JSON or nested deeper than maxDepth.
// fault is called for each fault; nil: each is a problem.
func (r *Reader) Parse(maxDepth int, fault func(strictjson.Fault)) (top Value, ok bool) {
	if at := strictjson.InvalidUTF8(r.Text); at >= 0 {
		r.Problem(at, "parsing: not UTF-8; save the file as UTF-8")
		return Value{}, false
	}
	if fault == nil {
		fault = func(f strictjson.Fault) { r.Problem(f.Offset, "parsing: %s", f.Text) }
	}
	ok = true
	for _, f := range strictjson.Check(r.Text, maxDepth) {
		fault(f)
		ok = ok && f.Kind == strictjson.Duplicate
	}
	return Value{Result: gjson.Parse(r.Text), In: r}, ok
}

// OwnKey reports whether a key belongs to the author and is valid in any object.
func OwnKey(key string) bool { return key == "$schema" || strings.HasPrefix(key, "x-") }

// Value is a value of a document.
type Value struct {
	gjson.Result
	In   *Reader
	Who  string // begins each message about the value, and about what is in it
	Key  string // "" of an element
	Name string // of the value in messages; "": the quoted key
	Ends string // ends messages about the type of the value: what happens because of it
}

// Called returns what messages call the value.
func (v Value) Called() string {
	if v.Name == "" {
		return spelling.Quote(v.Key)
	}
	return v.Name
}

// Problem adds an error about the value.
func (v Value) Problem(format string, args ...any) {
	v.In.Problem(v.Index, "%s%s", v.Who, fmt.Sprintf(format, args...))
}

// Must adds an error that the value must be something else.
func (v Value) Must(format string, args ...any) {
	v.Problem("%s must %s%s", v.Called(), fmt.Sprintf(format, args...), v.Ends)
}

// Warn adds a warning about the value. The caller can change the diagnostic.
func (v Value) Warn(format string, args ...any) *Diagnostic {
	return v.In.Warn(v.Index, "%s%s", v.Who, fmt.Sprintf(format, args...))
}

// WrongType adds an error about the type of the value.
func (v Value) WrongType(want string) {
	found := TypeName(v.Result)
	if v.In.Cites {
		found = spelling.Brief(string(strictjson.Compact(nil, v.Raw)), 80)
	}
	v.Must("be %s, not %s", want, found)
}

// Is reports whether the value has the named type of strictjson.CheckType. Any other type is a problem.
func (v Value) Is(name string) bool {
	want, ok := strictjson.CheckType(v.Result, name)
	switch text := ""; {
	case ok:
	case v.Type == gjson.String && strings.Contains(name, "|") && !v.In.Cites:
		text = strictjson.Text(v.Raw)
		v.Problem("%s must be %s, not %s%s%s", v.Called(), want, spelling.Quote(text), v.Ends,
			spelling.Suggest(text, strings.Split(name, "|")))
	default:
		v.WrongType(want)
	}
	return ok
}

// ForProcess returns a string for a process. NUL is a problem: the system refuses a string with NUL.
func (v Value) ForProcess() (text string, ok bool) {
	if !v.Is("string") {
		return "", false
	}
	if text = strictjson.Text(v.Raw); strings.ContainsRune(text, 0) {
		v.Problem("%s has a NUL character, which no process can be given", v.Called())
		return "", false
	}
	return text, true
}

// IsVariable reports whether a key can be the name of a variable that a file sets. Any other key is a problem.
func (v Value) IsVariable() bool {
	switch {
	case v.Key == "" || strings.ContainsAny(v.Key, "=\x00"):
		v.Problem("%s cannot be the name of a variable", spelling.Quote(v.Key))
	case v.Key == "HOOKRUN" || strings.HasPrefix(v.Key, "HOOKRUN_"):
		v.Problem("%s is set by hookrun; choose a name that does not start with HOOKRUN", spelling.Brief(v.Key, 80))
	default:
		return true
	}
	return false
}

// Fields returns the members of an object by key. A key that is not in known is a problem, unless it is an OwnKey.
func (v Value) Fields(known ...string) map[string]Value {
	found := map[string]Value{}
	for key, value := range v.members {
		switch {
		case slices.Contains(known, key.Key):
			found[key.Key] = value
		case !OwnKey(key.Key):
			hint := spelling.Hint
			if v.In.Hint != nil {
				hint = v.In.Hint
			}
			v.In.Problem(key.Index, "unknown key %s%s", key.Called(), hint(key.Key, known))
		}
	}
	return found
}

// Member returns the member of an object with a key.
func (v Value) Member(key string) Value {
	return Value{Result: v.Get(key), In: v.In, Who: v.Who, Key: key, Ends: v.Ends}
}

// Members yields the keys and values of an object, if there is one. A value of another type is a problem; want says
// what it should be.
func (v Value) Members(want string) iter.Seq2[Value, Value] {
	if v.Exists() && !v.IsObject() {
		v.WrongType(want)
	}
	return v.members
}

func (v Value) members(yield func(key, value Value) bool) {
	if !v.IsObject() {
		return
	}
	v.ForEach(func(key, value gjson.Result) bool {
		name := strictjson.Text(key.Raw)
		return yield(Value{Result: key, In: v.In, Who: v.Who, Key: name, Ends: v.Ends},
			Value{Result: value, In: v.In, Who: v.Who, Key: name, Ends: v.Ends})
	})
}

// Texts yields the strings of an array, each with its value; see Elements and ForProcess.
func (v Value) Texts(want, name string) iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		for element := range v.Elements(want, name) {
			if text, ok := element.ForProcess(); ok && !yield(text, element) {
				return
			}
		}
	}
}

// Elements yields the elements of an array, if there is one, which messages call name. A value of another type is a
// problem; want says what it should be.
func (v Value) Elements(want, name string) iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if !v.Exists() {
			return
		}
		if !v.IsArray() {
			v.WrongType(want)
			return
		}
		v.ForEach(func(_, element gjson.Result) bool {
			return yield(Value{Result: element, In: v.In, Who: v.Who, Name: name, Ends: v.Ends})
		})
	}
}

// TypeName returns the type of a JSON value, for messages.
func TypeName(v gjson.Result) string {
	switch {
	case v.IsObject():
		return "an object"
	case v.IsArray():
		return "an array"
	case v.Type == gjson.String:
		return "a string"
	case v.Type == gjson.Number:
		return "a number"
	case v.Type == gjson.Null:
		return "null"
	}
	return "true or false"
}
