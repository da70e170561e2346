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
	path, line := filepath.Join(dir, Folder, state.Hashed(session)), strconv.Quote(what)
	text, err := os.ReadFile(path)
	if err == nil && slices.Contains(strings.Split(string(text), "\n"), line) {
		return false
	}
	_ = state.Append(path, line+"\n", month)
	return true
}
