package pack

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/rules/permission"
	"github.com/hookrun/hookrun/internal/rules/shellline"
)

// programUse is how a program uses the files in its arguments.
type programUse int

const (
	unknownUse programUse = iota // unknown: the program may print them
	namesFiles                   // does not print them, or runs a separate command
	readsFiles
	scriptFirst // reads them; the first operand is a program text
	copiesFiles // copies to the last one
	searches
	ofGit
	ofCurl
	ofOpenSSL
	ofHub
	ofFd
	ofXargs
)

// useOf returns how a program uses files. Few programs only name, create, remove or load files; all others may read.
func useOf(program string) programUse {
	switch program {
	case "ls", "ll", "la", "dir", "tree", "find", "locate", "test", "[", "[[", "stat", "file", "wc", "du", "df",
		"md5sum", "sha1sum", "sha256sum", "sha512sum", "shasum", "cksum", "b2sum", "cmp", "realpath", "readlink",
		"basename", "dirname", "which", "whereis", "command", "cd", "pushd", "popd", "pwd", "chmod", "chown", "chgrp",
		"chattr", "setfacl", "getfacl", "touch", "rm", "unlink", "rmdir", "mkdir", "mktemp", "trash", "shred",
		"truncate", "tee", "echo", "printf", "true", "false", ":", "sleep", "kill", "exit", "return", "read", "unset",
		"export", "declare", "typeset", "local", "readonly", "alias", "set", "lsof", "fuser", "inotifywait":
		return namesFiles
	case "sudo", "doas", "env", "parallel", "time", "nohup", "nice", "ionice", "timeout", "stdbuf", "watch",
		"exec", "builtin", "eval", "bash", "sh", "zsh", "dash", "ksh", "fish", "docker", "podman", "nerdctl",
		"docker-compose", "podman-compose", "kubectl", "oc", "helm", "ssh", "sshpass", "autossh", "mosh", "sftp",
		"sshfs", "ssh-keygen", "ssh-add", "ssh-copy-id", "ssh-agent", "ssh-keyscan", "npm", "npx", "yarn", "pnpm",
		"pnpx", "bunx", "corepack", "make", "gmake", "just", "task", "cargo", "go", "pip", "pip3", "uv", "uvx",
		"poetry", "tofu", "dotenv", "dotenv-cli", "dotenvx", "virtualenv", "apksigner", "jarsigner", "signtool",
		"codesign", "env-cmd", "foreman", "honcho", "overmind", "direnv", "mise", "asdf", "vercel", "netlify", "code",
		"cursor", "subl", "nano", "open", "xdg-open", "keytool", "git-crypt", "chezmoi", "apt", "apt-get", "brew",
		"dpkg", "man", "history", "crontab", "systemctl", "mkcert", "certbot", "gpg", "gpg2", "unzip":
		return namesFiles
	case "cat", "tac", "nl", "less", "more", "head", "tail", "bat", "batcat", "cut", "paste", "sort", "uniq", "rev",
		"fold", "fmt", "column", "xxd", "od", "hexdump", "hd", "strings", "base64", "base32", "gzip", "zcat", "diff",
		"colordiff", "comm", "join", "dd", "tar", "zip", "7z", "source", ".", "nc", "ncat", "socat", "pbcopy", "xclip",
		"type", "gc", "get-content", "vim", "vi", "nvim", "ex", "ed", "view":
		return readsFiles
	case "sed", "gsed", "awk", "gawk", "mawk", "nawk", "jq", "yq", "perl":
		return scriptFirst
	case "cp", "mv", "ln", "scp", "rsync", "install", "gcp", "gmv":
		return copiesFiles
	case "grep", "egrep", "fgrep", "zgrep", "rgrep", "ggrep", "rg", "ag", "ack", "ugrep":
		return searches
	case "git":
		return ofGit
	case "curl", "wget", "http", "https", "xh":
		return ofCurl
	case "openssl":
		return ofOpenSSL
	case "gh", "glab":
		return ofHub
	case "fd", "fdfind":
		return ofFd
	case "xargs":
		return ofXargs
	}
	return unknownUse
}

func isReader(program string) bool {
	u := useOf(program)
	return u == readsFiles || u == scriptFirst || u == copiesFiles || u == searches
}

