package shellline

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestFlow has lines, and the steps in which a shell runs their commands.
func TestFlow(t *testing.T) {
	for line, want := range map[string]string{
		"a":                                    "a",
		"a; b\nc":                              "(a b c)",
		"a && b && c; d":                       "((a && b && c) d)",
		"a && b || c && d":                     "(((a && b) || c) && d)",
		"a || { b; exit 1; }":                  "(a || (b exit 1))",
		"! a && b":                             "(!(a) && b)",
		"a | b | c && d":                       "((a | b | c) && d)",
		"(a; b) && c":                          "(sub(a b) && c)",
		"{ a; b; }":                            "(a b)",
		"a & b":                                "(times(a) b)",
		"if a; then b; elif c; then d; fi":     "if(a b c d)",
		"if a && b; then c; d; else e; fi":     "if((a && b) (c d) e)",
		"while a; do b; done; c":               "(times(a b) c)",
		"for x in 1 2; do a; done":             "times(a)",
		"case $x in 1) a;; *) b; c;; esac":     "(maybe(a) maybe(b c))",
		"f() { a; }; f":                        "(times(a) f)",
		"x=$(a || b) && c":                     "(sub((a || b)) && c)",
		"a $(b) <(c)":                          "(sub(b) sub(c) a $() /dev/fd/63)",
		"time a && b":                          "(time a{a} && b)",
		"sudo a -x && b":                       "(sudo a -x{a -x} && b)",
		"bash -c 'a && b; c'; d":               "(bash -c a && b; c{((a && b) c)} d)",
		"nice sh -c 'eval \"a||b\"'":           "nice sh -c eval \"a||b\"{sh -c eval \"a||b\"{eval a||b{(a || b)}}}",
		"x=1":                                  "()",
		"":                                     "()",
		"x=1 && a":                             "(() && a)",
		"[[ -f x ]] && a":                      "([[ -f x ]] && a)",
		"find . -exec a {} \\;":                "find . -exec a {} ;{a {}}",
		"{ a && b; } && c || d":                "((a && b && c) || d)",
		"a && (exit 1) || b":                   "((a && sub(exit 1)) || b)",
		"set -e; a > f 2>&1; trap 'b' EXIT; c": "(set -e a trap b EXIT{b} c)",
	} {
		read := Split(line)
		unwrapped := read.Unwrap(line, nil)
		var render func(s *Step) string
		render = func(s *Step) string {
			parts := make([]string, len(s.Parts))
			for i, part := range s.Parts {
				parts[i] = render(part)
			}
			begin := map[StepKind]string{Inverse: "!", Branches: "if", Optional: "maybe", Repeated: "times",
				Subshell: "sub"}[s.Kind]
			between := map[StepKind]string{Both: " && ", Either: " || ", Pipeline: " | "}[s.Kind]
			if between == "" {
				between = " "
			}
			inside := strings.Join(parts, between)
			switch {
			case s.Kind != Single:
				return begin + "(" + inside + ")"
			case inside != "":
				return unwrapped.Commands[s.Command].Text + "{" + inside + "}"
			}
			return unwrapped.Commands[s.Command].Text
		}
		assert.Equal(t, want, render(unwrapped.Flow), line)
	}
}
