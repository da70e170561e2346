package dialect

import (
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/strictjson"
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
