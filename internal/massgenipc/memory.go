package massgenipc

import (
	"context"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/hookrun/hookrun/internal/filelock"
	"github.com/hookrun/hookrun/internal/ownpath"
)

// Memory keeps the last number of each folder that hookrun has written or taken, since a payload that was taken takes
// its number along. It lives in the user's own folder, not in the one that MassGen clears. The zero Memory remembers
// nothing.
//
// Not guaranteed: numbers that MassGen's own readers have taken meanwhile. Then hookrun's next number is too low, and
// readers may ignore the text. A number that is too high would be worse: readers would ignore the orchestrator's texts.
type Memory struct{ Dir string }

// next calls write with the last number and stores what it returns. Other processes that want the next number wait.
func (m Memory) next(dir string, write func(last int64) (sequence int64, payload []byte, err error)) error {
	file := m.open(dir)
	if file == nil { // without a memory, count on from the payload that waits
		_, _, err := write(0)
		return err
	}
	defer file.Close()
	last, _ := kept(file)
	n, payload, err := write(last)
	if err != nil {
		return err
	}
	keep(file, n, sumOf(payload))
	return nil
}

// note stores the number of a payload that was taken.
func (m Memory) note(dir string, n int64) {
	if file := m.open(dir); file != nil {
		defer file.Close()
		keep(file, n, "")
	}
}

// wrote reports whether a payload is the last one that hookrun wrote. The orchestrator has not used its number yet.
func (m Memory) wrote(dir string, payload []byte) bool {
	file := m.open(dir)
	if file == nil {
		return false
	}
	defer file.Close()
	_, sum := kept(file)
	return sum == sumOf(payload)
}

// kept reads what keep has written. Anything that is no number counts as none.
func kept(file *os.File) (last int64, sum string) {
	_, _ = fmt.Fscan(io.NewSectionReader(file, 0, 128), &last, &sum)
	if last < 0 || last >= maxSequence {
		last = 0
	}
	return last, sum
}

// maxSequence is beyond any real number, and fits into a float64.
const maxSequence = 1 << 53

// keep writes a number and the sum of a payload. Errors are ignored: the text is delivered all the same.
func keep(file *os.File, n int64, sum string) {
	if file.Truncate(0) == nil {
		_, _ = file.WriteAt(fmt.Appendf(nil, "%d %s", n, sum), 0)
	}
}

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
	if ownpath.MkdirAll(folder) != nil {
		return nil
	}
	file, err := os.OpenFile(filepath.Join(folder, sumOf([]byte(dir))), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil
	}
	if filelock.LockWithin(context.Background(), file, patience) != nil {
		file.Close()
		return nil
	}
	return file
}

// patience is how long to wait for another process, which may be stopped.
var patience = time.Second
