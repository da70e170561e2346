package massgenipc

import (
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/hookrun/hookrun/internal/filelock"
)

// Memory keeps the last number of each folder that hookrun has written or taken, since a payload that was taken takes
// its number along. Its folder is the user's own, not the one that MassGen clears. The zero Memory remembers nothing.
//
// Not guaranteed: what readers of MassGen's own have taken meanwhile. There the number is too low by what the
// orchestrator wrote since, and the text may be passed over; too high a number would have them pass over the
// orchestrator's.
type Memory struct{ Dir string }

// next has a payload written, given the last number, and keeps what write returns of it. Other processes that want the
// next number wait.
func (m Memory) next(dir string, write func(last int64) (sequence int64, payload []byte, err error)) error {
	file := m.open(dir)
	if file == nil { // without a memory numbers still go on where a payload waits
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

// note keeps the number of a payload that was taken.
func (m Memory) note(dir string, n int64) {
	if file := m.open(dir); file != nil {
		defer file.Close()
		keep(file, n, "")
	}
}

// wrote reports whether a payload is the last that hookrun wrote. Its number is one that MassGen's orchestrator has yet
// to give out.
func (m Memory) wrote(dir string, payload []byte) bool {
	file := m.open(dir)
	if file == nil {
		return false
	}
	defer file.Close()
	_, sum := kept(file)
	return sum == sumOf(payload)
}

// kept reads what keep wrote. What is no number begins anew.
func kept(file *os.File) (last int64, sum string) {
	_, _ = fmt.Fscan(io.NewSectionReader(file, 0, 128), &last, &sum)
	if last < 0 || last >= maxSequence {
		last = 0
	}
	return last, sum
}

// maxSequence is more than anybody counts, and what a float64 holds.
const maxSequence = 1 << 53

// keep writes a number and the sum of a payload. What cannot be kept was not seen: the text is there all the same.
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

// open returns the locked file of a folder, nil without a memory.
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
	if os.MkdirAll(folder, 0o700) != nil {
		return nil
	}
	file, err := os.OpenFile(filepath.Join(folder, sumOf([]byte(dir))), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil
	}
	if filelock.LockWithin(file, patience) != nil {
		file.Close()
		return nil
	}
	return file
}

// patience is how long another process is waited for, which may be stopped.
const patience = time.Second
