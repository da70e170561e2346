//go:build unix

package cli

// exampleCall is how a person types a call with arguments in JSON.
const exampleCall = `hookrun explain pre-tool --tool shell --args '{"command":"git push -f"}'`
