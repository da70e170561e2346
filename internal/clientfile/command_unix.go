//go:build !windows

package clientfile

func quoteProgram(path string) string { return quote(path) }

func shellEnd(s string) string { return s }
