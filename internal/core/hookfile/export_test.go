package hookfile

import (
	"slices"
)

// SchemaKeys are the keys that the parser knows, by the place in the schema where they stand.
var SchemaKeys = map[string][]string{
	"else.properties":            allFileKeys(),
	"$defs.hook.properties":      entryKeys(),
	"$defs.condition.properties": conditionKeys,
}

func allFileKeys() []string {
	keys := slices.Clone(fileKeys)
	for _, k := range levelKeys {
		keys = append(keys, k.key)
	}
	return keys
}

// ManagedPlace is where the managed file is.
func ManagedPlace() string {
	path, _ := new(Options).managed()
	return path
}
