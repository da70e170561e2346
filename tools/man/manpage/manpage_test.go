package manpage

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestManPages(t *testing.T) {
	pages, err := All()
	require.NoError(t, err)
	require.Greater(t, len(pages), 20)
	for name, text := range pages {
		if name != "hookrun.1" {
			require.Contains(t, pages["hookrun.1"], roff(strings.TrimSuffix(name, ".1"))+"(1)")
			require.Contains(t, text, ".SH EXAMPLES\n")
		}
	}
	require.Contains(t, pages["hookrun-pre-tool.1"],
		".SS The hooks\n.TP\n\\fB\\-C, \\-\\-workspace DIR\\fR\nDIR of the project")
	require.Contains(t, pages["hookrun-get.1"], `write \e. for a point`)
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("no groff")
	}
	for name, text := range pages {
		lint := exec.Command(groff, "-man", "-Tutf8", "-ww", "-z")
		lint.Stdin = strings.NewReader(text)
		found, err := lint.CombinedOutput()
		require.NoError(t, err, name)
		require.Empty(t, string(found), name)
	}
}
