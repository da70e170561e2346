package hookfile

import (
	"slices"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// Runs and Why are for tests of one hook, where a context is not worth its line.
func (h *Hook) Runs(c *protocol.Call) bool  { return NewMatchContext(dialect.NewCall(*c)).Runs(h) }
func (h *Hook) Why(c *protocol.Call) string { return NewMatchContext(dialect.NewCall(*c)).Why(h) }

// SchemaKeys are the keys that the parser knows, by the place in the schema where they stand.
var SchemaKeys = map[string][]string{
	"else.properties":            allFileKeys(),
	"$defs.hook.properties":      hookKeys,
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
