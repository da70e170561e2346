//go:build unix

package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// The most that README.md and docs/ may have. Each word is one that somebody has to read, and to keep true.
const (
	maxWords      = 44_000
	maxPages      = 48
	maxPageWords  = 1800
	maxPageLines  = 300
	maxReadme     = 170 // lines
	sentenceWords = 8   // a shorter sentence may stand on two pages
)

func isReaders(page string) bool { return page == "README.md" || strings.HasPrefix(page, "docs/") }

// TestDocsSizes: README.md is two screens, a page can be read at one sitting, all pages in three hours, and no line
// promises a version that is not published.
func TestDocsSizes(t *testing.T) {
	words, pages := 0, 0
	for _, page := range docPages(t) {
		text, err := os.ReadFile(filepath.Join(binary.Repository(t), page))
		require.NoError(t, err)
		limit := maxPageLines
		if page == "README.md" {
			limit = maxReadme
		}
		require.LessOrEqual(t, strings.Count(string(text), "\n"), limit, page)
		if isReaders(page) {
			count := len(strings.Fields(string(text)))
			require.LessOrEqual(t, count, maxPageWords, page)
			words, pages = words+count, pages+1
		}
		if page != "docs/reference/pack-rules.md" { // it has commands that rules are tried on
			requireNoPromise(t, page, string(text))
		}
		inBlock := false
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "```") {
				inBlock = !inBlock
			}
			if !inBlock && !strings.HasPrefix(strings.TrimSpace(line), "|") {
				require.LessOrEqual(t, utf8.RuneCountInString(line), 121, "%s: %s", page, line)
			}
		}
	}
	require.LessOrEqual(t, words, maxWords, "words of README.md and docs/")
	require.LessOrEqual(t, pages, maxPages, "pages of README.md and docs/")
}

var (
	linked = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	fenced = regexp.MustCompile("(?sm)^```.*?^```$")
	endOf  = regexp.MustCompile(`[.:;?!]\**(\s+|$)|\s\|\s?|\n\n|\n[*#|]`)
	wordOf = regexp.MustCompile(`[\p{L}\p{N}_$/-]+`)
)

// sentencesOf returns the sentences of a page, cells of tables too, each as its words.
func sentencesOf(text string) (all []string) {
	text = linked.ReplaceAllString(fenced.ReplaceAllString(text, ""), "$1")
	for _, s := range endOf.Split(text, -1) {
		all = append(all, strings.Join(wordOf.FindAllString(strings.ToLower(s), -1), " "))
	}
	return all
}

// TestNoSentenceTwice: a sentence stands on one page, since a fact that stands on two is changed on one.
func TestNoSentenceTwice(t *testing.T) {
	require.Equal(t, []string{"a b", "c", "d e", "f"}, sentencesOf("A [b](c.md). C:\n\n| D e | f |")[:4])
	pageOf := map[string]string{}
	for _, page := range docPages(t) {
		if !isReaders(page) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(binary.Repository(t), page))
		require.NoError(t, err)
		for _, s := range sentencesOf(string(text)) {
			if strings.Count(s, " ")+1 < sentenceWords {
				continue
			}
			if other := pageOf[s]; other != "" && other != page {
				t.Errorf("%s and %s both say: %s", other, page, s)
			}
			pageOf[s] = page
		}
	}
	require.Greater(t, len(pageOf), 500)
}
