package cli

// exampleCall is how a person types a call with arguments in JSON. Windows PowerShell drops the double quotes in an
// argument, but not in piped text.
const exampleCall = `'{"command":"git push -f"}' | hookrun explain pre-tool --tool shell --args -`
