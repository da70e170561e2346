package cli

// exampleCall is how a person types a call with arguments in JSON. Windows PowerShell loses the double quotes in an
// argument, and keeps them in what it pipes.
const exampleCall = `'{"command":"git push -f"}' | hookrun explain pre-tool --tool shell --args -`
