// Package page writes a run log as one HTML page for people.
//
//	err := page.Write(file, page.Page{Summary: summary, Calls: lines})
//
// Guarantees: the page is one file and loads no other file. No text of a log can become markup or script: the log is
// data in the file and text in the document, and the page's policy allows no script but the page's own. The page works
// without any calls. It has the youngest MaxCalls calls, or as many as fit into 16 MiB.
//
// The page hides the secrets that package secret knows. The writer of a log removes them, too, but an old log has some.
package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/internal/lib/secret"
)

const (
	MaxCalls = 2000
	maxBytes = 16 << 20 // of calls: a telephone has to open the page
)

// Page is the content of a page.
type Page struct {
	Summary json.RawMessage   // as "hookrun log --output json" prints it
	Calls   []json.RawMessage // lines of the log, oldest first; other lines than JSON objects are left out
}

var (
	//go:embed page.html
	markup string
	//go:embed page.css
	style string
	//go:embed page.js
	script string
)

// WriteFile writes the page into a file. The rename shows only a complete page, and the mode 0600 keeps others out.
func WriteFile(path string, p Page) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	if err = errors.Join(Write(file, p), file.Close()); err == nil {
		err = errors.Unwrap(os.Rename(file.Name(), path))
	}
	if err != nil {
		os.Remove(file.Name())
	}
	return err
}

// Write writes the page. If the summary is no JSON object, Write returns an error and writes no bytes.
func Write(w io.Writer, p Page) error {
	summary, err := inline(p.Summary)
	if err != nil {
		return fmt.Errorf("the summary of the log cannot be put into a page: %w", err)
	}

	// The page shows the youngest call first, and leaves out the oldest if they are too many.
	var lines []string
	room := maxBytes
	for i := len(p.Calls) - 1; i >= 0 && len(lines) < MaxCalls; i-- {
		line, err := inline(p.Calls[i])
		if err != nil {
			continue
		}
		if room -= len(line); room < 0 {
			break
		}
		lines = append(lines, line)
	}

	// A browser turns \r\n into \n before it computes the hash, and git may have put \r\n into the sources.
	style, script := strings.ReplaceAll(style, "\r\n", "\n"), strings.ReplaceAll(script, "\r\n", "\n")
	policy := "default-src 'none'; base-uri 'none'; form-action 'none'; style-src " + source(style) +
		"; script-src " + source(script) +
		"; require-trusted-types-for 'script'; trusted-types 'none'"

	// Replace in one pass: inserted text is not searched again, so a placeholder in a log stays as text.
	_, err = strings.NewReplacer(
		"{{policy}}", policy,
		"{{style}}", style,
		"{{summary}}", summary,
		"{{calls}}", strings.Join(lines, "\n"),
		"{{script}}", script,
	).WriteString(w, markup)
	return err
}

// source returns the hash of a text for the policy.
func source(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// inline returns a JSON object as one line for a script element, without <, > and &, which could end the element or
// begin a comment.
func inline(object json.RawMessage) (string, error) {
	var line, escaped bytes.Buffer
	if err := json.Compact(&line, []byte(secret.Mask(string(object)))); err != nil {
		return "", err
	}
	if line.Bytes()[0] != '{' {
		return "", errors.New("it is no JSON object")
	}
	json.HTMLEscape(&escaped, line.Bytes())
	return printable.JSON(escaped.String()), nil // hidden characters must not mislead readers of the source
}
