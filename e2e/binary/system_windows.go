package binary

import "regexp"

// programSuffix ends the name of a program.
const programSuffix = ".exe"

// ownFolders are variables with folders that each script has for itself.
var ownFolders = []string{"APPDATA", "LOCALAPPDATA"}

// goBuild is how Go writes the program of a package to a file.
func goBuild(flags, pkg, to string) []string {
	return []string{"build", "-trimpath", flags, "-o", to, pkg}
}

var (
	hashBang  = regexp.MustCompile(`(?m)^#!`)
	shellHook = regexp.MustCompile(`"command": *"`)
	unixTool  = regexp.MustCompile(`"command": *\[ *"(/|cat|echo|true|false|sh|touch|sleep|python3|node)`)
	unixCall  = regexp.MustCompile(`(?m)^(!? *exec|exits \d+) ` +
		`(sh|cat|chmod|touch|ln|env|python3|node|git|mkfifo|sleep) `)
	unixSystem = regexp.MustCompile(`(?m)^(!? *chmod|symlink|kill) |/dev/|/bin/`)
)

// cannotRun is why a script cannot run on Windows, as far as its text tells.
func cannotRun(script string) string {
	for _, needs := range []struct {
		what string
		says *regexp.Regexp
	}{
		{"scripts with a #! line", hashBang},
		{"a POSIX shell for its hooks", shellHook},
		{"programs of Unix", unixTool},
		{"programs of Unix", unixCall},
		{"modes, links or devices of Unix", unixSystem},
	} {
		if needs.says.MatchString(script) {
			return "needs " + needs.what + ", which Windows does not have"
		}
	}
	return ""
}
