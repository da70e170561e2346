package stats

import (
	"errors"
	"io/fs"
	"os"
)

// Parts returns the parts, oldest first. They are open until Close, even if a rotation removes one.
func (l *Log) Parts() []Part { return l.parts }

// Moved reports whether the newest part is no longer the log, so that no process writes to the part, and whether there
// is a newer part by now.
func (l *Log) Moved() (closed, newer bool) {
	named, err := os.Stat(l.path)
	newer = err == nil && !os.SameFile(named, l.parts[len(l.parts)-1].info)
	return newer || errors.Is(err, fs.ErrNotExist), newer
}

// Path returns the path of the part at the time of the opening.
func (p *Part) Path() string { return p.path }

// Size returns the present size.
func (p *Part) Size() (int64, error) {
	info, err := p.file.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// ReadAt is io.ReaderAt.
func (p *Part) ReadAt(b []byte, at int64) (int, error) { return p.file.ReadAt(b, at) }

// Lines calls each for the lines between two offsets, without line ends, until each returns an error. It returns the
// end of the last complete line that each took. whole is false for an unfinished last line. If a line is too long, line
// is nil.
func (p *Part) Lines(from, to int64, each func(line []byte, whole bool) error) (end int64, err error) {
	return eachLine(p.file, from, to, each)
}
