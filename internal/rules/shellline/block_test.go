package shellline

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBlocks: what of a line may run not at all, several times or for its result.
func TestBlocks(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"a; b":                              "",
		"a && b":                            "follower b",
		"a || exit 2":                       `attempt a "exit 2", fallback exit 2 "exit"`,
		"a || { b; }":                       `attempt a "{ b; }", fallback { b; }, group { b; }`,
		"a | b":                             "pipe a | b",
		"! a":                               "negation ! a",
		"a &":                               "background a &",
		"( a )":                             "group ( a )",
		"x=$(a)":                            "captured (a)",
		"$(a) b":                            "captured (a)",
		"if a; then b; fi":                  "choice if a; then b; fi, condition a;",
		"case x in y) a;; esac":             "choice case x in y) a;; esac",
		"while a; do b; done":               "loop while a; do b; done",
		"for X in a \"$b\"; do sh $X; done": `loop do sh $X; done "X" [a "$b"]`,
		"f() { a; }":                        `function f() { a; } "f", group { a; }`,
	} {
		names := strings.Fields("group loop choice condition function captured pipe attempt fallback follower " +
			"negation background")
		var got []string
		for _, b := range Split(line).Blocks {
			text := names[b.Kind] + " " + line[b.At:b.End]
			if b.Text != "" {
				text += fmt.Sprintf(" %q", b.Text)
			}
			if b.Words != nil {
				var words []string
				for _, w := range b.Words {
					words = append(words, w.Source)
				}
				text += fmt.Sprint(" ", words)
			}
			got = append(got, text)
		}
		require.Equal(t, want, strings.Join(got, ", "), line)
	}
}

// TestAlone: assignments and redirections without a command are no commands.
func TestAlone(t *testing.T) {
	t.Parallel()
	line := Split("X=1; Y=2 a; <f; export Z=$X")
	require.Len(t, line.Commands, 2)
	require.Equal(t, 5, line.Commands[0].At)
	require.Equal(t, "Y=2", line.Commands[0].Env[0].Source)
	require.Equal(t, "Z=$X", line.Commands[1].Words[1].Source)
	require.Len(t, line.Alone, 2)
	require.Equal(t, "X=1", line.Alone[0].Env[0].Source)
	require.Equal(t, "f", line.Alone[1].Files[0].File.Text)
}

func TestUnusual(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"if a; then b=$c; fi <f >g 2>&1; [[ -x a ]]; for x in *; do a; done; export X": "",

		"a $'b'":                    "$'…'",
		"declare a":                 "declare",
		"a {b,c}":                   "braces",
		"a ${x:-{b,c}}":             "braces",
		"a {}":                      "",
		"[[ 1 -eq 2 ]]":             "[[ with -eq",
		"a {x}>b":                   "a redirection that sets a variable",
		"${!x}":                     "an expansion that is not known",
		"((x))":                     "a construct of a shell that is not known",
		"a=(b)":                     "a construct of a shell that is not known",
		"f() { a; }":                "a construct of a shell that is not known",
		"select x in a; do b; done": "a loop that is not known",
	} {
		require.Equal(t, want, strings.Join(Split(line).Unusual, ", "), line)
	}
	require.Equal(t, "a syntax error", Split("'").Unreadable)
}

// TestInput: the text of a here-document ends before the delimiter, and may be computed.
func TestInput(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]Word{
		"a <<'E'\n$b\nE":  {Text: "$b\n"},
		"a <<E\n$b\nE\nc": {Computed: true, Source: "<<\n$b\n"},
		"a <<< \"$b\"":    {Text: "$b", Computed: true, Source: `"$b"`},
	} {
		input := Split(line).Commands[0].Input
		require.NotNil(t, input, line)
		require.Equal(t, want, Word{Text: input.Text, Computed: input.Computed, Source: input.Source}, line)
	}
}

func TestParts(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		`a`:              `text "a"`,
		`a\ b'c'"d"`:     `text "a b", quoted text "c", quoted text "d"`,
		`"$a/b"`:         `quoted variable "a", quoted text "/b"`,
		`${a:-$b}`:       `variable "a" :- (variable "b")`,
		`$(c d)/x`:       `commands "c d", text "/x"`,
		"`c`":            `commands "c"`,
		`$((1))`:         `unclear ""`,
		`${#a}`:          `unclear ""`,
		`""`:             `quoted text ""`,
		"<<\n$a\\$\"b\"": `quoted variable "a", quoted text "$\"b\""`,
		`(`:              `unclear ""`,
	} {
		require.Equal(t, want, describe(Parts(source)), source)
	}
}

func describe(parts []Part) string {
	var all []string
	for _, p := range parts {
		text := fmt.Sprintf("%s %q", []string{"text", "variable", "commands", "unclear"}[p.Kind], p.Text)
		if p.Quoted {
			text = "quoted " + text
		}
		if p.Operator != "" {
			text += fmt.Sprintf(" %s (%s)", p.Operator, describe(p.Word))
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

func ExampleParts() {
	for _, p := range Parts(`"$HOME"/bin`) {
		fmt.Println(p.Kind == Variable, p.Text)
	}
	// Output:
	// true HOME
	// false /bin
}
