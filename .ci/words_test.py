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
print("ok")
