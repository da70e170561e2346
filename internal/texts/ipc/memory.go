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

	"github.com/hookrun/hookrun/internal/lib/files/lock"
	"github.com/hookrun/hookrun/internal/lib/files/owner"
)

// Memory stores the latest sequence number of each folder, because the number is gone when a reader has taken the
// payload. The files are in the user's own folder, because MassGen clears its folder. The zero Memory stores no state.
//
// Not guaranteed: numbers taken by MassGen's own readers meanwhile.
type Memory struct{ Dir string }

// folderState is hookrun's knowledge about a folder.
type folderState struct {
	last         int64 // the last number seen from the orchestrator, else hookrun's own
	orchestrated bool  // the orchestrator writes here
	read         bool  // a reader of hookrun took a payload since the last Write
}

// update changes the state of a folder under a lock. Without a memory, change gets the zero state.
func (m Memory) update(dir string, change func(*folderState) error) error {
	var k folderState
	file := m.open(dir)
	if file == nil {
		return change(&k)
	}
	defer file.Close()
	_, _ = fmt.Fscan(io.NewSectionReader(file, 0, 128), &k.last, &k.orchestrated, &k.read)
	if k.last < 0 || k.last >= maxSequence {
		k.last = 0
	}
	if err := change(&k); err != nil {
		return err
	}
	if file.Truncate(0) == nil { // ignore errors: the text is delivered anyway
		_, _ = file.WriteAt(fmt.Append(nil, k.last, " ", k.orchestrated, " ", k.read), 0)
	}
	return nil
}

// recordTaken records that a reader of hookrun took the payload.
func (m Memory) recordTaken(dir string, p payload) {
	_ = m.update(dir, func(k *folderState) error {
		if k.read = true; !p.isOurs() {
			k.last, k.orchestrated = p.sequence(), true
		}
		return nil
	})
}

// maxSequence is larger than any sequence number in practice, and fits into a float64.
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

// patience is the longest wait for another process, which may be stopped.
var patience = time.Second
