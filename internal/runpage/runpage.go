// Package runpage writes one HTML page that shows a run log to a person.
//
//	err := runpage.Write(file, runpage.Page{Summary: summary, Calls: lines})
//
// Guarantees: the page is one file, asks the network for nothing and works without it; nothing in a log can become
// markup or script (it is data in the file and text in the document, and the page's own policy lets no other script
// run); it works with no calls at all; the youngest MaxCalls calls are in it, or as many of them as 16 MiB hold.
//
// Non-guarantees: the page shows what the log says. Redaction is the work of who writes the log.
package runpage

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	MaxCalls = 2000
	maxBytes = 16 << 20 // of calls: a telephone has to open the page
)

// Page is what a page shows.
type Page struct {
	Summary json.RawMessage   // as "hookrun log --output json" prints it
	Calls   []json.RawMessage // lines of the log, oldest first; what is no JSON object is left out
}

var (
	//go:embed page.html
	markup string
	//go:embed page.css
	style string
	//go:embed page.js
	script string
)

// Write writes the page. A summary that is no JSON object is an error, and then nothing has been written.
func Write(w io.Writer, p Page) error {
	summary, err := inline(p.Summary)
	if err != nil {
		return fmt.Errorf("the summary of the log cannot be put into a page: %w", err)
	}

	// From the youngest to the oldest: so the page shows them, and the oldest are those to leave out.
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

	// A browser reads \r\n as \n before it takes the hash, and git may have put \r\n into the sources.
	style, script := strings.ReplaceAll(style, "\r\n", "\n"), strings.ReplaceAll(script, "\r\n", "\n")
	policy := "default-src 'none'; base-uri 'none'; form-action 'none'; style-src " + source(style) + "; script-src " +
		source(script) +
		"; require-trusted-types-for 'script'; trusted-types 'none'"

	// One pass: what is put in is not looked at again, so a log that holds a placeholder changes nothing.
	_, err = strings.NewReplacer(
		"{{policy}}", policy,
		"{{style}}", style,
		"{{summary}}", summary,
		"{{calls}}", strings.Join(lines, "\n"),
		"{{script}}", script,
	).WriteString(w, markup)
	return err
}

// source is a text as the policy admits it.
func source(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// inline is a JSON object as one line that can stand in a script element: no <, > or & is left to end it or to open a
// comment.
func inline(object json.RawMessage) (string, error) {
	var line, escaped bytes.Buffer
	if err := json.Compact(&line, object); err != nil {
		return "", err
	}
	if line.Bytes()[0] != '{' {
		return "", errors.New("it is no JSON object")
	}
	json.HTMLEscape(&escaped, line.Bytes())
	return escaped.String(), nil
}
