package dialect

import (
	"cmp"
	"maps"
	"slices"
)

// FileTools are the names that files give to tools, as the hooks of one level see them. A nil FileTools has none.
type FileTools struct {
	own   map[string]string   // by the client's name; "": the tool has no other name
	added map[string][]string // of files of lower levels
}

// Add adds the names of a file. Those of a lower level than that of the hooks are further names, and replace nothing.
// Others replace what files before them say. No file takes a name away by saying that there is no other one.
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

// Name is the name that a tool has instead of those that are known of it; "": there is none.
func (t *FileTools) Name(tool string) string {
	if t == nil {
		return ""
	}
	return t.own[tool]
}

// Has reports whether a file names the tool, be it to say that it has no other name.
func (t *FileTools) Has(tool string) bool {
	if t == nil {
		return false
	}
	_, has := t.own[tool]
	return has
}

// Added are further names of a tool.
func (t *FileTools) Added(tool string) []string {
	if t == nil {
		return nil
	}
	return t.added[tool]
}

// Tools are the clients' tools that files name, in order.
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
	return t == other || t.Has(tool) == other.Has(tool) && t.Name(tool) == other.Name(tool) &&
		slices.Equal(t.Added(tool), other.Added(tool))
}
