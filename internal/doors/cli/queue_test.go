package cli

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

func TestQueueOfAllSessions(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	hookrun := func(args ...string) ran { return run("", append(args, "--state", state)...) }
	require.Equal(t, ran{}, hookrun("queue"))
	require.Equal(t, ran{out: `{"version":1,"sessions":[]}` + "\n"}, hookrun("queue", "-o", "json"))

	hookrun("inject", "--session", "s1", "for all")
	hookrun("inject", "--session", "s1", "--agent", "a", "for a")
	hookrun("inject", "--session", "s2", "for all")
	hookrun("inject", "--session", "bad\x1b[2J\nid", "for all")
	hookrun("post-tool", "--session", "s1", "--agent", "a", "--tool", "shell", "-C", t.TempDir())
	hookrun("drain", "--session", "s1", "--agent", "b")
	hookrun("post-tool", "--session", "s2", "--tool", "shell", "-C", t.TempDir())
	hookrun("inject", "--session", "s2", "--agent", "c", "by file")
	hookrun("drain", "--session", "s2", "--agent", "c", "--suppress")

	list := hookrun("queue")
	require.Zero(t, list.exit)
	require.Equal(t, "bad�[2J�id: 1 waiting, last used …\n"+
		"s1: 0 waiting, last used …, read by a (2), b (1)\n"+
		"s2: 0 waiting, last used …, read by the agent without a name (1)\n",
		regexp.MustCompile(`[0-9]{4}-[0-9-]+ [0-9:]{8}`).ReplaceAllString(list.out, "…"))
	json := hookrun("queue", "-o", "json").out
	require.Equal(t, `["bad\u001b[2J\nid","s1","s2"]`, gjson.Get(json, "sessions.#.session").Raw)
	require.Equal(t, `[1,0,0]`, gjson.Get(json, "sessions.#.waiting").Raw)
	require.Equal(t, `["a","b"]`, gjson.Get(json, "sessions.1.readers.#.agent").Raw)
	require.Equal(t, gjson.Get(json, "sessions.1.last").Time(), gjson.Get(json, "sessions.1.readers.1.last").Time())

	// Of one session, who has read is in the JSON, and at the end of the history.
	require.NotContains(t, hookrun("queue", "--session", "s1").out, "read by")
	for _, args := range [][]string{{"queue"}, {"queue", "--history"}} {
		json := hookrun(append(args, "--session", "s1", "-o", "json")...).out
		require.Equal(t, `[2,1]`, gjson.Get(json, "readers.#.texts").Raw, "%v", args)
	}
	require.Regexp(t, `\nread by a \(2\), b \(1\)\n$`, hookrun("queue", "--session", "s1", "--history").out)

	for _, flag := range []string{"--history", "--pop-latest", "--clear"} {
		require.Contains(t, hookrun("queue", flag).err, "--session is missing")
	}
	require.Contains(t, hookrun("queue", "-o", "yaml").err, "is not one of text, json")
	require.Contains(t, hookrun("queue", "s1").err, `unexpected argument "s1"`)
	require.Contains(t, run("", "queue", "--state", "").err, "--state is empty")
}
