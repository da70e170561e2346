//go:build !windows

package shellword

// Local quotes a word for a person to type into the shell of this system.
func Local(word string) string { return POSIX(word) }
