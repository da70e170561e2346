package runner

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf16"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/ownpath"
)

// previewLength is how much of a context that is too long still stands in it, in bytes.
const previewLength = 2 << 10

// saveContext puts a context that is longer than the dialect allows into a file, and leaves its beginning and the
// file's path. A model that is interested can read on. If there is no writing the file, the rest is lost, and a
// warning says so.
func saveContext(h *hookfile.Hook, v *dialect.Verdict) {
	limit := h.Dialect.MaxContext
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
	dir := filepath.Join(temporary, contextFolder)
	_ = ownpath.Mkdir(dir)                                             // it may be there
	if info, err := os.Lstat(dir); err != nil || !private(dir, info) { // somebody else's: no place for what hooks say
		if dir, err = os.MkdirTemp(temporary, "hookrun-"); err != nil {
			return "", err
		}
	}
	f, err := os.CreateTemp(dir, "context-*.txt") // 0600
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
