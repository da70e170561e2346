package dialect_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
)

func TestInput(t *testing.T) {
	for args, want := range map[string]string{
		"":                              `{}`,
		" \n":                           `{}`,
		"not json":                      `"not json"`,
		`{"a":`:                         `"{\"a\":"`,
		"[1, 2]":                        `[1,2]`,
		"12":                            `12`,
		"null":                          `null`,
		"\"\xff\"":                      "\"\ufffd\"",
		`{"n":12345678901234567890.10}`: `{"n":12345678901234567890.10}`,
		`{"b":1,"a":"x","b":{"c":2}}`:   `{"a":"x","b":{"c":2}}`,
		`{"b":1,"b":"\u2028\b"}`:        "{\"b\":\"\u2028\\b\"}",
		`{"b":1,"\u0062":"<&>"}`:        `{"b":"<&>"}`,
	} {
		c := dialect.Call{Tool: "t", Args: args}
		got, warnings, err := c.Input()
		require.NoError(t, err)
		require.Equal(t, want, string(got), args)
		require.Equal(t, strings.Count(args, "b\":")+strings.Count(args, "62\":") > 1, len(warnings) == 1, args)
	}
	c := dialect.Call{Args: strings.Repeat("[", 10_000)}
	_, _, err := c.Input()
	require.ErrorContains(t, err, "nested more than 9999 deep")
}
