package strictjson_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

func TestEqual(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{`1`, `1.0`, true}, {`100e-2`, `1`, true}, {`0`, `-0`, true}, {`1`, `2`, false}, {`1`, `"1"`, false},
		{`9007199254740993`, `9007199254740992`, false}, {`9007199254740993`, `9007199254740993`, true},
		{`"\u0061"`, `"a"`, true}, {`"a"`, `"A"`, false}, {`null`, `false`, false}, {`true`, `true`, true},
		{`{"a":1,"b":[2]}`, `{"\u0062":[2.0],"a":1}`, true}, {`{"a":1}`, `{"a":1,"b":2}`, false},
		{`{"a":1,"b":2}`, `{"a":1}`, false},
		{`[1,2]`, `[2,1]`, false}, {`[1]`, `[1,2]`, false}, {`[1,2]`, `[1]`, false}, {`[]`, `{}`, false},
	} {
		require.Equal(t, test.want, strictjson.Equal(gjson.Parse(test.a), gjson.Parse(test.b)), "%s %s", test.a, test.b)
	}
}