// command finds a file of secrets that a command reads.
func (s *search) command(c *Command) Found {
	what := ""
	u := useOf(c.Program)
	switch u {
	case namesFiles:
		return Found{}
	case ofXargs:
		what = s.xargs(c.Args)
	case searches:
		what = s.grep(c)
	case copiesFiles:
		what = s.copies(c)
	case scriptFirst:
		what = s.script(c)
	case ofGit:
		what = s.git(c)
	case ofCurl:
		what = s.curl(c)
	case ofOpenSSL:
		what = s.openSSL(c)
	case ofHub:
		if len(c.Args) > 0 && (c.Args[0].Text == "gist" || c.Args[0].Text == "release") {
			what = s.operands(c.Args[1:], unknownUse)
		}
	case ofFd:
		what = s.fd(c.Args)
	default:
		switch {
		case c.Program == "zip":
			return Found{Subject: s.operands(zipped(c.Args), u)}
		case c.Wrapper == "foreman", c.Wrapper == "honcho": // c.Program is run or start; -e names an environment file
			return Found{Subject: s.operands(c.operands("-e --env -f --procfile -d --root -p --port"), u)}
		case interpreter(c.Program) != "" && len(c.Args) > 1 && c.Args[0].Text == "-m" &&
			shellline.InList("venv virtualenv", c.Args[1].Text):
			return Found{}
		}
		if c.Program != "" && isSecret(c.Program) { // bash .env
			return Found{Subject: c.Program}
		}
		what = s.operands(c.Args, u)
	}
	if what != "" {
		return Found{Subject: what}
	}
	if isReader(c.Program) && u != searches && s.getsNames(c) {
		if file := s.anyListed(); file != "" {
			return Found{file, "another program names the files"}
		}
	}
	return Found{}
}

// operands finds a file of secrets in arguments. It skips files that the program only loads, such as the values of
// --env-file and --key, unless the program is known to print files.
func (s *search) operands(args []Word, u programUse) string {
	e := nameOnly
	if u != unknownUse {
		e = followed
	}
	for i := 0; i < len(args); i++ {
		w := args[i]
		if len(w.Text) > 2 && w.Text[0] == '-' {
			if left, next := leavesOut(w.Text, u == unknownUse); left {
				if next {
					i++
				}
				continue
			}
		}
		if what := s.word(w, e); what != "" {
			return what
		}
	}
	return ""
}

// zipped returns the arguments of zip without the exclude patterns after -x.
func zipped(args []Word) (rest []Word) {
	leavesOut := false
	for _, w := range args {
		leavesOut = w.Text == "-x" || leavesOut && w.Text != "@" && !strings.HasPrefix(w.Text, "-")
		if !leavesOut {
			rest = append(rest, w)
		}
	}
	return rest
}

// leavesOut reports whether an option names a file that is not printed, and whether the next word is that name.
func leavesOut(option string, loads bool) (leaves, next bool) {
	name, _, attached := strings.Cut(strings.ToLower(option), "=")
	words := []string{"exclude", "ignore"}
	if loads {
		words = append(words, "env", "key", "cert", "kubeconfig", "identity", "credential", "config", "netrc",
			"defaults", "-out", "secret", "pass")
	}
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(name, word) }), !attached
}

// script reads the arguments of a program whose first operand is a program text.
func (s *search) script(c *Command) string {
	inPlace := c.flag("", "--in-place") || c.Program == "perl" && c.flag("i")
	given := c.Program == "perl" && c.flag("eE")
	var files []Word
	for i := 0; i < len(c.Args); i++ {
		w := c.Args[i]
		switch text := w.Text; {
		case strings.HasPrefix(text, "-i") && strings.HasSuffix(c.Program, "sed"), strings.HasPrefix(text, "-Ei"),
			strings.HasPrefix(text, "-ni"), strings.HasPrefix(text, "-ri"):
			inPlace = true
		case strings.HasSuffix(c.Program, "q") && strings.HasPrefix(text, "-e"): // jq and yq: exit status
		case text == "-e", text == "--expression", text == "-f",
			text == "-v" && strings.HasSuffix(c.Program, "awk"):
			given = given || text != "-v"
			if text == "-f" && i+1 < len(c.Args) {
				files = append(files, c.Args[i+1])
			}
			i++
		case strings.HasPrefix(text, "--expression="), strings.HasPrefix(text, "-f"), strings.HasPrefix(text, "-e"):
			given = true
		case text == "--arg" || text == "--argjson":
			i += 2
		case text == "-F", text == "--indent", strings.HasPrefix(text, "-") && len(text) > 1:
			if text == "-F" {
				i++
			}
		case c.Program == "yq" && (text == "e" || text == "eval" || text == "ea" || text == "eval-all"):
		case !given:
			given = true
		default:
			files = append(files, w)
		}
	}
	if inPlace {
		return ""
	}
	return s.operands(files, readsFiles)
}

