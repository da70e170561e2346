// Package once shows a message once per session, even if each call has a process of its own.
//
//	if once.First(state, session, "tool Execute") {
//		// say it
//	}
//
// Each session with a message has one file. If the file cannot be read or written, the message comes again: too often
// is better than never. When a new file is made, files older than a month are removed.
package once

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/lib/files/owner"
	"github.com/hookrun/hookrun/internal/lib/state"
)

// Folder is the name of the folder in the user's state folder.
const Folder = "notices"

const month = 30 * 24 * time.Hour

// First reports whether the message is new to the session. Without a session it always is.
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
