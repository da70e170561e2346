package spans

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSets(t *testing.T) {
	s := Union([]Span{{'x', 'z'}, {'b', 'c'}, {'a', 'a'}, {'y', 'y'}, {'c', 'e'}})
	require.Equal(t, Set{{'a', 'e'}, {'x', 'z'}}, s)
	require.Equal(t, Set{{0, 'a' - 1}, {'f', 'w'}, {'z' + 1, 200}}, s.Complement(200))
	require.Equal(t, s, s.Complement(200).Complement(200))
	require.Equal(t, Set{{0, 9}}, Set{}.Complement(9))
	require.Empty(t, Set{{0, 9}}.Complement(9))
	for r := range rune(200) {
		require.Equal(t, 'a' <= r && r <= 'e' || 'x' <= r && r <= 'z', s.Has(r), r)
		require.NotEqual(t, s.Has(r), s.Complement(200).Has(r), r)
	}
}
