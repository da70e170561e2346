// Package docs has the page of the documentation that hookrun prints offline.
//
//	s, found := docs.SectionOf("the hooks of /p are not those that were allowed: guard.sh was changed")
//	fmt.Println(s.Title, s.Text)
package docs

import (
	_ "embed"
	"strings"

	"github.com/hookrun/hookrun/internal/lib/lazy"
)

//go:embed start/troubleshooting.md
var troubleshooting string

// Section is a part of the page about problems.
type Section struct {
	Page  string `json:"page"` // with the heading's anchor
	Title string `json:"title"`
	Text  string `json:"text"` // without examples and links
	Fix   string `json:"fix"`  // the paragraph that says how to end the problem
}

var (
	quoted   = lazy.Regexp{Text: `"([^"]+)"`}
	noSlug   = lazy.Regexp{Text: `[^\p{L}\p{N} _-]`}
	examples = lazy.Regexp{Text: "(?ms)^(`[^`\n]+`:\n\n)?```.*?^```\n\n?"}
	link     = lazy.Regexp{Text: `\[([^\]]+)\]\([^)]+\)`}
)

// SectionOf returns the first section about a message. The title has words of the message in quotation marks, with …
// in the place of words that differ.
func SectionOf(message string) (s Section, found bool) {
	for _, part := range strings.Split(troubleshooting, "\n## ")[1:] {
		title, text, _ := strings.Cut(part, "\n")
		for _, phrase := range quoted.Get().FindAllStringSubmatch(title, -1) {
			if has(message, strings.Split(phrase[1], "…")) {
				return section(title, text), true
			}
		}
	}
	return s, false
}

func section(title, text string) Section {
	anchor := strings.ReplaceAll(noSlug.Get().ReplaceAllString(strings.ToLower(title), ""), " ", "-")
	text = link.Get().ReplaceAllString(examples.Get().ReplaceAllString(text, ""), "$1")
	_, fix, _ := strings.Cut(text, "\nFix: ")
	fix, _, _ = strings.Cut(fix, "\n\n")
	return Section{"docs/start/troubleshooting.md#" + anchor, title, strings.TrimSpace(text),
		strings.Join(strings.Fields(fix), " ")}
}

// has reports whether a message has all words, in order.
func has(message string, words []string) bool {
	for _, w := range words {
		_, after, found := strings.Cut(message, strings.TrimSpace(w))
		if !found {
			return false
		}
		message = after
	}
	return true
}
