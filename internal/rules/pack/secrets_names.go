package pack

import "github.com/hookrun/hookrun/internal/lib/secret"

// isSecret reports whether a path with slashes names a file of secrets, and mayBeSecret whether a glob seems to.
func isSecret(file string) bool    { return secret.File(file) }
func mayBeSecret(glob string) bool { return secret.Glob(glob) }

// filled returns a glob with an x for each wildcard.
func filled(glob string) string { return secret.Filled(glob) }
