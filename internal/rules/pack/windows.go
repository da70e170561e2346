package pack

import (
	"path"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/rules/shellline"
)

// statement is a command of cmd.exe or PowerShell: the words without quotes, with backslashes.
type statement []string

// windowsPrograms are the programs whose paths are read as in a Windows shell.
const windowsPrograms = "add-content attrib clc clear-content cmd copy copy-item cpi del echo erase gc get-content " +
	"gci icacls mi more move move-item new-item ni out-file rd ren rename-item remove-item ri rmdir robocopy rni sc " +
	"select-string set-content sls tee-object type xcopy"

// addWindows adds the commands of a line as a Windows shell reads it: commands after cmd /c, and commands with a
// backslash or a Windows variable in a path. Readers for other shells take the backslash for an escape.
func (c *Call) addWindows(line string) {
	if !strings.ContainsAny(line, `\%`) && !strings.Contains(line, "$env:") && !strings.Contains(line, "cmd") {
		return
	}
	for _, s := range splitStatements(line) {
		if text := s.innerLine(); text != "" {
			for _, inner := range addStatements(nil, text, 0) {
				c.addStatement(inner)
			}
		} else if shellline.InList(windowsPrograms, strings.ToLower(s.program())) {
			c.addStatement(s)
		}
	}
}

func (c *Call) addStatement(s statement) {
	words := make([]string, 0, len(s))
	for _, w := range s {
		words = append(words, slashedWord(w))
	}
	text := strings.Join(words, " ")
	line := shellline.Split(text)
	c.addLine(line.Unwrap(text, nil))
}

