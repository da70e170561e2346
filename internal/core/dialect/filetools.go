package dialect

import (
	"cmp"
	"maps"
	"slices"
)

// FileTools are the tool names given by files, as seen by the hooks of one level. A nil FileTools is empty.
type FileTools struct {
	own   map[string]string   // by the client's name; "": the tool has no other name
	added map[string][]string // from files of lower levels
}

// Add adds the names from a file. Names from a level lower than the hooks' are additional and replace nothing. Other
// names replace the names from earlier files. A file with an empty name does not remove a name.
func (t *FileTools) Add(names map[string]string, lower bool) {
	if t.own == nil {
		t.own, t.added = map[string]string{}, map[string][]string{}
	}
	for theirs, here := range names {
		switch {
		case !lower:
			t.own[theirs] = cmp.Or(here, t.own[theirs])
		case here != "" && !slices.Contains(t.added[theirs], here):
			t.added[theirs] = append(t.added[theirs], here)
		}
	}
}

// Name returns the name that replaces the known names of a tool, or "".
func (t *FileTools) Name(tool string) string {
	if t == nil {
		return ""
	}
	return t.own[tool]
}

// Has reports whether a file has an entry for the tool, even an empty name.
func (t *FileTools) Has(tool string) bool {
	if t == nil {
		return false
	}
	_, has := t.own[tool]
	return has
}

// Added returns additional names of a tool.
func (t *FileTools) Added(tool string) []string {
	if t == nil {
		return nil
	}
	return t.added[tool]
}

// Tools returns the clients' tools that have a name in files, sorted.
func (t *FileTools) Tools() (names []string) {
	if t == nil {
		return nil
	}
	names = slices.AppendSeq(slices.Collect(maps.Keys(t.own)), maps.Keys(t.added))
	slices.Sort(names)
	return slices.Compact(names)
}

// Same reports whether the hooks of two levels see a tool under the same names.
func (t *FileTools) Same(other *FileTools, tool string) bool {
	return t.Has(tool) == other.Has(tool) && t.Name(tool) == other.Name(tool) &&
		slices.Equal(t.Added(tool), other.Added(tool))
}
