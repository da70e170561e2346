package shellline

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTables holds the tables to what lookUp needs: the order of the names, and rows that others refer to.
func TestTables(t *testing.T) {
	for _, table := range [][]program{launchers, interpreters} {
		for i, p := range table {
			require.True(t, i == 0 || table[i-1].name < p.name, p.name)
			found, ok := lookUp(table, p.name)
			require.True(t, ok, p.name)
			require.Empty(t, found.as)
			if group, _, ok := cutLast(p.name); ok && table[i].as == "" && !strings.HasPrefix(p.name, "bun ") {
				parent, ok := lookUp(table, group)
				require.True(t, ok && parent.group, p.name)
			}
			_, other := otherLauncher(p.name)
			require.False(t, other, p.name)
			for option := range strings.FieldsSeq(p.idle + " " + p.lines) {
				known := len(option) == 1 && strings.Contains(p.short, option) ||
					strings.Contains(" "+p.long+" ", " "+option)
				require.True(t, known || p.texts != "", "%s %s", p.name, option)
			}
		}
	}
	for name, want := range map[string]string{"/usr/bin/git": "git", "npx.cmd": "npx", "NODE.EXE": "NODE", "a.b": "a.b",
		".exe": ".exe", "x.bat": "x", "": ""} {
		require.Equal(t, want, programName(name), name)
	}
	require.Zero(t, testing.AllocsPerRun(10, func() { programOf("python3.12"); programOf("git") }))
}

func cutLast(name string) (before, last string, ok bool) {
	i := strings.LastIndexByte(name, ' ')
	return name[:max(i, 0)], name[i+1:], i > 0
}