// slashedWord returns a word with slashes, ~ for a home, and quotes if needed.
func slashedWord(w string) string {
	w = strings.ReplaceAll(w, `\`, "/")
	lower := strings.ToLower(w)
	for _, k := range windowsFolders {
		if rest := strings.TrimPrefix(lower, k[0]); k[1] == "~" && rest != lower && (rest == "" || rest[0] == '/') {
			return "~" + quotedWord(w[len(k[0]):])
		}
	}
	if strings.Trim(w, "<>0123456789") == "" {
		return w
	}
	return quotedWord(w)
}

func quotedWord(w string) string {
	special := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') &&
			!strings.ContainsRune("/.:_-+=@%*?~", r)
	}
	if strings.IndexFunc(w, special) < 0 {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", "") + "'"
}

// windowsLines returns the commands of the lines in lower case, split as in cmd.exe and PowerShell, where a backslash
// is not an escape. It skips lines without any of the words.
func (c *Call) windowsLines(with ...string) (all []statement) {
	for _, line := range c.lines {
		if slices.ContainsFunc(with, func(word string) bool { return strings.Contains(line, word) }) {
			all = addStatements(all, line, 0)
		}
	}
	return all
}

// addStatements adds the commands of a line, and the commands inside cmd /c or powershell -c.
func addStatements(all []statement, line string, depth int) []statement {
	const deepest, most = 3, 256
	for _, s := range splitStatements(line) {
		if len(all) == most {
			break
		}
		all = append(all, s)
		if text := s.innerLine(); text != "" && depth < deepest {
			all = addStatements(all, text, depth+1)
		}
	}
	return all
}

// innerLine returns the text that cmd or PowerShell runs, or "".
func (s statement) innerLine() string {
	switch strings.ToLower(s.program()) {
	case "cmd", "powershell", "pwsh":
		i := slices.IndexFunc(s, func(w string) bool {
			w = strings.ToLower(w)
			return w == "/c" || w == "/k" || strings.HasPrefix(w, "-c")
		})
		if i > 0 {
			return strings.Join(s[i+1:], " ")
		}
	}
	return ""
}

func splitStatements(line string) (all []statement) {
	var words statement
	var word strings.Builder
	inWord, quote := false, rune(0)
	endWord := func() {
		if inWord {
			words = append(words, word.String())
		}
		word.Reset()
		inWord = false
	}
	end := func() {
		if endWord(); len(words) > 0 {
			all = append(all, words)
		}
		words = nil
	}
	for _, r := range line {
		switch {
		case r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"', r == '\'':
			quote, inWord = r, true
		case r == ' ', r == '\t', r == ',', r == '\r':
			endWord()
		case strings.ContainsRune(";&|\n(){}", r):
			end()
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	end()
	return all
}

func (s statement) program() string {
	return strings.TrimSuffix(shellline.ProgramName(s[0][strings.LastIndexByte(s[0], '\\')+1:]), ".com")
}

// windowsDelete finds the deletion of a drive, a home, the system or the whole workspace. It skips rm with slashed
// paths, because the reader of shell lines handles those.
func (c *Call) windowsDelete() Found {
	moved := false
	for _, s := range c.windowsLines(" /s", " -r", " -fr") {
		deep := func(w string) bool { return w == "/s" || strings.HasPrefix(w, "-r") || strings.HasPrefix(w, "-fr") }
		switch s.program() {
		case "cd", "chdir", "pushd", "set-location", "sl":
			moved = true
		case "rd", "rmdir", "del", "erase", "remove-item", "ri", "rm":
			if !slices.ContainsFunc(s[1:], deep) {
				continue
			}
			for _, w := range s[1:] {
				isOption := strings.HasPrefix(w, "-") || len(w) == 2 && w[0] == '/'
				isHere := strings.Trim(w, `./\*`) == "" && !strings.Contains(w, "..") && strings.Trim(w, `/\`) != ""
				isOfShell := s.program() == "rm" && !strings.ContainsAny(w, `\:%`)
				if !isOption && !isOfShell && !(isHere && moved) && isWide(w) {
					return Found{Subject: strings.Join(s, " ")}
				}
			}
		}
	}
	return Found{}
}

// windowsFolders are the Windows folders named by variables.
var windowsFolders = [...][2]string{
	{"$env:userprofile", "~"}, {"%userprofile%", "~"}, {"$home", "~"}, {"%homepath%", "~"}, {"$env:homepath", "~"},
	{"$env:systemroot", "c:/windows"}, {"%systemroot%", "c:/windows"}, {"$env:windir", "c:/windows"},
	{"%windir%", "c:/windows"}, {"$env:systemdrive", "c:"}, {"%systemdrive%", "c:"}, {"%homedrive%", "c:"},
	{"$env:programfiles", "c:/program files"}, {"%programfiles%", "c:/program files"},
	{"$pwd", "."}, {"%cd%", "."}, {"$env:appdata", "c:/programdata"}, {"%appdata%", "c:/programdata"},
}

// isWide reports whether a path in lower case is a drive, a home or a system folder, or the current folder or a parent.
func isWide(w string) bool {
	w = strings.ReplaceAll(w, `\`, "/")
	for _, k := range windowsFolders {
		if rest, ok := strings.CutPrefix(w, k[0]); ok && (rest == "" || rest[0] == '/') {
			w = k[1] + rest
		}
	}
	switch w = strings.TrimSuffix(strings.TrimSuffix(w, "*.*"), "*"); w {
	case "", "/", "./", "~/":
		return true
	}
	w = path.Clean(w)
	if w == "." || w == ".." || w == "~" || strings.HasSuffix(w, "/..") {
		return true
	}
	if len(w) > 1 && w[0] == '/' && (len(w) == 2 || w[2] == '/') { // as in Git Bash
		w = w[1:2] + ":" + w[2:]
	}
	if len(w) < 2 || w[1] != ':' {
		return false
	}
	top, below, _ := strings.Cut(strings.TrimPrefix(w[2:], "/"), "/")
	switch top {
	case "", "windows", "program files", "program files (x86)", "programdata", "system volume information":
		return true
	case "users", "home":
		return !strings.Contains(below, "/")
	}
	return false
}

// windowsDisk finds a command that formats a disk, or writes to a disk past its file system.
func (c *Call) windowsDisk() Found {
	for _, s := range c.windowsLines("disk", "format", "remove-partition", `\\.\`) {
		switch program := s.program(); program {
		case "diskpart", "format-volume", "clear-disk", "initialize-disk", "remove-partition":
			return Found{Subject: strings.Join(s, " ")}
		case "format":
			if len(s) > 1 && len(s[1]) == 2 && s[1][1] == ':' {
				return Found{Subject: strings.Join(s, " ")}
			}
		case "echo", "git", "grep", "findstr":
			continue
		}
		for _, w := range s[1:] {
			if strings.HasPrefix(strings.TrimPrefix(w, "of="), `\\.\`) {
				return Found{Subject: strings.Join(s, " ")}
			}
		}
	}
	return Found{}
}

// windowsGrant finds rights for everybody.
func (c *Call) windowsGrant() Found {
	for _, s := range c.windowsLines("icacls") {
		everybody := func(w string) bool {
			return strings.HasPrefix(w, "everyone:") || strings.HasPrefix(strings.TrimPrefix(w, "*"), "s-1-1-0:")
		}
		if s.program() == "icacls" && slices.ContainsFunc(s[1:], everybody) {
			return Found{Subject: strings.Join(s, " ")}
		}
	}
	return Found{}
}
