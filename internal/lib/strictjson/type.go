package strictjson

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/lib/spelling"
)

// CheckType reports whether value has the named type, and describes the type. The names are string, boolean, number,
// object, strings (an array of strings), texts (an object of strings), 1 (the number 1), any, and a|b for a string that
// equals one of the words. No value is converted, and null has only the type any:
//
//	want, ok := strictjson.CheckType(value, "block|continue") // "\"block\" or \"continue\"", false
func CheckType(value gjson.Result, name string) (want string, ok bool) {
	switch name {
	case "any":
		return "any value", true
	case "string":
		return "a string", value.Type == gjson.String
	case "boolean":
		return "true or false", value.Type == gjson.True || value.Type == gjson.False
	case "number":
		return "a number", value.Type == gjson.Number
	case "object":
		return "an object", value.IsObject()
	case "1":
		return "the number 1", value.Type == gjson.Number && value.Num == 1
	case "texts":
		return "an object of strings", value.IsObject() && hasStrings(value)
	case "strings":
		return "an array of strings", value.IsArray() && hasStrings(value)
	}
	words := strings.Split(name, "|")
	ok = value.Type == gjson.String && slices.Contains(words, Text(value.Raw))
	for i, w := range words {
		words[i] = strconv.Quote(w)
	}
	return spelling.Or(words), ok
}

// hasStrings reports whether all values in an object or an array are strings.
func hasStrings(in gjson.Result) bool {
	for _, v := range in.ForEach {
		if v.Type != gjson.String {
			return false
		}
	}
	return true
}
