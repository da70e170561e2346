//go:build !windows

package clientfile

// HasShell says whether /bin/sh can run a script of an entry, so that Entry.ByName counts.
const HasShell = true

func quoteProgram(path string) string { return quote(path) }

func shellEnd(s string) string { return s }
