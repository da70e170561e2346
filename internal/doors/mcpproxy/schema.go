package mcpproxy

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// accepts reports whether structured content is valid for a tool's output schema, given that before was valid. It
// implements a part of JSON Schema. Unchanged parts need no check. It returns false if a changed part has an unknown
// keyword, or if the schema takes too much work. If before is "", all parts are checked.
func accepts(schema, now, before string) bool {
	s := schemaCheck{root: gjson.Parse(schema), work: 1<<20 + 64*len(now)}
	return s.allows(s.root, gjson.Parse(now), gjson.Parse(before))
}

// schemaCheck is the check of a value against a schema.
type schemaCheck struct {
	root gjson.Result
	work int // bytes that may still be read
}

// annotations are keywords without effect on validity. Keywords that begin with x- count as annotations, too.
var annotations = []string{"$schema", "$id", "$comment", "$defs", "definitions", "title", "description", "default",
	"examples", "deprecated", "readOnly", "writeOnly"}

// allows checks a value against one rule of the schema.
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
	properties := rule.Get("properties").Map()
	rule.ForEach(func(key, value gjson.Result) bool {
		switch name := strictjson.Text(key.Raw); name {
		case "properties":
			ok = s.membersAllowed(now, before, func(name string) gjson.Result { return properties[name] })
		case "additionalProperties":
			ok = s.membersAllowed(now, before, func(name string) gjson.Result {
				if properties[name].Exists() {
					return gjson.Result{}
				}
				return value
			})
		case "items":
			ok = s.itemsAllowed(value, now, before)
		case "allOf":
			ok = !slices.ContainsFunc(value.Array(), func(one gjson.Result) bool { return !s.allows(one, now, before) })
		case "anyOf": // the rule that matched the old value is unknown
			ok = slices.ContainsFunc(value.Array(), func(one gjson.Result) bool {
				return s.allows(one, now, gjson.Result{})
			})
		case "$ref":
			ok = s.allows(s.resolve(value.Str), now, before)
		default:
			ok = keywordAllows(name, value, now)
		}
		return ok
	})
	return ok
}

// membersAllowed checks the members of an object for which a keyword has a rule.
func (s *schemaCheck) membersAllowed(now, before gjson.Result, ruleOf func(name string) gjson.Result) bool {
	were := before.Map()
	for name, member := range now.Map() {
		if rule := ruleOf(name); rule.Exists() && !s.allows(rule, member, were[name]) {
			return false
		}
	}
	return true
}

// itemsAllowed checks the elements of a list.
func (s *schemaCheck) itemsAllowed(rule, now, before gjson.Result) bool {
	old := elements(before)
	for i, item := range elements(now) {
		var was gjson.Result
		if i < len(old) {
			was = old[i]
		}
		if !s.allows(rule, item, was) {
			return false
		}
	}
	return true
}

// keywordAllows checks a value against a keyword without nested rules.
func keywordAllows(name string, value, now gjson.Result) bool {
	switch name {
	case "required":
		members := now.Map()
		return !now.IsObject() || !slices.ContainsFunc(value.Array(), func(name gjson.Result) bool {
			return !members[strictjson.Text(name.Raw)].Exists()
		})
	case "type":
		return slices.ContainsFunc(value.Array(), func(t gjson.Result) bool { return isOfType(now, t.Str) })
	case "enum":
		return slices.ContainsFunc(value.Array(), func(one gjson.Result) bool { return strictjson.Equal(one, now) })
	case "const":
		return strictjson.Equal(value, now)
	}
	return slices.Contains(annotations, name) || strings.HasPrefix(name, "x-")
}

// resolve returns the part of the schema for a reference. A reference to another document allows no value.
func (s *schemaCheck) resolve(reference string) gjson.Result {
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

// elements returns the elements of a list, or nil if v is no list.
func elements(v gjson.Result) []gjson.Result {
	if !v.IsArray() {
		return nil
	}
	return v.Array()
}
