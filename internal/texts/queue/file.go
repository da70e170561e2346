package queue

import (
	"context"
	"fmt"
)

// Encode returns the text of a file for PutFile. An error means that no queue takes the entry.
func Encode(e Entry) ([]byte, error) {
	e, err := e.put(now())
	if err != nil {
		return nil, err
	}
	return e.encode()
}

// PutFile is Put for a caller that may be killed before it has noted the result: it moves a file with a text of Encode
// into the queue, so the entry is queued if the file is gone. The file must be on the queue's file system, and safe on
// disk.
func (q *Queue) PutFile(ctx context.Context, file string) (Entry, error) {
	text, err := readEntry(file)
	if err != nil {
		return Entry{}, err
	}
	e, err := decode(text, "")
	if err != nil {
		return Entry{}, fmt.Errorf("%s: %w", file, err)
	}
	return q.put(ctx, e, func(session string) (string, error) { return move(ctx, session, e, file, func() {}) })
}
