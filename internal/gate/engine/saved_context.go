package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/files/owner"
	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/state"
)

// previewLength is how much of a context that is too long still stands in it, in bytes.
const previewLength = 2 << 10

// saveContext puts a context that is longer than the dialect allows into a file, and leaves its beginning and the
// file's path. A model that is interested can read on. If there is no writing the file, the rest is lost, and a
// warning says so.
func saveContext(h *hook.Hook, v *dialect.Verdict) {
	limit := h.Dialect.Run.MaxContext
	if limit == 0 || len(v.Context) <= limit || characters(v.Context) <= limit {
		return
	}
	whole := v.Context
	preview := strings.ToValidUTF8(whole[:previewLength], "")
	v.Truncated = true
	size := fmt.Sprintf("%.1f KB", float64(len(whole))/1024)
	file, err := writeContext(whole)
	if err != nil {
		v.Context = fmt.Sprintf("[hookrun: the text of this hook is too long: %s. It begins:]\n%s\n[…]",
			size, preview)
		v.Warnings = append(v.Warnings, fmt.Sprintf("hook '%s' added %s of context, more than %d characters, "+
			"and the rest is lost: %v", shownName(h), size, limit, err))
		return
	}
	v.File = file
	v.Context = fmt.Sprintf("[hookrun: the text of this hook is too long: %s. "+
		"All of it is in %s . It begins:]\n%s\n[…]", size, file, preview)
}

// contextLife is how long a saved context stays. The session that was told its path may read it for as long.
const contextLife = 24 * time.Hour

// contextNames are the names of saved contexts.
const contextNames = "context-*.txt"

// spareFolder begins the name of a folder that is made if the usual one is not private.
const spareFolder = "hookrun-context-"

// removeOldFolders removes the spare folders whose contexts are all gone.
func removeOldFolders(temporary string) {
	entries, _ := os.ReadDir(temporary)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), spareFolder) {
			continue
		}
		dir := filepath.Join(temporary, e.Name())
		if info, err := os.Lstat(dir); err == nil && private(dir, info) && time.Since(info.ModTime()) > contextLife {
			state.RemoveOld(dir, contextNames, contextLife)
			_ = os.Remove(dir) // not if anything is in it
		}
	}
}

// characters counts as JavaScript does.
func characters(s string) (n int) {
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// writeContext writes the text to a new file that only this user can read, in a folder of the user's for temporary
// files.
func writeContext(text string) (string, error) {
	temporary, err := filepath.Abs(os.TempDir()) // whoever reads the path may stand elsewhere
	if err != nil {
		return "", err
	}
	dir := filepath.Join(temporary, contextFolder())
	_ = owner.Mkdir(dir)                                               // it may be there
	if info, err := os.Lstat(dir); err != nil || !private(dir, info) { // somebody else's: no place for what hooks say
		removeOldFolders(temporary)
		if dir, err = os.MkdirTemp(temporary, spareFolder); err != nil {
			return "", err
		}
	}
	state.RemoveOld(dir, contextNames, contextLife)
	f, err := os.CreateTemp(dir, contextNames) // 0600
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return f.Name(), err
}
