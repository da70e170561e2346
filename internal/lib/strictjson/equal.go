package strictjson

import (
	"math"
	"strings"

	"github.com/tidwall/gjson"
)

// Equal compares valid JSON by value: 1.0 equals 1, and objects may be in any order. No object may have a duplicate
// key. a may be megabytes long; no more of a is read than b is long.
func Equal(a, b gjson.Result) bool {
	switch {
	case a.IsObject() && b.IsObject():
		members := map[string]gjson.Result{}
		for key, member := range b.ForEach {
			members[Text(key.Raw)] = member
		}
		for key, member := range a.ForEach {
			name := Text(key.Raw)
			if other, ok := members[name]; !ok || !Equal(member, other) {
				return false
			}
			delete(members, name)
		}
		return len(members) == 0
	case a.IsArray() && b.IsArray():
		others, n := b.Array(), 0
		for _, element := range a.ForEach {
			if n == len(others) || !Equal(element, others[n]) {
				return false
			}
			n++
		}
		return n == len(others)
	case a.Type != b.Type || a.Type == gjson.JSON: // one is an object, the other an array
		return false
	case a.Type == gjson.String:
		return Text(a.Raw) == Text(b.Raw)
	case a.Type == gjson.Number:
		const exact = 1 << 53
		return a.Raw == b.Raw || a.Num == b.Num && (math.Abs(a.Num) < exact || !isInteger(a.Raw) || !isInteger(b.Raw))
	}
	return true
}

// isInteger reports whether a number is a plain integer. Two different large integers can be equal as float64.
func isInteger(raw string) bool { return strings.Trim(raw, "-0123456789") == "" }
