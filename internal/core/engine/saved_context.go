package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/lib/files/owner"
	"github.com/hookrun/hookrun/internal/lib/state"
)

// previewLength is the length, in bytes, of the beginning of a saved context that the model still gets.
const previewLength = 2 << 10

// saveContext replaces a context that is longer than the dialect allows by its beginning and the path of a file with
// the whole text. An interested model can read on. If the file cannot be written, the rest is lost, with a warning.
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

// FitReason shortens a reason that is longer than a client shows. The beginning stays, and the line by which a person
// can let the call pass. A file has the whole reason.
func FitReason(reason string, limit int) string {
	if limit == 0 || len(reason) <= limit || characters(reason) <= limit {
		return reason
	}
	said, hint := reason, ""
	if at := strings.LastIndex(reason, "\n"+dialect.ApproveHint); at >= 0 {
		said, hint = reason[:at], reason[at:]
	}
	note := "… [hookrun: the rest is lost]"
	if file, err := writeContext(reason); err == nil {
		note = "… [hookrun: all of it is in " + file + " ]"
	}
	return strings.ToValidUTF8(said[:min(len(said), max(0, limit-len(note)-len(hint)))], "") + note + hint
}

// contextLife is how long a saved context stays, because a session may read it that long.
const contextLife = 24 * time.Hour

// contextNames are the names of saved contexts.
const contextNames = "context-*.txt"

// spareFolder begins the name of the folder used if the usual folder is not private.
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
			_ = os.Remove(dir) // fails if the folder is not empty
		}
	}
}

// characters counts UTF-16 units, as JavaScript does.
func characters(s string) (n int) {
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// writeContext writes the text to a new file that only this user can read, in the user's folder for temporary files.
func writeContext(text string) (string, error) {
	temporary, err := filepath.Abs(os.TempDir()) // the reader's current directory may differ
	if err != nil {
		return "", err
	}
	dir := filepath.Join(temporary, contextFolder())
	_ = owner.Mkdir(dir)                                               // may exist
	if info, err := os.Lstat(dir); err != nil || !private(dir, info) { // not into another user's folder
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
