package ipc

import (
	"context"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/hookrun/hookrun/internal/files/lock"
	"github.com/hookrun/hookrun/internal/files/owner"
)

// Memory keeps what hookrun knows of the numbers of each folder, since a payload that was taken takes its number along.
// It lives in the user's own folder, not in the one that MassGen clears. The zero Memory remembers nothing.
//
// Not guaranteed: numbers that MassGen's own readers have taken meanwhile.
type Memory struct{ Dir string }

// known is what hookrun knows of a folder.
type known struct {
	last   int64 // the orchestrator's last number that was seen; before there is one, hookrun's own
	theirs bool  // the orchestrator writes here
	read   bool  // a reader of hookrun's took a payload since the last Write
}

// update changes what is known. Other processes that want to do so wait. Without a memory nothing is known.
func (m Memory) update(dir string, change func(*known) error) error {
	var k known
	file := m.open(dir)
	if file == nil {
		return change(&k)
	}
	defer file.Close()
	_, _ = fmt.Fscan(io.NewSectionReader(file, 0, 128), &k.last, &k.theirs, &k.read)
	if k.last < 0 || k.last >= maxSequence {
		k.last = 0
	}
	if err := change(&k); err != nil {
		return err
	}
	if file.Truncate(0) == nil { // errors are ignored: the text is delivered all the same
		_, _ = file.WriteAt(fmt.Append(nil, k.last, " ", k.theirs, " ", k.read), 0)
	}
	return nil
}

// note remembers a payload that a reader of hookrun's took.
func (m Memory) note(dir string, p payload) {
	_ = m.update(dir, func(k *known) error {
		if k.read = true; !p.ours() {
			k.last, k.theirs = p.sequence(), true
		}
		return nil
	})
}

// maxSequence is beyond any real number, and fits into a float64.
const maxSequence = 1 << 53

func sumOf(payload []byte) string {
	sum := fnv.New128a()
	sum.Write(payload)
	return hex.EncodeToString(sum.Sum(nil))
}

// open returns the locked file of a folder, or nil without a memory.
func (m Memory) open(dir string) *os.File {
	if m.Dir == "" {
		return nil
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	folder := filepath.Join(m.Dir, "massgen-ipc")
	if owner.MkdirAll(folder) != nil {
		return nil
	}
	file, err := os.OpenFile(filepath.Join(folder, sumOf([]byte(dir))), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil
	}
	if lock.LockWithin(context.Background(), file, patience) != nil {
		file.Close()
		return nil
	}
	return file
}

// patience is how long to wait for another process, which may be stopped.
var patience = time.Second
