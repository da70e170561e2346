package trust

import (
	"errors"
	"fmt"
)

// Bounds of what is hashed.
const (
	maxHashed  = 256 << 20 // more, of all files, is refused
	maxUnasked = 1 << 20   // a larger file is hashed only if it has the size that was recorded
	maxShown   = 1 << 20   // of a text that is kept for the next diff
	maxAgain   = 1 << 20   // a file up to here is hashed once more when its hook has ended
)

// What stands in the place of a hash that no file has.
const (
	otherSize = "another size"
	noFile    = "no regular file"
)

func errGrows() error {
	return fmt.Errorf("it grew by more than %d MiB while it was read", maxHashed>>20)
}

// otherSize reports whether a large file cannot be one that was recorded, since it has another size.
func (t *taker) otherSize(name string, size int64) bool {
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
			t.first = pinned == nil
		}
		for _, r := range []*Record{allowed, pinned} {
			for i := 0; err == nil && r != nil && i < len(r.Files); i++ {
				file := &r.Files[i]
				t.sizes[file.Name] = append(t.sizes[file.Name], file.Size)
			}
		}
		t.first = t.first || err != nil
	}
	if t.first { // the first call of a session records what there is
		return false
	}
	for _, recorded := range t.sizes[name] {
		if recorded == size {
			return false
		}
	}
	return true
}
