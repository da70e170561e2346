package shellline

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// commandsOf returns the commands that a line runs, as texts.
func commandsOf(line string) (all []string) {
	read := Split(line)
	for _, c := range read.Unwrap(line, nil).Commands {
		all = append(all, c.Text)
	}
	return all
}

// TestFill has lines with variables, and a command that each runs because the line has the values.
func TestFill(t *testing.T) {
	for line, want := range map[string]string{
		`sh -c 'a "$1"' x /`:                          "a /",
		`sh -c 'a $0' /`:                              "a /",
		`sh -c '"$@"' x a -f`:                         "a -f",
		`sh -c 'b "$@"' x a -f`:                       "b a -f",
		`sh -c 'eval "$*"' x a -f`:                    "a -f",
		`bash -c 'bash -c "a $1"' x -f`:               "a -f",
		`xargs sh -c 'a "$1"' x -f`:                   "a -f",
		`sudo -u me sh -c 'a "$1"' x -f`:              "a -f",
		`f() { a "$1"; }; f -f`:                       "a -f",
		`f() { local d=$1; a "$d/b"; }; f /c`:         "a /c/b",
		`f() { g "$2"; }; g() { a $1; }; f x -f`:      "a -f",
		`f() { bash -c "a $1"; }; f -f`:               "a -f",
		`f() { "$@"; }; f a -f`:                       "a -f",
		`set -- -f; a "$1"`:                           "a -f",
		`set -- a -f; "$@"`:                           "a -f",
		`set -eu; set -- b -f; shift; a "$1"`:         "a -f",
		`set -- / /b; for d; do a "$d"; done`:         "a / /b",
		`set -- / /b; for d in "$@"; do a "$d"; done`: "a / /b",
		`for d in / /b; do a -r $d; done`:             "a -r /b",
		`D=/; a -r $D`:                                "a -r /",
		`D=/c; a -r "$D/b"`:                           "a -r /c/b",
		`D=/; E=$D; F=${E}b; a "$F"`:                  "a /b",
		`F=f; a -$F`:                                  "a -f",
		`C="a -f"; $C b`:                              "a -f b",
		`C="a -f | b"; eval "$C"`:                     "a -f",
		`X=-f; bash -c "a $X"`:                        "a -f",
		`export X=-f; bash -c 'a $X'`:                 "a -f",
		`env X=-f bash -c 'a $X'`:                     "a -f",
		`A=(b -f); a "${A[@]}"`:                       "a b -f",
		`f() { a "${@:2}"; }; f 1 -f 3`:               "a -f 3",
		`a ${X:--f}`:                                  "a -f",
		`X=1; a ${X:+-f}`:                             "a -f",
		`a "$(echo -)f"`:                              "a -f",
		"a `printf %s -f`":                            "a -f",
		`X=$(echo -f); a $X`:                          "a -f",
		`if b; then X=-f; else X=-g; fi; a $X`:        "a -g",
		`A=1; A=2; B=3; a $A $B $A`:                   "a 2 3 2",
		`D=~/b; a "$D"`:                               "a ~/b",
		`X="it's"; a "$X"`:                            "a it's",
		`trap 'a "$X"' EXIT; X=-f`:                    "a -f",
		`X=-f timeout 5 a; timeout 5 a $X`:            "a -f",
		`declare -r X=-f; a $X`:                       "a -f",
	} {
		assert.Contains(t, commandsOf(line), want, line)
	}
	for line, not := range map[string]string{
		`D=/; a '$D'`:                     "a /",
		`sh -c 'b "$1"' x a; c /`:         "c a",
		`f() { a "$1"; }; b -f`:           "a -f",
		`D=$(b); a "$D"`:                  "a b",
		`for f in *.txt; do a "$f"; done`: "a *.txt",
		`X=-f; a ${X%f}`:                  "a -f",
		`bash -c 'a "$1"'; f -f`:          "a -f",
	} {
		assert.NotContains(t, commandsOf(line), not, line)
	}
}
