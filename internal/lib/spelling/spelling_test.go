package spelling_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/lib/spelling"
)

func TestSuggest(t *testing.T) {
	known := []string{"git/no-force-push", "git/no-lost-work", "claude", "codex", "files"}
	for wrong, want := range map[string]string{
		"no-force-push": `; did you mean "git/no-force-push"?`, "claude-code": `; did you mean "claude"?`,
		"codxe": `; did you mean "codex"?`, "force-push": "", "git": "", "web-x": "", "": "",
	} {
		require.Equal(t, want, spelling.Suggest(wrong, known), wrong)
	}
}

func TestBrief(t *testing.T) {
	for _, c := range []struct {
		text string
		most int
		want string
	}{
		{"", 4, ""}, {"four", 4, "four"}, {"fifth", 4, "fift…"}, {"aéé", 3, "aé…"}, {"aéé", 4, "aé…"}, {"🙂🙂", 3, "…"},
		{"\xff\xff\xff", 2, "\xff\xff…"},
	} {
		require.Equal(t, c.want, spelling.Brief(c.text, c.most), "%q", c.text)
	}
}
