package strictjson

import (
	"encoding/json"

	"github.com/tidwall/gjson"
)

// Fields are the members of a JSON object in order, with compact values.
type Fields []Field

// Field is one member of a JSON object.
type Field struct {
	Key   string
	Value json.RawMessage
}

// Set adds a field, or replaces the field of the same key.
func (f *Fields) Set(key string, value []byte) {
	for i := range *f {
		if (*f)[i].Key == key {
			(*f)[i].Value = value
			return
		}
	}
	*f = append(*f, Field{key, value})
}

// Get returns the value of a key, or nil.
func (f Fields) Get(key string) []byte {
	for _, field := range f {
		if field.Key == key {
			return field.Value
		}
	}
	return nil
}

// MarshalJSON writes the object.
func (f Fields) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, field := range f {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(AppendString(b, field.Key), ':'), field.Value...)
	}
	return append(b, '}'), nil
}

// UnmarshalJSON reads an object.
func (f *Fields) UnmarshalJSON(b []byte) error {
	*f = nil
	for key, value := range gjson.ParseBytes(b).ForEach {
		*f = append(*f, Field{Text(key.Raw), json.RawMessage(value.Raw)})
	}
	return nil
}
