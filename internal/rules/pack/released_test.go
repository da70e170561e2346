package pack

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReleased holds each rule to testdata/released.txt, which has the rules that people rely on, with the version of
// the pack that introduced each. A pack without a version in a hooks file takes new rules with the next hookrun, and
// git@1 never does.
func TestReleased(t *testing.T) {
	file := filepath.Join("testdata", "released.txt")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	released, newest := map[string]int{}, map[string]int{} // by rule and by pack
	for line := range strings.Lines(string(text)) {
		var id string
		var since int
		_, err := fmt.Sscan(line, &id, &since)
		require.NoError(t, err, line)
		name, _, _ := strings.Cut(id, "/")
		released[id], newest[name] = since, max(newest[name], since)
	}
	changes, err := os.ReadFile(filepath.Join("..", "..", "..", "CHANGELOG.md"))
	require.NoError(t, err)

	for _, p := range All() {
		for i := range p.Rules {
			r := &p.Rules[i]
			id, since := p.ID(r), max(r.Since, 1)
			before, is := released[id]
			delete(released, id)
			require.LessOrEqual(t, since, p.Version, "%s: raise Version of the pack to its Since", id)
			for version := range 10 {
				wider := len(r.Wider(version)) > 0
				require.False(t, wider && (version <= since || version > p.Version), "%s: %d! in rules.txt", id,
					version)
			}
			if !is {
				next := newest[p.Name] + 1
				t.Errorf("%s is new, so it blocks calls of everybody who has \"packs\": [%q]. Set its Since and the "+
					"Version of the pack to %d, name the rule in CHANGELOG.md, and add the line \"%s %d\" to %s.",
					id, p.Name, next, id, next, file)
				continue
			}
			require.Equal(t, before, since, "%s: a released rule keeps its Since: \"%s@%d\" promises it", id, p.Name,
				before)
			if since > 1 {
				require.Contains(t, string(changes), id, "a rule after the first version is named in CHANGELOG.md")
			}
		}
	}
	require.Empty(t, released, "a hooks file may name a released rule in \"except\" or \"ask\": keep it")
}
