package trust

import (
	"errors"
	"fmt"
	"slices"
)

// Bounds in bytes.
const (
	maxHashed       = 256 << 20 // of all hashed files; more is refused
	maxAlwaysHashed = 1 << 20   // a larger file is hashed only if a record has the size
	maxShown        = 1 << 20   // of a longer text, a person sees the ends
	maxRehashed     = 1 << 20   // a file up to this size is hashed again after the hook
)

// Values instead of a hash. No file has such a hash.
const (
	otherSize = "another size"
	noFile    = "no regular file"
)

func errGrows() error {
	return fmt.Errorf("it grew by more than %d MiB while it was read", maxHashed>>20)
}

// otherSize reports whether a large file differs from all records because no record has the size.
func (t *collector) otherSize(name string, size int64) bool {
	if t.Store == nil {
		return false
	}
	if t.sizes == nil {
		t.sizes = map[string][]int64{}
		allowed, err := t.Store.record(allowedFolder, t.key(), nil)
		var pinned *Record
		if t.Session != "" {
			var more error
			pinned, more = t.Store.record(sessionsFolder, t.Session, nil)
			err = errors.Join(err, more)
			t.firstCall = pinned == nil
		}
		for _, r := range []*Record{allowed, pinned} {
			for i := 0; err == nil && r != nil && i < len(r.Files); i++ {
				file := &r.Files[i]
				t.sizes[file.Name] = append(t.sizes[file.Name], file.Size)
			}
		}
		t.firstCall = t.firstCall || err != nil
	}
	if t.firstCall { // the first call of a session records the hooks
		return false
	}
	return !slices.Contains(t.sizes[name], size)
}