// copies reads the arguments of a program that copies, moves or links files. A copy does not count as reading if its
// name is also secret, unless the copy leaves the machine.
func (s *search) copies(c *Command) string {
	valued := map[string]string{"scp": "iFPocJlSD", "rsync": "ef", "install": "mogtS"}[c.Program]
	var files []Word
	target := ""
	for i := 0; i < len(c.Args); i++ {
		text := c.Args[i].Text
		option := len(text) > 1 && text[0] == '-'
		switch {
		case text == "-t" || text == "--target-directory":
			if i++; i < len(c.Args) {
				target = c.Args[i].Text
			}
		case strings.HasPrefix(text, "--target-directory="):
			_, target, _ = strings.Cut(text, "=")
		case option && len(text) == 2 && strings.Contains(valued, text[1:]):
			i++
		case option && text[1] == '-' && c.Program == "rsync":
			if left, next := leavesOut(text, false); left && next || text == "--rsh" || text == "--files-from" {
				i++
			}
		case !option:
			files = append(files, c.Args[i])
		}
	}
	if files = splitBraces(files); target == "" {
		if len(files) < 2 {
			return ""
		}
		target, files = files[len(files)-1].Text, files[:len(files)-1]
	}
	host, _, leaves := strings.Cut(target, ":")
	leaves = leaves && (c.Program == "scp" || c.Program == "rsync") && !strings.Contains(host, "/")
	for _, w := range files {
		if what := s.word(w, followed); what != "" && (leaves || !s.keepsName(what, target)) {
			return what
		}
	}
	return ""
}

// splitBraces expands the braces in words.
func splitBraces(words []Word) (all []Word) {
	for _, w := range words {
		if !w.Computed || strings.ContainsAny(w.Text, "$`*?[") {
			all = append(all, w)
			continue
		}
		for _, text := range permission.Braces(w.Text) {
			all = append(all, Word{Text: text})
		}
	}
	return all
}

// keepsName reports whether the copy of a file has a secret name.
func (s *search) keepsName(file, target string) bool {
	if isSecret(target) && target[strings.LastIndexByte(target, '/')+1:] != ".ssh" {
		return true
	}
	isFolder := strings.HasSuffix(target, "/") || strings.Trim(target[strings.LastIndexByte(target, '/')+1:], ".") == ""
	for _, end := range s.facts.ResolvedPaths(s.dir, target) {
		info, err := os.Stat(end)
		isFolder = isFolder || err == nil && info.IsDir()
	}
	return isFolder && isSecret(target+"/"+filled(file[strings.LastIndexByte(file, '/')+1:]))
}

// git reads the git subcommands that print files.
func (s *search) git(c *Command) string {
	g := gitOf(c, s.Dir)
	args := g.args
	switch g.sub {
	case "show", "cat-file", "blame", "annotate", "archive", "difftool":
	case "diff", "stash":
		if g.sub == "stash" && (len(args) == 0 || args[0].Text != "show") {
			return ""
		}
		if g.command.flag("", "--name-only", "--name-status", "--stat", "--shortstat", "--numstat", "--summary",
			"--quiet", "--exit-code") {
			return ""
		}
	case "log":
		if !(&Command{Args: args}).flag("puL", "--patch") {
			return ""
		}
	case "grep":
		if (&Command{Args: args}).flag("lLcq", "--files-with-matches", "--name-only", "--count", "--quiet") {
			return ""
		}
		if !hasLetter(args, "e") {
			if at := slices.IndexFunc(args, func(w Word) bool { return !strings.HasPrefix(w.Text, "-") }); at >= 0 {
				args = slices.Delete(slices.Clone(args), at, at+1)
			}
		}
	default:
		return ""
	}
	return s.operands(args, unknownUse)
}

// curl reads the arguments of programs that send files: files after an @ or a <, and the values of a few options.
func (s *search) curl(c *Command) string {
	for i, w := range c.Args {
		before := ""
		if i > 0 {
			before = c.Args[i-1].Text
		}
		_, value, _ := strings.Cut(w.Text, "=")
		sends := slices.Contains([]string{"-T", "--upload-file", "-K", "--config", "--post-file", "--body-file"},
			before) ||
			strings.HasPrefix(w.Text, "file:") || strings.HasPrefix(w.Text, "--upload-file=") ||
			strings.HasPrefix(w.Text, "--post-file=") || strings.HasPrefix(w.Text, "--body-file=") ||
			strings.HasPrefix(value, "<") || strings.HasPrefix(w.Text, "<") || strings.HasPrefix(w.Text, "-T") ||
			strings.Contains(w.Text, "@")
		if !sends || strings.Contains(w.Text, "://") && !strings.HasPrefix(w.Text, "file:") {
			continue
		}
		if what := s.word(w, nameOnly); what != "" {
			return what
		}
		if _, file, ok := strings.Cut(w.Text, "@"); ok && !isText(file) {
			if what := s.secretAt(file); what != "" {
				return what
			}
		}
	}
	return ""
}

