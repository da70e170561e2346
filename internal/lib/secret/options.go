package secret

import "strings"

// command is what is known of the command around a place in a text.
type command struct {
	options string // of the program, see optionsOf
	seen    seen   // words
	prints  int    // the end of the word echo or printf
	piped   span   // the last word that the command before | printed
}

type seen uint8

const (
	anyWord seen = 1 << iota
	ofConfig
	ofMachine
	ofLogin
	setsNames // the command gives a value to a name without a sign between them: set NAME VALUE
)

// optionsOf returns the letters and names of a program's options with secrets. A sign behind an option says which part
// of the value is the secret: the part after the sign, for + only a value in the same word, for . only a value in the
// next word, for 3 the third word, for | the word that the command before the pipe printed, for ! a value after login.
func optionsOf(program string) string {
	switch program {
	case "curl":
		return "u: U: user: proxy-user: b= cookie= oauth2-bearer"
	case "http", "https", "xh", "xhs":
		return "a"
	case "mysql", "mysqldump", "mysqladmin", "mysqlimport", "mysqlshow", "mysqlcheck", "mysqlbinlog", "mysqlslap",
		"mariadb", "mariadb-dump", "mariadb-admin", "mongo", "mongosh", "mongodump", "mongorestore", "mongoexport",
		"mongoimport", "sshpass", "cqlsh", "twine", "useradd", "usermod":
		return "p"
	case "docker", "podman", "nerdctl", "helm", "oras", "buildah", "skopeo", "crane", "az", "cf", "oc":
		return "p!"
	case "7z", "7za", "7zr", "rar", "unrar":
		return "p+ hp+"
	case "redis-cli":
		return "a"
	case "zip", "unzip", "sqlcmd", "bcp", "mosquitto_pub", "mosquitto_sub":
		return "P"
	case "ldapsearch", "ldapadd", "ldapmodify", "ldapdelete", "ldapwhoami", "ldappasswd", "ldapcompare":
		return "w"
	case "smbclient", "rpcclient", "smbmap":
		return "U%"
	case "openssl":
		return "k. K."
	case "ssh-keygen":
		return "N. P."
	case "plink", "pscp", "psftp", "putty":
		return "pw"
	case "lftp":
		return "u,"
	case "htpasswd":
		return "b3"
	case "sudo":
		return "S|"
	}
	return ""
}

// end ends a command, or a part of a pipe, at s[i].
func (c *command) end(s string, i int) {
	switch s[i] {
	case '\n':
		*c = command{}
	case ';', '|', '&':
		const around = " \t\n;|&"
		if i > 0 && strings.IndexByte(around, s[i-1]) < 0 && i+1 < len(s) && strings.IndexByte(around, s[i+1]) < 0 {
			return // within a word
		}
		piped := span{}
		if s[i] == '|' && c.prints > 0 {
			piped = lastWord(s, c.prints, i)
		}
		*c = command{piped: piped}
	}
}

