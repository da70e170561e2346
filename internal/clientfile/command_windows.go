package clientfile

import "path/filepath"

// HasShell says whether /bin/sh can run a script of an entry, so that Entry.ByName counts. It does not count here: for
// a colleague without hookrun the entry would fail open, without a word.
const HasShell = false

// quoteProgram writes a path that bash and cmd.exe both take: the first reads a backslash as an escape, the second a
// slash outside of quotes as a flag.
func quoteProgram(path string) string { return `"` + filepath.ToSlash(path) + `"` }

// shellEnd leaves it out: there is no one way to say it to bash, cmd.exe and PowerShell.
func shellEnd(string) string { return "" }
