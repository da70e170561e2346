package install

import (
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestOurs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("/opt is no absolute path")
	}
	const lookUp = `/bin/sh -c 'command -v hookrun >/dev/null || { echo "install it" >&2; exit 1; }; `
	answered, behind := shLine+"'"+shStart, entryMark+shAnswer+`echo "no answer" >&2; exit 2'`
	for command, want := range map[string]bool{
		`/opt/hookrun fire`:                                                 true,
		`/opt/hookrun fire || exit 2`:                                       true,
		`/opt/hookrun fire -o claude`:                                       true,
		`/opt/hookrun  fire --output=codex --dialect gemini`:                true,
		`'/opt/a b/hookrun' fire`:                                           true,
		`"/opt/a b/hookrun" fire`:                                           true,
		`/opt/a\ b/hookrun fire`:                                            true,
		`'/opt/it'\''s/hookrun' fire`:                                       true,
		`/opt/hookrun.exe fire`:                                             true,
		`/opt/hookrun fire --output codex --trust required --pin || exit 2`: true,
		`/opt/hookrun fire --pin --trust=off`:                               true,
		`/bin/sh -c 'exec /opt/hookrun fire --output codex'`:                true,
		lookUp + `exec hookrun fire -o claude' || exit 2`:                   true,
		lookUp + `exec hookrun fire --trust required' || exit 2`:            true,

		// as Install writes it now
		answered + `/opt/hookrun fire -o claude` + behind:       true,
		answered + `hookrun fire --before-allow block` + behind: true,
		answered + `hookrun fire` + behind + ` # before: {}`:    true,

		answered + `hookrun fire -c x` + behind:                                    false,
		answered + `./hookrun fire` + behind:                                       false,
		answered + `hookrun fire` + strings.Replace(behind, "exit 2'", "true'", 1): false,
		answered + `hookrun fire; true` + behind:                                   false,
		answered + `hookrun fire` + behind + `; true`:                              false,
		`true; ` + answered + `hookrun fire` + behind:                              false,

		`/bin/sh -c 'exec hookrun fire'`:                                            false,
		`/bin/sh -c 'exec /opt/hookrun fire; true'`:                                 false,
		`/bin/sh -c 'exec /opt/hookrun fire -c x'`:                                  false,
		lookUp + `exec hookrun fire -c x'`:                                          false,
		`/bin/sh -c 'command -v hookrun && ./gate.sh || exit 2; exec hookrun fire'`: false,
		lookUp + `exec hookrun fire || true'`:                                       false,
		lookUp + `hookrun fire'`:                                                    false,
		`/bin/sh -c 'true; exec hookrun fire'`:                                      false,
		lookUp + `exec hookrun fire'; true`:                                         false,

		`hookrun fire`:                         false, // by hand, from PATH
		`./hookrun fire`:                       false,
		`/opt/hookrun fire -c policy.json`:     false, // another policy than the project's
		`/opt/hookrun fire --on-failure block`: false,
		`/opt/hookrun fire -o`:                 false,
		`/opt/hookrun fire -o text`:            false,
		`/opt/hookrun fire --trust always`:     false,
		`/opt/hookrun fire --pin=false`:        false,
		`/opt/hookrun fire; true`:              false,
		`/opt/hookrun fire | tee log`:          false,
		`/opt/hookrun fire && true`:            false,
		`/opt/hookrun fire > log`:              false,
		`/opt/hookrun pre-tool`:                false,
		`/opt/hookrun`:                         false,
		`/opt/nothookrun fire`:                 false,
		`/opt/hookrun/x fire`:                  false,
		`X=1 /opt/hookrun fire`:                false,
		`"$HOME/hookrun" fire`:                 false,
		`'/opt/hookrun fire`:                   false,
		`'' fire`:                              false,
		``:                                     false,
	} {
		require.Equal(t, want, ours(command, ""), command)
	}
}

func TestRunsHookrun(t *testing.T) {
	for command, want := range map[string]bool{
		`/opt/hookrun fire --output claude || exit 2`: true,
		`'/opt/a b/hookrun' fire`:                     true,
		`hookrun fire`:                                true,
		`hookrun fire --on-failure block; true`:       true,
		`hookrun fire -c other.json`:                  false,
		`hookrun fire --config=other.json`:            false,
		`hookrun version`:                             false,
		`/bin/sh -c 'command -v hookrun || exit 1; exec hookrun fire -o claude' || exit 2`: true,
		`/bin/sh -c 'hookrun fire'`: false,
		`fire hookrun`:              false,
		`echo hookrun fire`:         false,
	} {
		require.Equal(t, want, RunsHookrun(command), command)
	}
}

func TestCommand(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("sh")
	}
	claude, _ := Lookup("claude")
	gemini, _ := Lookup("gemini")
	for _, folder := range []string{"/opt", "/opt/a b", "/opt/it's", "/opt/$(x)`y`", `/opt/a"b\c`, "/opt/é", "/opt/-x",
		"/opt/*?[a]~#&;|<>(){}!"} {
		binary := folder + "/hookrun"
		command, err := claude.Command(binary, []string{"-o", "claude"}, true)
		require.NoError(t, err)
		require.True(t, ours(command, ""), command)
		// A shell that runs it calls this program with these words.
		script, found := scriptOf(command)
		require.True(t, found)
		call, _, _ := strings.Cut(strings.TrimPrefix(script, shStart), shAnswer)
		out, err := exec.Command("sh", "-c", `set -- `+call+`; printf '%s\n' "$@"`).Output()
		require.NoError(t, err)
		require.Equal(t, binary+"\nfire\n-o\nclaude\n--entry\nmark\n", string(out))
	}
	for binary, want := range map[string]string{
		"hookrun":              "must be absolute",
		"/opt/\xff/hookrun":    "cannot be written",
		"/opt/a\nb/hookrun":    "cannot be written",
		"/opt/a\u0085/hookrun": "cannot be written",
	} {
		_, err := claude.Command(binary, nil, true)
		require.ErrorContains(t, err, want)
	}
	_, err := gemini.Command("/opt/$x/hookrun", nil, true)
	require.ErrorContains(t, err, "would take the $")
	_, err = claude.Command("/opt/hookrun", []string{"-c", "x"}, true)
	require.ErrorContains(t, err, "could not be told")
}

func TestTimeoutIsRoundedUp(t *testing.T) {
	for _, c := range jsonClients {
		e := entry(&c)
		e.Timeout = 1500*time.Millisecond + 1
		h, err := c.handler(e)
		require.NoError(t, err)
		require.Equal(t, map[int64]int64{60: 2, 60_000: 1501}[c.Timeout.Write(time.Minute)], h.timeout)
		e.Timeout = 1<<63 - 1
		h, err = c.handler(e)
		require.NoError(t, err)
		require.Less(t, c.Timeout.Read(float64(h.timeout)), (1<<31)*time.Millisecond,
			"more is none at all for a timer of JavaScript")
		e.Timeout = -1
		_, err = c.handler(e)
		require.Error(t, err)
		e.Timeout, e.Events = 0, nil
		_, err = c.handler(e)
		require.Error(t, err)
	}
}
