package stats

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A person reads which command was blocked, not that a shell was.
func TestAbout(t *testing.T) {
	for call, want := range map[string]string{
		`"args":{"command":"git push\n"}`:              "git push\n",
		`"args":{"command":"ls","timeout":5}`:          `{"command":"ls","timeout":5}`,
		`"args":{"paths":["a"]}`:                       `{"paths":["a"]}`,
		`"args":{}`:                                    "",
		`"args":"plain \u0007text"`:                    "plain \atext",
		`"args":[1]`:                                   "[1]",
		`"args_preview":"{\"long\":","args_size":9000`: `{"long":`,
		`"prompt":"do it"`:                             "do it",
		`"session_id":"s"`:                             "",
	} {
		line := `{"time":"2026-11-21T14:43:17Z",` + call +
			`,"outcome":{"event":"pre-tool","decision":"block","hooks":[]}}` + "\n"
		c, ok := ParseCall([]byte(line))
		require.True(t, ok, line)
		require.Equal(t, want, c.About, line)

		log, err := Open(write(t, line))
		require.NoError(t, err)
		defer log.Close()
		s, err := log.Summary(Filter{})
		require.NoError(t, err)
		require.Len(t, s.Blocks, 1)
		require.Equal(t, want, s.Blocks[0].About, line)
	}
}

// The texts for the model are shown as a person is shown them. A line of an older log has no such text.
func TestDisplays(t *testing.T) {
	c, ok := ParseCall([]byte(`{"time":"2026-11-21T14:43:17Z","outcome":{"event":"post-tool","decision":"continue",` +
		`"inject":[{"content":"a","display":"[INJECTION] a"},{"content":"b"},{"display":"[REMINDER] c"}],"hooks":[]}}`))
	require.True(t, ok)
	require.Equal(t, []string{"[INJECTION] a", "[REMINDER] c"}, c.Displays)
}