// lastWord returns the last word of s[from:to], without quotes.
func lastWord(s string, from, to int) span {
	const blanks = " \t"
	text := strings.TrimRight(s[from:to], blanks)
	inner := strings.TrimRight(text, "\"'`\\")
	quote := strings.TrimLeft(text[len(inner):], `\`)
	begin := strings.LastIndexAny(inner, blanks) + 1
	if quote != "" {
		begin = strings.LastIndexByte(inner, quote[0]) + 1
	}
	return span{from + begin, from + len(inner)}
}

// word returns the secret that the word of a command line at s[start:end] has or announces.
func (c *command) word(s string, start, end int) (from, to int) {
	switch name := s[start:end]; {
	case name[0] == '-':
		if start > 0 && strings.IndexByte(" \t\n\"'`,[(=", s[start-1]) < 0 {
			return 0, 0
		}
		if from, to, known := c.reader(s, name, end); known {
			return from, to
		}
		for option := range strings.FieldsSeq(c.options) {
			if from, to = c.option(s, start, end, option); from < to {
				return from, to
			}
		}
	case name == "chpasswd":
		from, to, _ = c.reader(s, name, end)
	case end == len(s) || strings.IndexByte(" \t\"'`\\", s[end]) >= 0:
		c.see(name, end)
	}
	return from, to
}

// see notes a word.
func (c *command) see(word string, end int) {
	switch word {
	case "echo", "printf":
		c.prints = end
	case "configure", "config":
		c.seen |= ofConfig
	case "machine":
		c.seen |= ofMachine
	case "login":
		if c.seen |= ofLogin; c.seen&ofMachine != 0 { // in .netrc
			c.seen |= setsNames
		}
	case "ssh", "scp", "sftp", "rsync": // behind sshpass
		c.options = ""
	case "nmcli":
		c.seen |= setsNames
	case "set", "setx":
		if c.seen&anyWord == 0 || c.seen&ofConfig != 0 {
			c.seen |= setsNames
		}
	default:
		if options := optionsOf(word); options != "" {
			c.options = options
		}
	}
	c.seen |= anyWord
}

// reader returns the secret that a program reads from stdin, if a word says that the program does.
func (c *command) reader(s, word string, end int) (from, to int, known bool) {
	switch word {
	case "chpasswd":
		from, to = c.piped.from, c.piped.to
		from += strings.IndexByte(s[from:to], ':') + 1
	case "--password-stdin", "--with-token", "--passphrase-fd":
		if here := skip(s, end, blank); strings.HasPrefix(s[here:], "<<<") {
			from, to = value(s, skip(s, here+3, blank), context{})
			return from, to, true
		}
		from, to = c.piped.from, c.piped.to
	default:
		return 0, 0, false
	}
	c.piped = span{}
	return from, to, true
}

// option returns the secret in the value of an option at s[start:end]. known is a word of optionsOf.
func (c *command) option(s string, start, end int, known string) (from, to int) {
	word, sign := s[start:end], byte(0)
	if last := known[len(known)-1]; !letter(last) {
		known, sign = known[:len(known)-1], last
	}
	from = end
	switch rest, isLong := strings.CutPrefix(word, "--"); {
	case isLong:
		if rest != known || len(known) == 1 {
			return 0, 0
		}
		from = skip(s, from, "=")
	case len(known) > 1 && word == "-"+known: // -pw
	case len(known) == 1 && word[1:] != "" && word[1] == known[0]:
		from = start + 2
	case len(known) == 1 && len(word) > 2 && strings.HasSuffix(word, known): // -sSu
		if strings.ContainsFunc(word[1:], func(r rune) bool { return !letter(byte(r)) }) {
			return 0, 0
		}
	default:
		return 0, 0
	}
	closes := end < len(s) && isQuote(s[end]) && start > 0 && s[start-1] == s[end]
	isNext := from == end && (end == len(s) || closes || strings.IndexByte(" \t,\\", s[end]) >= 0)
	switch {
	case sign == '|':
		from, to = c.piped.from, c.piped.to
		c.piped = span{}
		return from, to
	case sign == '+' && isNext, sign == '.' && !isNext, sign == '!' && c.seen&ofLogin == 0:
		return 0, 0
	}
	if isNext {
		if from = skip(s, end, " \t\"'`,\\"); from == end || from < len(s) && s[from] == '-' {
			return 0, 0
		}
		for before := from; before > end+1 && strings.IndexByte("\"'`\\", s[before-1]) >= 0; before-- {
			from = before - 1
		}
	}
	for n := 1; sign == '3' && n < 3; n++ {
		from = skip(s, wordEnd(s, from, false), blank)
	}
	if from, to = value(s, from, context{}); from >= to || sign == 0 || strings.IndexByte("+.!3", sign) >= 0 {
		return from, to
	}
	at := strings.IndexByte(s[from:to], sign)
	if at < 0 {
		return 0, 0
	}
	return from + at + 1, to
}
