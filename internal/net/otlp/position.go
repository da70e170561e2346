package otlp

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/hookrun/hookrun/internal/lib/files/atomic"
	"github.com/hookrun/hookrun/internal/lib/files/lock"
	"github.com/hookrun/hookrun/internal/lib/files/owner"
	"github.com/hookrun/hookrun/internal/lib/state"
)

// position says how much of a log an address has. It is a file in the folder of the user's state.
type position struct {
	path   string
	locked *os.File

	Version int    `json:"version"`
	Log     string `json:"log"`
	To      string `json:"to"`
	// Parts are the parts of the log at the last look, oldest first.
	Parts []mark `json:"parts"`
	// Last is the time of the last line that was sent.
	Last string `json:"last,omitempty"`
}

// mark is the offset up to which a part was sent. A part is known by the hash of the first line, which has a time and
// the number of a process: names change at a rotation, and a system gives the inode of a removed file to the next file.
type mark struct {
	Head   string `json:"head"`
	Offset int64  `json:"offset"`
	Size   int64  `json:"size"`             // at the last look
	Closed bool   `json:"closed,omitempty"` // the part does not grow any more
}

// openPosition reads the position of a log and an address, and locks it for this process.
func openPosition(folder, log, address, shown string) (*position, error) {
	folder = filepath.Join(folder, "otlp")
	if err := owner.MkdirAll(folder); err != nil {
		return nil, err
	}
	base := filepath.Join(folder, state.Hashed(log+"\n"+address))
	locked, err := os.OpenFile(base+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	p := &position{path: base + ".json", locked: locked, Version: 1, Log: log, To: shown}
	if free, err := lock.Try(locked); err != nil || !free {
		locked.Close()
		if err == nil {
			err = fmt.Errorf("another hookrun sends %s to %s already; end that one first", log, shown)
		}
		return nil, err
	}
	text, err := atomic.Read(p.path)
	if err == nil {
		err = json.Unmarshal(text, p)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	case err == nil && (p.Version != 1 || slices.ContainsFunc(p.Parts, func(m mark) bool { return m.Offset < 0 })):
		err = errors.New("is of another version")
	}
	if err != nil {
		err = fmt.Errorf("the position %s: %w; without that file the whole log is sent again", p.path, err)
	} else {
		err = p.save() // first, because without a saved position every batch would come twice
	}
	if err != nil {
		locked.Close()
		return nil, err
	}
	return p, nil
}

func (p *position) save() error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if err = atomic.WritePrivate(p.path, string(text)+"\n"); err != nil {
		err = fmt.Errorf("the position cannot be saved: %w", err)
	}
	return err
}

// set changes the offset and the size of a part.
func (p *position) set(m mark) {
	for i := range p.Parts {
		if p.Parts[i].Head == m.Head {
			p.Parts[i] = m
		}
	}
}

// keep replaces the parts by the present ones, and sets the offset of each. It returns how many parts are gone although
// not sent to the end; a part that was not closed may have grown since the last look.
func (p *position) keep(now []mark) (missed int) {
	for _, m := range p.Parts {
		at := slices.IndexFunc(now, func(n mark) bool { return n.Head == m.Head })
		switch {
		case at >= 0:
			now[at].Offset = min(m.Offset, now[at].Size)
		case m.Offset < m.Size || !m.Closed:
			missed++
		}
	}
	p.Parts = now
	return missed
}

// headOf returns the hash of the beginning of a part's first line, or "" if that line is not whole yet.
func headOf(part io.ReaderAt) (string, error) {
	first := make([]byte, 4<<10)
	n, err := part.ReadAt(first, 0)
	if err != nil && err != io.EOF {
		return "", err
	}
	end := bytes.IndexByte(first[:n], '\n')
	if end < 0 && n < len(first) {
		return "", nil
	}
	if end < 0 {
		end = n
	}
	sum := sha256.Sum256(first[:end])
	return hex.EncodeToString(sum[:12]), nil
}
