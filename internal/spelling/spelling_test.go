package spelling_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/spelling"
)

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
