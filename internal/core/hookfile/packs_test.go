package hookfile_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/protocol"
)

// TestPacks: the rules of packs are hooks in front of the file's own, each with its name and the place of its pack.
func TestPacks(t *testing.T) {
	cfg, err := parts.All().Parse("f", []byte(`{"packs": ["git@1"],
		"except": ["git/no-skipped-checks"], "ask": ["git/no-lost-work"],
		"hooks": [{"name": "own", "block": "no", "events": ["pre-tool"]}]}`))
	require.NoError(t, err)
	decisions, last := map[string]protocol.Decision{}, ""
	for i := range cfg.Hooks {
		h := &cfg.Hooks[i]
		decisions[h.Name], last = h.Rule().Decision, h.Name
		require.Equal(t, h.Name == "git/no-skipped-checks", h.Disabled != "", h.Name)
		if h.PackRule() != nil {
			require.Equal(t, "f:1", h.Source())
		}
	}
	require.Equal(t, "own", last)
	require.Equal(t, protocol.Block, decisions["git/no-force-push"])
	require.Equal(t, protocol.Ask, decisions["git/no-lost-work"])
	require.Empty(t, cfg.Warned())
}

// TestObserve: a pack, a rule, a file and a hook can observe. A hook's own mode counts before the file's.
func TestObserve(t *testing.T) {
	for doc, want := range map[string][]string{
		`{"packs":["remote"],"observe":["remote/no-download-and-run"]}`: {"remote/no-download-and-run"},
		`{"packs":["remote"],"observe":["remote"]}`:                     {"remote/*"},
		`{"mode":"observe","packs":["remote"],"hooks":[HOOK]}`:          {"remote/*", "own"},
		`{"mode":"block","hooks":[HOOK]}`:                               nil,
		`{"mode":"observe","hooks":[BLOCKS]}`:                           nil,
		`{"hooks":[OBSERVES]}`:                                          {"own"},
	} {
		const own = `{"name":"own","block":"no","events":["pre-tool"]`
		doc := strings.NewReplacer("HOOK", own+"}", "BLOCKS", own+`,"mode":"block"}`,
			"OBSERVES", own+`,"mode":"observe"}`).Replace(doc)
		cfg, err := parts.All().Parse("f", []byte(doc))
		require.NoError(t, err, doc)
		for i := range cfg.Hooks {
			h := &cfg.Hooks[i]
			of, _, _ := strings.Cut(h.Name, "/")
			observes := slices.Contains(want, h.Name) || slices.Contains(want, of+"/*")
			require.Equal(t, observes, h.Observe, "%s: %s", doc, h.Name)
		}
	}
}

// TestObserveUntil: the last day of a hook counts before the last day of the file, and is for observing hooks alone.
func TestObserveUntil(t *testing.T) {
	january := []string{"own 2027-01-31"}
	for doc, want := range map[string][]string{ // "name last day", of observing hooks
		`{"observe_until":"2027-01-31","mode":"observe","hooks":[{HOOK}]}`: january,
		`{"observe_until":"2027-01-31","mode":"observe","hooks":[{HOOK,"observe_until":"2028-02-29"}]}`: {
			"own 2028-02-29"},
		`{"observe_until":"2027-01-31","hooks":[{HOOK,"mode":"observe"}]}`:                january,
		`{"hooks":[{HOOK,"mode":"observe","observe_until":"2027-12-31"}]}`:                {"own 2027-12-31"},
		`{"hooks":[{HOOK,"mode":"observe"}]}`:                                             {"own "},
		`{"observe_until":"2027-01-31","mode":"observe","hooks":[{HOOK,"mode":"block"}]}`: nil,
		`{"observe_until":"2027-01-31","mode":"observe"}`:                                 nil,
		`{"packs":["remote"],"observe":["remote/no-download-and-run"],"observe_until":"2027-01-31"}`: {
			"remote/no-download-and-run 2027-01-31"},
	} {
		doc := strings.ReplaceAll(doc, "HOOK", `"name":"own","block":"no","events":["pre-tool"]`)
		cfg, err := parts.All().Parse("f", []byte(doc))
		require.NoError(t, err, doc)
		requireAgreement(t, doc)
		var got []string
		for i := range cfg.Hooks {
			if h := &cfg.Hooks[i]; h.Observe {
				got = append(got, h.Name+" "+h.LastObserved())
			}
		}
		require.Equal(t, want, got, doc)
	}
	h := hook.Hook{Observe: true, ObserveUntil: time.Date(2027, 2, 1, 0, 0, 0, 0, time.UTC)}
	require.True(t, h.Observes(time.Date(2027, 1, 31, 23, 59, 59, 0, time.UTC)))
	require.False(t, h.Observes(time.Date(2027, 2, 1, 0, 0, 0, 0, time.UTC)))
	require.True(t, h.Observes(time.Date(2027, 2, 1, 0, 30, 0, 0, time.FixedZone("east", 3600))))
}

