package strictjson

import (
	"math"
	"strings"

	"github.com/tidwall/gjson"
)

// Equal compares well-formed JSON by what it says: numbers by their value, objects in any order. In neither value has
// an object a key twice. a may be megabytes, of which it reads no more than b is long.
func Equal(a, b gjson.Result) bool {
	switch {
	case a.IsObject() && b.IsObject():
		members := map[string]gjson.Result{}
		b.ForEach(func(key, member gjson.Result) bool {
			members[Text(key.Raw)] = member
			return true
		})
		equal := true
		a.ForEach(func(key, member gjson.Result) bool {
			name := Text(key.Raw)
			other, ok := members[name]
			equal = ok && Equal(member, other)
			delete(members, name)
			return equal
		})
		return equal && len(members) == 0
	case a.IsArray() && b.IsArray():
		others, n, equal := b.Array(), 0, true
		a.ForEach(func(_, element gjson.Result) bool {
			equal = n < len(others) && Equal(element, others[n])
			n++
			return equal
		})
		return equal && n == len(others)
	case a.Type != b.Type || a.Type == gjson.JSON: // an object and an array
		return false
	case a.Type == gjson.String:
		return Text(a.Raw) == Text(b.Raw)
	case a.Type == gjson.Number:
		const exact = 1 << 53
		return a.Raw == b.Raw || a.Num == b.Num && (math.Abs(a.Num) < exact || !digits(a.Raw) || !digits(b.Raw))
	}
	return true
}

// digits reports whether a number has nothing else: of two large ones that differ float64 makes the same.
func digits(raw string) bool { return strings.Trim(raw, "-0123456789") == "" }