// openSSL reads the openssl subcommands that print their input. Subcommands for certificates read the public part, and
// output to a file is not printed.
func (s *search) openSSL(c *Command) string {
	if len(c.Args) == 0 {
		return ""
	}
	switch c.Args[0].Text {
	case "rsa", "dsa", "ec", "pkey", "pkcs8", "pkcs12":
		if hasWord(c.Args, "-noout", "-pubout", "-out", "-nokeys", "-export") {
			return ""
		}
	case "enc", "base64", "smime", "cms", "asn1parse":
	default:
		return ""
	}
	return s.operands(c.Args[1:], readsFiles)
}

// getsNames reports whether a command reads files named by another program, as after xargs or in a loop.
func (s *search) getsNames(c *Command) bool {
	return c.MoreArgs || slices.ContainsFunc(c.Args, func(w Word) bool {
		if !w.Computed || strings.Contains(w.Text, "/dev/fd/") {
			return false
		}
		if strings.HasPrefix(w.Text, "$()") || strings.HasPrefix(w.Text, "``") || strings.Contains(w.Text, "{}") {
			return true
		}
		name := strings.Trim(w.Text, "${}")
		if name == "@" || strings.Trim(name, "0123456789") == "" { // as in sh -c 'cat "$1"' _ {}
			return true
		}
		isListed := func(v shellline.Assignment) bool {
			return v.Name == name && strings.HasPrefix(v.Value.Text, "$()")
		}
		return slices.Contains(s.readVars, name) || slices.ContainsFunc(s.assigned, isListed)
	})
}

// listed returns a file of secrets that a program in the line names. The name is in the program's arguments, or the
// file is in the folder of a find without names and passes the test.
func (s *search) listed(test func(file string) bool) string {
	defer func(dir string) { s.dir = dir }(s.dir)
	for _, c := range s.Commands {
		s.goTo(c.Folders)
		switch c.Program {
		case "find":
			if what := s.byFind(c.Args, test); what != "" {
				return what
			}
		case "echo", "printf", "ls", "fd", "fdfind", "locate":
			for _, w := range c.Args {
				if what := s.word(w, nameOnly); what != "" {
					return what
				}
				if what := secretField(strings.NewReplacer(`\n`, " ", `\0`, " ").Replace(w.Text)); what != "" {
					return what
				}
			}
		case "xargs":
			if what := secretField(c.Script); what != "" {
				return what
			}
		}
	}
	return ""
}

// secretField returns the first word of a text that names files of secrets, or "".
func secretField(text string) string {
	for field := range strings.FieldsSeq(text) {
		if mayBeSecret(field) {
			return field
		}
	}
	return ""
}

// fd reads the arguments of fd, which runs a command for the files that fd finds.
func (s *search) fd(args []Word) string {
	at := slices.IndexFunc(args, func(w Word) bool {
		return slices.Contains([]string{"-x", "-X", "--exec", "--exec-batch"}, w.Text)
	})
	if at < 0 || at+1 == len(args) || useOf(args[at+1].Text) == namesFiles {
		return ""
	}
	for i, w := range args[:at] {
		glob := strings.Trim(strings.ReplaceAll(w.Text, `\`, ""), "^$")
		if i > 0 && (args[i-1].Text == "-e" || args[i-1].Text == "--extension") {
			glob = "x." + glob
		}
		if mayBeSecret(glob) {
			return glob
		}
	}
	return ""
}

// xargs reads the file from which xargs takes arguments. The command that xargs runs is checked separately.
func (s *search) xargs(args []Word) (what string) {
	for i, w := range args {
		isValue := i > 0 && (args[i-1].Text == "-a" || args[i-1].Text == "--arg-file")
		if what == "" && (isValue || strings.HasPrefix(w.Text, "-a") || strings.HasPrefix(w.Text, "--arg-file=")) {
			what = s.word(w, followed)
		}
	}
	return what
}

// byFind is listed for find.
func (s *search) byFind(args []Word, test func(file string) bool) string {
	named := false
	for i := 1; i < len(args); i++ {
		switch args[i-1].Text {
		case "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex":
		default:
			continue
		}
		if i > 1 && (args[i-2].Text == "!" || args[i-2].Text == "-not") || strings.Trim(args[i].Text, "*") == "" {
			continue
		}
		named = true
		glob := strings.NewReplacer(`\.`, ".", ".*", "*").Replace(args[i].Text)
		if mayBeSecret(glob) {
			return args[i].Text
		}
	}
	if named {
		return ""
	}
	from := "."
	if len(args) > 0 && !strings.HasPrefix(args[0].Text, "-") && args[0].Text != "!" && args[0].Text != "(" {
		from = args[0].Text
	}
	if from = filepath.ToSlash(from); isSecret(from) {
		return from
	}
	return s.inFolder(from, true, test)
}
