//go:build unix

package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/stretchr/testify/require"
)

var (
	link     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading  = regexp.MustCompile(`(?m)^#{1,6} (.+)$`)
	anchorID = regexp.MustCompile(`<a id="([^"]+)">`)
	noSlug   = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	// published is what promises that the module, or a package of it, can be had from somewhere else than a clone.
	published = regexp.MustCompile(`hookrun@(latest|v\d)|go (get|run|install) ` +
		`github\.com/hookrun|pkg\.go\.dev/github\.com/hookrun|` +
		`(brew|apt|npm|pip|pipx|uv|winget|scoop) (-\S+ )*(install|add) (-\S+ )*(hookrun|\./hookrun_)|` +
		`hookrun/releases|ghcr\.io/hookrun`)
)

// notYet is in CHANGELOG.md until the first version is published. Until then a page says the same before the first line
// that promises a version, and afterwards no page says it.
const notYet = "No version is published yet"

// prose returns a page without its blocks and inline code: neither has links.
func prose(text string) string {
	text = regexp.MustCompile("(?sm)^```.*?^```$").ReplaceAllString(text, "")
	return regexp.MustCompile("``[^\n]*?``|`[^`\n]*`").ReplaceAllString(text, "`")
}

// anchors returns what a link may name behind # on a page, as GitHub makes it of headings.
func anchors(text string) map[string]bool {
	known := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(regexp.MustCompile("(?sm)^```.*?^```$").ReplaceAllString(text, ""),
		-1) {
		known[strings.ReplaceAll(noSlug.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
	}
	for _, m := range anchorID.FindAllStringSubmatch(text, -1) {
		known[m[1]] = true
	}
	return known
}

// TestDocsLinks: every relative link and anchor leads somewhere, and every page can be reached from README.md.
func TestDocsLinks(t *testing.T) {
	root := binary.Repository(t)
	pages, targets := docPages(t), map[string][]string{}
	for _, page := range pages {
		text, err := os.ReadFile(filepath.Join(root, page))
		require.NoError(t, err)
		for _, m := range link.FindAllStringSubmatch(prose(string(text)), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			path, anchor, _ := strings.Cut(m[1], "#")
			file := page
			if path != "" {
				file = filepath.Join(filepath.Dir(page), path)
			}
			targets[page] = append(targets[page], file)
			_, err := os.Stat(filepath.Join(root, file))
			require.NoError(t, err, "%s links to %s", page, m[1])
			if anchor != "" {
				there, err := os.ReadFile(filepath.Join(root, file))
				require.NoError(t, err)
				require.True(t, anchors(string(there))[anchor], "%s links to %s, and no heading is called that", page,
					m[1])
			}
		}
	}
	reached, next := map[string]bool{"README.md": true}, []string{"README.md"}
	for len(next) > 0 {
		page := next[0]
		next = next[1:]
		for _, target := range targets[page] {
			if !reached[target] {
				reached[target] = true
				next = append(next, target)
			}
		}
	}
	for _, page := range pages {
		require.True(t, reached[page], "no link leads to %s", page)
	}
}

// TestIndex: the index leads at once to what new users have looked for in vain.
func TestIndex(t *testing.T) {
	index, err := os.ReadFile(filepath.Join(binary.Repository(t), "docs", "README.md"))
	require.NoError(t, err)
	const after = "start/troubleshooting.md#after-a-change-the-hooks-of--are-not-those-that-were-allowed"
	for question, target := range map[string]string{
		"Codex in CI":                     "clients/README.md#codex-in-ci",
		"nothing but some commands":       "start/cookbook.md#allow-nothing-but-a-list",
		"all is blocked after a git pull": after,
		"worktrees":                       "start/troubleshooting.md#a-linked-worktree",
		"the wheel":                       "start/install.md",
		"every variable":                  "reference/environment.md#variables-that-hookrun-reads",
		"one blocked call":                "reference/commands.md#approve",
		"an update":                       "start/install.md#upgrade",
	} {
		require.Contains(t, string(index), "]("+target+")", question)
	}
}

func requireNoPromise(t *testing.T, page, text string) {
	t.Helper()
	changes, err := os.ReadFile(filepath.Join(binary.Repository(t), "CHANGELOG.md"))
	require.NoError(t, err)
	if !strings.Contains(string(changes), notYet) {
		require.NotContains(t, text, notYet, "%s: CHANGELOG.md does not say so", page)
	} else if at := published.FindStringIndex(text); at != nil {
		require.Contains(t, text[:at[0]], notYet, "%s: say so before %q", page, text[at[0]:at[1]])
	}
}

// TestPublished: the expression knows the lines that install a version, and no line for a clone.
func TestPublished(t *testing.T) {
	for _, line := range []string{"go install github.com/hookrun/hookrun@latest", "go get github.com/hookrun/hookrun",
		"npm install -g hookrun", "pipx install hookrun", "sudo apt install ./hookrun_1.0.0_linux_amd64.deb",
		"scoop install https://github.com/hookrun/hookrun/releases/latest/download/hookrun.json",
		"COPY --from=ghcr.io/hookrun/hookrun:1.0.0 /hookrun /", "brew install hookrun"} {
		require.Regexp(t, published, line)
	}
	for _, line := range []string{"CGO_ENABLED=0 go install .", "go run . check", "hookrun install claude"} {
		require.NotRegexp(t, published, line)
	}
}

// TestArchitecture: the page says of each package what is in it.
func TestArchitecture(t *testing.T) {
	root := binary.Repository(t)
	page, err := os.ReadFile(filepath.Join(root, "docs", "develop", "architecture.md"))
	require.NoError(t, err)
	packages, err := os.ReadDir(filepath.Join(root, "internal"))
	require.NoError(t, err)
	for _, p := range packages {
		require.Regexp(t, "`(internal/)?"+p.Name()+"/", string(page))
	}
}

// TestMakefile: each target that people are told of is there, and what is handed on does not link the C library.
func TestMakefile(t *testing.T) {
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("there is no make")
	}
	for _, target := range []string{"build", "test", "test-all", "bench", "fuzz", "lint", "man", "release"} {
		dry := exec.Command("make", "-n", target)
		dry.Dir = binary.Repository(t)
		out, err := dry.CombinedOutput()
		require.NoError(t, err, "%s", out)
		if script := strings.TrimSpace(string(out)); strings.HasPrefix(script, "tools/") {
			info, err := os.Stat(filepath.Join(binary.Repository(t), script))
			require.NoError(t, err)
			require.NotZero(t, info.Mode()&0o100, "%s cannot be run", script)
		}
		if target == "build" {
			require.Contains(t, string(out), "CGO_ENABLED=0")
		}
	}
	text, err := os.ReadFile(filepath.Join(binary.Repository(t), "tools", "release.sh"))
	require.NoError(t, err)
	require.Contains(t, string(text), "export CGO_ENABLED=0")
}
