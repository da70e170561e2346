package install

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAppendTo(t *testing.T) {
	objects := []string{`{"a":[1,2],"b":"x"}`}
	const inLines = "{\n  \"l\": [\n    {\n      \"a\": [1, 2],\n      \"b\": \"x\"\n    }\n  ]\n}"
	for text, want := range map[string]string{
		"":                         inLines + "\n",
		"{}":                       inLines,
		"{\n  \"l\": []\n}":        inLines,
		"{\n  \"l\": [\n  ]\n}":    inLines,
		`{"l":[]}`:                 `{"l":[{"a":[1, 2],"b":"x"}]}`,
		`{"l":[{}]}`:               `{"l":[{},{"a":[1, 2],"b":"x"}]}`,
		`{ "x": 1 }`:               `{ "x": 1, "l": [{"a": [1, 2], "b": "x"}] }`,
		"\ufeff{\"\\u006c\":[{}]}": "\ufeff{\"\\u006c\":[{},{\"a\":[1, 2],\"b\":\"x\"}]}",
		"{\r\n\t\"l\": [\r\n\t\t{}\r\n\t]\r\n}": "{\r\n\t\"l\": [\r\n\t\t{},\r\n\t\t{\r\n\t\t\t\"a\": [1, " +
			"2],\r\n\t\t\t\"b\": \"x\"\r\n\t\t}\r\n\t]\r\n}",
	} {
		got, err := AppendTo(text, "l", objects)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := AppendTo("{", "l", objects)
	require.Error(t, err)
}
