//go:build !windows

package install

// HasShell says whether /bin/sh can run the script of an entry. If not, Entry.ByName has no effect.
const HasShell = true
