// Package once keeps a message to once a session, also where each call is a process of its own.
//
//	if once.First(state, session, "tool Execute") {
//		// say it
//	}
//
// There is one file for each session that had something to say. Where it cannot be read or written the message is said
// again: too often is better than never. Files of sessions of a month ago are removed when a new one is made.
package once

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/files/owner"
	"github.com/hookrun/hookrun/internal/state"
)

// Folder is the name of the folder in the user's state folder.
const Folder = "notices"

const month = 30 * 24 * time.Hour

// First reports whether the session has not said this before. Without a session every time is the first.
func First(dir, session, what string) bool {
	if session == "" {
		return true
	}
	folder := filepath.Join(dir, Folder)
	path := filepath.Join(folder, state.Hashed(session))
	line := strconv.Quote(what)
	text, err := os.ReadFile(path)
	switch {
	case err != nil:
		state.RemoveOld(folder, "*", month)
	case slices.Contains(strings.Split(string(text), "\n"), line):
		return false
	}
	if owner.MkdirAll(folder) != nil {
		return true
	}
	if file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600); err == nil {
		_, _ = file.WriteString(line + "\n")
		_ = file.Close()
	}
	return true
}
