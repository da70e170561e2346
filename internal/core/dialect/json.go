package dialect

import (
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// MergedJSON returns object with the fields of over added or replaced, or nil if either is not an object.
func MergedJSON(object, over []byte) []byte {
	if !gjson.ParseBytes(object).IsObject() || !gjson.ParseBytes(over).IsObject() {
		return nil
	}
	var merged, more strictjson.Fields
	_, _ = merged.UnmarshalJSON(object), more.UnmarshalJSON(over) // cannot fail for an object
	for _, f := range more {
		merged.Set(f.Key, f.Value)
	}
	return ObjectOf(merged)
}

// FieldsOf makes fields from alternating keys and values.
func FieldsOf(keysAndValues ...any) (fields strictjson.Fields) {
	for i := 0; i+1 < len(keysAndValues); i += 2 {
		fields.Set(keysAndValues[i].(string), keysAndValues[i+1].([]byte))
	}
	return fields
}

// ObjectOf encodes fields as a JSON object.
func ObjectOf(fields strictjson.Fields) []byte {
	text, _ := fields.MarshalJSON() // cannot fail, because the values are JSON
	return text
}

// JSONObject returns an object of alternating keys and values.
func JSONObject(keysAndValues ...any) []byte { return ObjectOf(FieldsOf(keysAndValues...)) }

// JSONList returns an array of one value.
func JSONList(value []byte) []byte { return append(append([]byte{'['}, value...), ']') }
