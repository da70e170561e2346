package hookfile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// hostileSize is what a file may have at most.
var hostileSize = 1 << 20

// hostile are files made to be slow: much of one kind, as large as a file may be. build says how.
var hostile = []struct {
	name  string
	good  bool
	build func() string
}{
	{"arrays never closed", false, func() string { return repeat("", "[", "") }},
	{"objects never closed", false, func() string { return repeat("", `{"x-":`, "") }},
	{"a text never closed", false, func() string { return repeat(`{"hooks":"`, "a", "") }},
	{"a fault at the end of a line of its own", false, func() string { return repeat("{}", " ", "x") }},
	{"a fault at the end of many lines", false, func() string { return repeat("", "\n", "x") }},
	{"many deep values", true, func() string {
		return repeat(`{"x-":[0`, ","+strings.Repeat("[", 62)+strings.Repeat("]", 62), "]}")
	}},
	{"many objects with many keys", true, func() string {
		return repeat(`{"x-":[0`,
			`,{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1,"l":1,"m":1,"n":1,"o":1,"p":1,"q":1}`,
			"]}")
	}},
	{"unknown keys in one line", false, func() string { return count("{", `"%x":1,`, `"x-":1}`) }},
	{"unknown keys in lines", false, func() string { return count("{", "\"%x\":1,\n", `"x-":1}`) }},
	{"near misses", false, func() string { return count(`{"hooks":[{`, `"evnt%x":1,`, `"x-":1}]}`) }},
	{"allowed keys", true, func() string { return count("{", `"x-%x":1,`, `"x-":1}`) }},
	{"equal keys", false, func() string { return repeat(`{"a":1`, `,"a":1`, "}") }},
	{"equal long keys", false, func() string { return repeat(`{"a":1`, `,"`+strings.Repeat("k", 1000)+`":1`, "}") }},
	{"equal fields", false, func() string { return repeat(`{"hooks":[{"name":"a"`, `,"name":"a"`, "}]}") }},
	{"one long key", false, func() string { return repeat(`{"`, "k", `":1}`) }},
	{"one long escaped key", true, func() string { return repeat(`{"x-`, `\u00e9`, `":1}`) }},
	{"one long key of other letters", true, func() string { return repeat(`{"x-`, "é", `":1}`) }},
	{"half characters", false, func() string { return repeat(`{"x-":"`, `\ud800`, `"}`) }},
	{"hooks in one line", true, func() string {
		return repeat(`{"hooks":[`+small, ","+small, "]}")
	}},
	{"empty hooks in one line", false, func() string { return repeat(`{"hooks":[{}`, ",{}", "]}") }},
	{"empty hooks in lines", false, func() string { return repeat(`{"hooks":[{}`, ",\n{}", "]}") }},
	{"bad hooks in one line", false, func() string { return repeat(`{"hooks":[0`, ","+bad, "]}") }},
	{"bad hooks in lines", false, func() string { return repeat(`{"hooks":[0`, ",\n"+bad, "]}") }},
	{"bad hooks over two lines", false, func() string {
		return repeat(`{"hooks":[0`, `,{"events":[1],`+"\n"+`"env":{"":1},"command":[1],"name":1}`, "]}")
	}},
	{"no hooks at all", false, func() string { return repeat(`{"hooks":[0`, ",0", "]}") }},
	{"wrong arguments", false, func() string {
		return repeat(`{"hooks":[{"name":"a","command":[0`, ",0", `],"events":["pre-tool"]}]}`)
	}},
	{"arguments", true, func() string {
		return repeat(`{"hooks":[{"name":"a","command":["a"`, `,""`, `],"events":["pre-tool"]}]}`)
	}},
	{"events", true, func() string {
		return repeat(`{"hooks":[{"name":"a","command":"a","events":["pre-tool"`, `,"pre-tool"`, "]}]}")
	}},
	{"unknown events", false, func() string {
		return repeat(`{"hooks":[{"name":"a","command":"a","events":[0`, `,"e"`, "]}]}")
	}},
	{"nearly events", false, func() string {
		return repeat(`{"hooks":[{"name":"a","command":"a","events":[0`, `,"pre-tol"`, "]}]}")
	}},
	{"many faults of a hook of a long name", false, func() string {
		return repeat(`{"hooks":[{"name":"`+strings.Repeat("n", hostileSize/2)+`","command":"a","events":[0`, ",0",
			"]}]}")
	}},
	{"variables without a name", false, func() string { return count(upTo(`"env":{`), `"=%x":1,`, `"A":"1"}}]}`) }},
	{"variables", true, func() string { return count(upTo(`"env":{`), `"%x":"1",`, `"A":"1"}}]}`) }},
	{"a matcher of many globs", true, func() string { return repeat(upTo(`"matcher":"`), "a|", `"}]}`) }},
	{"a matcher of no globs", false, func() string { return repeat(upTo(`"matcher":"`), "|", `"}]}`) }},
	{"a matcher of sets never closed", true, func() string { return repeat(upTo(`"matcher":"`), "[", `"}]}`) }},
	{"a matcher of one large set", true, func() string { return repeat(upTo(`"matcher":"[`), "a-z", `]"}]}`) }},
	{"a timeout of many digits", false, func() string { return repeat(upTo(`"timeout":`), "9", "}]}") }},
	{"a timeout of many parts", true, func() string { return repeat(upTo(`"timeout":"`), "1ns", `"}]}`) }},
}

const (
	small = `{"name":"a","command":"a","events":["pre-tool"]}`
	bad   = `{"nane":"","command":[],"events":["x"],"timeout":-1,"on_failure":{"timeuot":"x"},"env":{"":1}}`
)

// upTo is the start of a good file, up to one more field.
func upTo(field string) string { return strings.TrimSuffix(withField(field), "}]}") }

// repeat fills a file with one item.
func repeat(before, item, after string) string {
	return before + strings.Repeat(item, (hostileSize-len(before)-len(after))/len(item)) + after
}

// count fills a file with numbered items.
func count(before, format, after string) string {
	b := []byte(before)
	for n := 0; ; n++ {
		longer := fmt.Appendf(b, format, n)
		if len(longer)+len(after) > hostileSize {
			return string(b) + after
		}
		b = longer
	}
}

func TestHostileFiles(t *testing.T) {
	testall.Only(t, "takes seconds")
	for _, test := range hostile {
		t.Run(test.name, func(t *testing.T) {
			doc := test.build()
			require.LessOrEqual(t, len(doc), hostileSize)
			require.Greater(t, len(doc), hostileSize*99/100)
			var err error
			var text string
			quick(t, func() {
				if _, err = parts.All().Parse("f", []byte(doc)); err != nil {
					text = err.Error()
				}
			})
			require.Equal(t, test.good, err == nil, "%.1000s", text)
			// Nor may one megabyte become a gigabyte of messages.
			require.Less(t, len(text), 150*hostileSize)
		})
	}
}

func BenchmarkHostileFiles(b *testing.B) {
	for _, test := range hostile {
		b.Run(strings.ReplaceAll(test.name, " ", "_"), func(b *testing.B) {
			doc := []byte(test.build())
			b.SetBytes(int64(len(doc)))
			b.ReportAllocs()
			for b.Loop() {
				parts.All().Parse("f", doc)
			}
		})
	}
}
