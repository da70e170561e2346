package cli

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// A command that has a flag takes it by both of its names.
func TestFlagsWithTwoNames(t *testing.T) {
	t.Parallel()
	for _, c := range commands() {
		for _, name := range []string{"session", "session-id", "agent", "agent-id"} {
			other := otherName(name)
			flags := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
			c.setup(flags)
			flag := flags.Lookup(name)
			if flag == nil {
				continue
			}
			require.Nil(t, flags.Lookup(other), "%s has --%s and --%s", c.name, name, other)
			require.NoError(t, parseFlags(flags, []string{"--" + other + "=x"}), c.name)
			require.True(t, flag.Changed, "%s --%s", c.name, other)
			require.Equal(t, "x", strings.Trim(flag.Value.String(), "[]"), "%s --%s", c.name, other)
			require.Contains(t, run("", c.name, "--help").out, "also --"+other, c.name)
		}
	}
}

func TestTwoValuesOfOneFlag(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	base := []string{"inject", "--state", state, "text"}
	with := func(flags ...string) ran { return run("", append(base, flags...)...) }
	require.Equal(t, 0, with("--session", "s", "--session-id", "s").exit)
	require.Equal(t, 0, with("--session", "r", "--session", "s").exit, "the last one counts, as ever")
	require.Equal(t, 0, with("--session-id", "s", "--agent", "a", "--agent-id", "b").exit, "it is repeatable")
	require.Equal(t, ran{1, "", `hookrun inject: --session "s" and --session-id "r" are two values of one flag; ` +
		"give one of the two (see hookrun inject --help)\n"}, with("--session", "s", "--session-id=r"))
	waiting := run("", "queue", "--session-id", "s", "--state", state).out
	require.Equal(t, 3, strings.Count(waiting, "\n"))
	require.Contains(t, waiting, " to a, b (")
}
