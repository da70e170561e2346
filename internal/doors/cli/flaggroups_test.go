package cli

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// TestFlagGroups: a command's help has each of its flags once, and a heading names flags that are there.
func TestFlagGroups(t *testing.T) {
	stale := map[string]bool{}
	for _, g := range flagGroups {
		for _, name := range g.flags {
			require.NotContains(t, stale, name, "it stands in two groups")
			stale[name] = true
		}
	}
	for _, c := range commands() {
		flags := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
		c.setup(flags)
		help, n := c.help(flags), 0
		flags.VisitAll(func(f *pflag.Flag) {
			delete(stale, f.Name)
			if !f.Hidden {
				require.Equal(t, 1, strings.Count(help, "\n  -"+f.Shorthand+", --"+f.Name+" ")+
					strings.Count(help, "\n      --"+f.Name+" ")+strings.Count(help, "\n      --"+f.Name+"[="), f.Name)
				n++
			}
		})
		shown := 0
		for _, g := range groupsOf(flags) {
			require.Contains(t, help, "\n\n"+g.title+":\n")
			shown += len(g.flags)
		}
		require.Equal(t, n, shown, c.name)
	}
	require.Empty(t, stale, "no command has these flags")
}