func TestObserveUntilFaults(t *testing.T) {
	const none = `"observe_until": no hook of this file only observes; add "mode": "observe", or leave it out`
	for doc, want := range map[string]string{
		`{"observe_until":"2027-02-30","mode":"observe"}`: `f:1:18: "observe_until" must be a day, as "2027-01-31", ` +
			`not "2027-02-30"`,
		`{"mode":"observe","observe_until":"31.1.2027"}`:              `must be a day`,
		`{"mode":"observe","observe_until":"2027-1-31"}`:              `must be a day`,
		`{"mode":"observe","observe_until":"2027-01-31T10:00:00Z"}`:   `must be a day`,
		`{"mode":"observe","observe_until":""}`:                       `must be a day`,
		`{"mode":"observe","observe_until":20270131}`:                 `must be a string, not a number`,
		`{"mode":"observe","observe_until":null}`:                     `must be a string, not null`,
		`{"observe_until":"2027-01-31"}`:                              "f:1:18: " + none,
		`{"observe_until":"2027-01-31","mode":"block"}`:               none,
		`{"observe_until":"2027-01-31","packs":["git"]}`:              none,
		`{"observe_until":"2027-01-31","packs":["git"],"observe":[]}`: none,
		`{"hooks":[{"name":"a","block":"b","events":["pre-tool"],"observe_until":"2027-01-31"}]}`: `f:1:73: hook ` +
			`"a": "observe_until" is for a hook that only observes; add "mode": "observe", or leave it out`,
		`{"mode":"observe","hooks":[{"name":"a","mode":"block","block":"b","events":["pre-tool"],` +
			`"observe_until":"2027-01-31"}]}`: "is for a hook that only observes",
		`{"mode":"observe","observe_untill":"2027-01-31"}`: `did you mean "observe_until"?`,
	} {
		_, err := parts.All().Parse("f", []byte(doc))
		require.ErrorContains(t, err, want, doc)
	}
}

func TestPackFaults(t *testing.T) {
	for doc, want := range map[string]string{
		`{"packs":["gti"]}`:   `f:1:11: "packs": there is no pack "gti"; there are `,
		`{"packs":["git@0"]}`: `f:1:11: "packs": "git" has no version "0"; it has 1 to 2`,
		`{"packs":["git@3"]}`: `has no version "3"`,
		`{"packs":["git@"]}`:  `has no version ""`,
		`{"packs":"git"}`: `f:1:10: "packs" must be a list of names of packs, as ["git", "secrets"], ` +
			`not a string`,
		`{"packs":[1]}`:             `a name in "packs" must be a string, not a number`,
		`{"packs":["git","git@1"]}`: `"packs" has "git" twice; leave one out`,
		`{"packs":["git"],"except":["git/no-force-pus"]}`: `"except": "git/no-force-pus" is no rule of the packs of ` +
			`this file; did you mean "git/no-force-push"?`,
		`{"packs":["git"],"observe":["gti"]}`: `"observe": "gti" is no rule of the packs of this file; did you ` +
			`mean "git"?`,
		`{"packs":["git"],"observe":["secrets"]}`: `"observe": "secrets" is no rule of the packs of this ` +
			`file; leave it out, or add "secrets" to "packs"`,
		`{"packs":["git"],"except":["git"]}`: `"git" is no rule of the packs of this file; leave the pack ` +
			`out of "packs"`,
		`{"mode":"observ"}`:             `f:1:9: "mode" must be "block" or "observe", not "observ"; did you`,
		`{"mode":true}`:                 `f:1:9: "mode" must be a string`,
		`{"hooks":[{"mode":"off"}]}`:    `hook 1: "mode" must be "block" or "observe", not "off"`,
		`{"ask":["git/no-force-push"]}`: `"ask": "git/no-force-push" is no rule of the packs of this file`,
	} {
		_, err := parts.All().Parse("f", []byte(doc))
		require.ErrorContains(t, err, want, doc)
	}
}

// TestPacksOfLevels: a file takes out rules of its own packs alone, and the packs of two files are no names that are
// there twice.
func TestPacksOfLevels(t *testing.T) {
	user, err := parts.All().Parse("user", []byte(`{"packs": ["git"]}`))
	require.NoError(t, err)
	project, err := parts.All().Parse("project", []byte(`{"packs": ["git"], "except": ["git/no-force-push"]}`))
	require.NoError(t, err)
	user.Add(project)
	require.Empty(t, user.Warned())
	active := 0
	for i := range user.Hooks {
		if h := &user.Hooks[i]; h.Name == "git/no-force-push" && h.Active() {
			active++
			require.Equal(t, "user:1", h.Source())
		}
	}
	require.Equal(t, 1, active)
}
