package dialect

import (
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/strictjson"
)

// MergedJSON is an object with the fields of another one over its own, nil where either is none.
func MergedJSON(object, over []byte) []byte {
	if !gjson.ParseBytes(object).IsObject() || !gjson.ParseBytes(over).IsObject() {
		return nil
	}
	var all, more strictjson.Fields
	_, _ = all.UnmarshalJSON(object), more.UnmarshalJSON(over) // of an object there is no error
	for _, f := range more {
		all.Set(f.Key, f.Value)
	}
	return ObjectOf(all)
}
