#!/usr/bin/env python3
"""Tests of .ci/words: it finds what it counts, and nothing else."""
import importlib.machinery
import importlib.util
import os

loader = importlib.machinery.SourceFileLoader("words", os.path.join(os.path.dirname(os.path.abspath(__file__)), "words"))
spec = importlib.util.spec_from_loader("words", loader)
words = importlib.util.module_from_spec(spec)
loader.exec_module(words)

GO = '''// Package a does that.
//
//	it := a.That() // it is no sentence
package a

// F returns "it" and says which.
//go:noinline
func F() string { // nobody knows
	return "// it is no comment" + `// nor that` + 'x'
}

/* What it is. */
'''
found = words.comments(GO)
assert found == [" Package a does that.", ' F returns "it" and says which.', " nobody knows", " What it is. "], found
assert words.count(found) == (6, 15), words.count(found)
assert words.BEGINNINGS.match("What it is.") and not words.BEGINNINGS.match("Whatever")
PAGE = "A page that has it.\n\n```sh\nit that which\n```\n\n| it | `that` |\n\n[none](that.md) https://that.which\n"
assert words.count(words.page(PAGE)) == (5, 8), words.count(words.page(PAGE))
assert words.sentences("One. Two: three (four).") == ["One.", "Two: three (four)."]

SECONDS = ["guard: say hook", "holds: say block, keep, apply or contain"]
assert words.seconds("a guard that holds a call") == SECONDS, words.seconds("a guard that holds a call")
assert words.seconds("Mended, at a Door.") == ["Mended: say fix", "Door: say the name of the part"]
NAMES = "--pin, guard.sh, gates/**, no-gate-commands, $GATE, Options.Pin, `gate a call`, \"gate\", 'pin', an AsyncGate, holder"
WITHOUT = words.NAMES.sub("NAME", NAMES)
assert words.seconds(WITHOUT) == [], words.seconds(WITHOUT)
assert words.literals("a.go", GO) == ["// it is no comment", "// nor that"], words.literals("a.go", GO)
PYTHON = '"""A page."""\nx = f"a {y} gate"\ndef f():\n    """Of f."""\n    return "one word", "word"\n'
assert words.literals("a.py", PYTHON) == ["a ", " gate", "one word"], words.literals("a.py", PYTHON)
assert words.literals("a.js", "x('a b', `c ${d} e`) // f g\n") == ["a b", "c ${d} e"]
RULES = "# a\nwhy A reason\n\tof two lines.\n! git push\n\tx\nlimits No more.\n= ls\n"
assert words.of_rules(RULES) == ["why A reason\n\tof two lines.", "limits No more."], words.of_rules(RULES)
PROSE = "A `gate` and [a link](guard.md#hold) of\n``a ` pin``.\n\n  ```sh\n  guard\n  ```\n\n| door |\n"
assert words.prose(PROSE) == ["A CODE and [a link] of\nCODE.", "| door |\n"], words.prose(PROSE)
print("ok")
