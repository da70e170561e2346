package trust

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWritten(t *testing.T) {
	for source, want := range map[string]string{
		"`which python3`": `"$(which python3)"`,
		"a`b`c`d`":        `"a$(b)c$(d)"`,
		"$( dirname $0 )": `"$(dirname $0)"`,
		"`a":              "\"`a\"",
		"`a \\`b\\` c`":   "\"`a \\\\`b\\\\` c`\"",
		"plain":           `"plain"`,
	} {
		require.Equal(t, want, written(word{Source: source}), source)
	}
	require.Equal(t, `"x"`, written(word{Text: "x"}))
}
