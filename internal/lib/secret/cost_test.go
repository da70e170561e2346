package secret

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// What makes a scanner look far ahead again and again costs no more than its length.
func TestCostIsLinear(t *testing.T) {
	for name, piece := range map[string]string{
		"quotes": `"`, "names": `token `, "opened": `token="`, "colons": `:`, "blanks": "token        ",
		"urls": `a://`, "backslashes": `\`,
		"escaped": `\"`, "objects": `{"token":{`, "arrays": `[`, "keys": `{"tokens":`, "flags": `--token `,
		"bearer": `bearer `, "pem": "-----BEGIN ",
		"at": "a://b@", "brackets": `"token":[`, "equals": "token=",
		"elements": "<token>", "blocks": "token: |\n ", "lines": "token.x:1", "folders": "pwd=\"",
		"pairs": `{"name":"token",`,
		"words": `token='a'b`, "capitals": "aB", "mixed": `token:\"'`,
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Repeat(piece, testall.Of(1<<18, 1<<20)/len(piece))
			var c Cleaner
			begin := time.Now()
			c.Text(text, len(text))
			c.JSON(nil, text, len(text))
			require.Less(t, time.Since(begin), 30*time.Second, "the square of it would take hours")
		})
	}
}
