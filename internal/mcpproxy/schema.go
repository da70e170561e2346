package mcpproxy

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/strictjson"
)

// accepts reports whether structured content is valid for a tool's output schema if what stood in its place before
// was. It does not know all of JSON Schema: a part that has not changed needs no look, and where a keyword that it
// does not know decides about a change, the answer is no. So is the answer for a schema that takes too much work.
// before may be "": then nothing counts as valid.
func accepts(schema, now, before string) bool {
	s := schemaCheck{root: gjson.Parse(schema), work: 1<<20 + 64*len(now)}
	return s.allows(s.root, gjson.Parse(now), gjson.Parse(before))
}

// schemaCheck is one look at a value.
type schemaCheck struct {
	root gjson.Result
	work int // bytes that may still be read
}

// annotations are keywords that make no value invalid. Those that begin with x- are somebody's own.
var annotations = []string{"$schema", "$id", "$comment", "$defs", "definitions", "title", "description", "default",
	"examples", "deprecated", "readOnly", "writeOnly"}

// allows holds a value against one rule of the schema.
func (s *schemaCheck) allows(rule, now, before gjson.Result) (ok bool) {
	if s.work -= len(now.Raw) + len(rule.Raw) + 1; s.work < 0 {
		return false
	}
	switch {
	case before.Exists() && strictjson.Equal(now, before), rule.Type == gjson.True:
		return true
	case !rule.IsObject():
		return false
	}
	ok = true
	members, were := now.Map(), before.Map()
	properties := rule.Get("properties").Map()
	rule.ForEach(func(key, value gjson.Result) bool {
		switch name := strictjson.Text(key.Raw); name {
		case "properties":
			for name, rule := range properties {
				if member, there := members[name]; there {
					ok = ok && s.allows(rule, member, were[name])
				}
			}
		case "additionalProperties":
			for name, member := range members {
				if _, listed := properties[name]; !listed {
					ok = ok && s.allows(value, member, were[name])
				}
			}
		case "required":
			for _, name := range value.Array() {
				_, there := members[strictjson.Text(name.Raw)]
				ok = ok && (there || !now.IsObject())
			}
		case "items":
			old := elements(before)
			for i, item := range elements(now) {
				var was gjson.Result
				if i < len(old) {
					was = old[i]
				}
				ok = ok && s.allows(value, item, was)
			}
		case "type":
			ok = slices.ContainsFunc(value.Array(), func(t gjson.Result) bool { return isOfType(now, t.Str) })
		case "enum":
			ok = slices.ContainsFunc(value.Array(), func(one gjson.Result) bool { return strictjson.Equal(one, now) })
		case "const":
			ok = strictjson.Equal(value, now)
		case "anyOf": // for which of them the old value was valid is not known
			ok = slices.ContainsFunc(value.Array(), func(one gjson.Result) bool {
				return s.allows(one, now, gjson.Result{})
			})
		case "allOf":
			for _, one := range value.Array() {
				ok = ok && s.allows(one, now, before)
			}
		case "$ref":
			ok = s.allows(s.named(value.Str), now, before)
		default:
			ok = slices.Contains(annotations, name) || strings.HasPrefix(name, "x-")
		}
		return ok
	})
	return ok
}

// named finds the part of the schema that a reference names. A reference to elsewhere is a rule that allows nothing.
func (s *schemaCheck) named(reference string) gjson.Result {
	steps := strings.Split(reference, "/")
	if steps[0] != "#" {
		return gjson.Result{}
	}
	rule := s.root
	for _, step := range steps[1:] {
		rule = rule.Map()[step]
	}
	return rule
}

func isOfType(v gjson.Result, name string) bool {
	switch name {
	case "object":
		return v.IsObject()
	case "array":
		return v.IsArray()
	case "boolean":
		return v.IsBool()
	case "integer":
		return v.Type == gjson.Number && !strings.ContainsAny(v.Raw, ".eE")
	case "string", "number", "null":
		return strings.EqualFold(v.Type.String(), name)
	}
	return false
}

// elements are those of a list; nil of anything else.
func elements(v gjson.Result) []gjson.Result {
	if !v.IsArray() {
		return nil
	}
	return v.Array()
}
