//go:build linux

package programs

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// helps are commands that print a list of options, by the package of Debian that has them, and do nothing else: only
// programs whose help is known to be harmless. of is a program whose subcommands the names are.
var helps = []struct{ pack, of, arguments, names string }{
	{pack: "bsdextrautils", names: "column hexdump"},
	{pack: "bsdutils", names: "logger script"},
	{pack: "binutils", names: "strings"},
	{pack: "bzip2", names: "bzip2"},
	{pack: "coreutils", names: "" +
		"b2sum base32 base64 basename basenc cat chgrp chmod chown chroot cksum comm cp cut date dd df dirname du " +
		"env expand fmt fold head id install join ln ls md5sum mkdir mktemp mv nice nl nohup nproc od paste " +
		"readlink realpath rm rmdir seq sha1sum sha256sum shred shuf sleep sort split stat stdbuf sum tac tail " +
		"tee timeout touch tr truncate tty uname unexpand uniq unlink wc whoami yes"},
	{pack: "curl", arguments: "--help all", names: "curl"},
	{pack: "diffutils", names: "cmp diff"},
	{pack: "ed", names: "ed"},
	{pack: "file", names: "file"},
	{pack: "findutils", names: "xargs"},
	{pack: "git", of: "git", arguments: "-h", names: "am archive blame branch cat-file checkout cherry-pick clean " +
		"commit config diff grep merge pull push rebase reset restore revert send-pack switch"},
	{pack: "grep", names: "grep"},
	{pack: "gzip", names: "gzip"},
	{pack: "libc-bin", names: "iconv"},
	{pack: "make", names: "make"},
	{pack: "man-db", names: "man"},
	{pack: "patch", names: "patch"},
	{pack: "perl", names: "shasum"},
	{pack: "procps", names: "kill watch"},
	{pack: "sed", names: "sed"},
	{pack: "systemd", names: "systemctl"},
	{pack: "tar", names: "tar"},
	{pack: "time", names: "time"},
	{pack: "util-linux", names: "blkdiscard choom chrt flock ionice mkswap more runuser setsid su taskset wipefs"},
	{pack: "wget", names: "wget"},
	{pack: "xz-utils", arguments: "--long-help", names: "xz"},
	{pack: "zstd", names: "zstd"},

	// Without a package: a release of Debian gets newer versions, or the program comes from elsewhere.
	{names: "ack bat jq psql rsync"},
	{arguments: "-h", names: "rg"},
	{of: "docker", names: "exec run"},
}

// differences are options in which a row and the help of Debian 12 differ on purpose.
var differences = []struct {
	why     string
	options map[string]string // by row
}{
	{"newer versions, or other systems", map[string]string{
		"base32": "D", "base64": "D", "chrt": "G e --ext", "env": "P a --argv0", "flock": "--fcntl",
		"runuser": "T --no-pty", "su": "T --no-pty", "timeout": "f p", "xargs": "J R S",
		"watch": "C f r s --no-color --no-rerun --shotsdir",
	}},
	{"the program takes these, and the help is silent", map[string]string{
		"column": "--columns --table-empty-lines", "date": "--rfc-2822", "df": "m", "diff": "L",
		"flock": "e v --nb --nonblocking --wait", "git commit": "--allow-empty --allow-empty-message",
		"git diff": "--base --cached --cc --merge-base --no-color --no-color-moved --no-color-moved-ws --no-ext-diff " +
			"--no-indent-heuristic --no-index --no-relative --no-rename-empty --no-textconv --ours --staged --theirs",
		"grep": "X u y --unix-byte-offsets", "gzip": "--silent --to-stdout --uncompress", "patch": "--follow-symlinks",
		"sed": "--zero-terminated", "su": "u --user", "xz": "r --best --fast --memory --to-stdout --uncompress",
		"zstd": "t --list --uncompress",
	}},
	{"chmod takes modes such as -x for options", map[string]string{"chmod": "X a g o r s t u w x"}},
	{"the help does not show whether there is a value, or must be", map[string]string{
		"file": "P --parameter", "git diff": "--diff-filter", "kill": "l --list", "logger": "--socket-errors",
		"psql": "--help", "shasum": "a --algorithm", "wget": "--backups --hsts-file --max-redirect --report-speed " +
			"--restrict-file-names", "xargs": "--max-lines",
	}},
	{"the help shows values: -C, --check=quiet", map[string]string{"ack": "P", "ls": "p", "sort": "C c --check"}},
	{"the help writes --GTYPE-group-format, -# for a level, and -: for an option", map[string]string{
		"curl": ":", "zstd": "#", "diff": "--GTYPE-group-format --LTYPE-line-format " +
			"--changed-group-format --new-group-format --old-group-format --unchanged-group-format --new-line-format " +
			"--old-line-format --unchanged-line-format",
	}},
	{"the first operand is the file", map[string]string{"jq": "f --from-file"}},
	{"no option, but an example of a list: -M", map[string]string{"cut": "M"}},
	{"with these a launcher runs nothing", map[string]string{
		"chroot": "--help --version", "chrt": "--help --version", "env": "--help --version",
		"flock": "V h --help --version", "ionice": "V h --help --version", "nice": "--help --version",
		"nohup": "--help --version", "setsid": "V h --help --version", "stdbuf": "--help --version",
		"taskset": "V h --help --version", "time": "h --help --version", "timeout": "--help --version",
		"xargs": "--help --version",
	}},
}

// TestHelp: the options in the rows are those in the help texts of the programs that this machine has. The versions of
// Debian 12 have all options of a row and no other one; of other versions only the options that both know are compared.
func TestHelp(t *testing.T) {
	release, err := os.ReadFile("/etc/os-release")
	isDebian := err == nil && strings.Contains(string(release), "debian") // perhaps a relative of Debian
	is12 := isDebian && strings.Contains(string(release), "\nID=debian\n") &&
		strings.Contains(string(release), "\nVERSION_ID=\"12\"\n")
	there := 0
	for _, help := range helps {
		for _, name := range strings.Fields(help.names) {
			row := strings.TrimSpace(help.of + " " + name)
			argv := append(strings.Fields(row), strings.Fields(help.arguments)...)
			if help.arguments == "" {
				argv = append(argv, "--help")
			}
			text, isSystems := output(t, argv)
			if text == "" {
				continue
			}
			there++
			p, ok := Find(row)
			require.True(t, ok, row)
			compare(t, p, readHelp(text), is12 && isSystems && help.pack != "")
		}
	}
	if testall.On() && isDebian {
		require.GreaterOrEqual(t, there, 60)
	}
}

// manyInOne matches programs that stand for many others, with options of their own.
var manyInOne = regexp.MustCompile(`busybox|toybox|coreutils`)

// output runs a command that prints a help text. The text is empty if the program is missing.
func output(t *testing.T, argv []string) (text string, isSystems bool) {
	file, err := exec.LookPath(argv[0])
	if err != nil {
		return "", false
	}
	end, err := filepath.EvalSymlinks(file)
	if err != nil || manyInOne.MatchString(end) {
		return "", false
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, file, argv[1:]...)
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + cmd.Dir, "LC_ALL=C", "COLUMNS=200"}
	cmd.WaitDelay = time.Second
	all, err := cmd.CombinedOutput()
	usage := argv[0] == "git" && cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == 129
	if err != nil && !usage {
		t.Logf("%s: %v", strings.Join(argv, " "), err) // such as a subcommand that an older version lacks
		return "", false
	}
	return string(all), slices.Contains([]string{"/bin", "/sbin", "/usr/bin", "/usr/sbin"}, filepath.Dir(file))
}

// compare holds the options of a row to those in a help text. All: both have the same ones.
func compare(t *testing.T, p Program, help map[string]arity, all bool) {
	row := map[string]arity{}
	for short := p.Short; short != ""; {
		letter := short[:1]
		short = short[1:]
		behind := strings.TrimLeft(short, ":")
		row[letter] = arity(short[:len(short)-len(behind)])
		short = behind
	}
	for long := range strings.FieldsSeq(p.Long) {
		name, isValued := strings.CutSuffix(long, ":")
		row["--"+name] = map[bool]arity{true: value, false: attachedOnly}[isValued]
	}
	var differ []string
	for _, d := range differences {
		differ = append(differ, strings.Fields(d.options[p.Name])...)
	}
	options := slices.Concat(slices.Collect(maps.Keys(row)), slices.Collect(maps.Keys(help)), differ)
	slices.Sort(options)
	for _, option := range slices.Compact(options) {
		has, inRow := row[option]
		want, inHelp := help[option]
		isDigit := strings.Trim(option, "0123456789") == "" // -NUM, or a level: help texts have many ways for these
		isSame := inRow && inHelp && has.fits(want, len(option) > 1) || isDigit
		switch differs := slices.Contains(differ, option); {
		case all && isSame && differs:
			t.Errorf("%s: %s differs no more", p.Name, option)
		case isSame, differs:
		case inRow && inHelp:
			t.Errorf("%s: %s is %q in the row and %q in the help", p.Name, option, has, want)
		case all && inRow:
			t.Errorf("%s: the help lacks %s, which the row has", p.Name, option)
		case all:
			t.Errorf("%s: the row lacks %s, which the help has (%q)", p.Name, option, want)
		}
	}
}

// arity says what follows an option.
type arity string

const (
	none         arity = ""
	value        arity = ":"
	attachedOnly arity = "::" // the value is optional: only an attached one is a value
	perhaps      arity = "?"  // none, or an optional value: -x, --long[=VALUE]
	attached     arity = "+"  // -xVALUE: a value, or an optional one
	unsure       arity = "!"  // the help does not say
)

// fits reports whether an arity of a row is that of a help text.
func (has arity) fits(want arity, isLong bool) bool {
	switch {
	case want == unsure:
		return true
	case isLong: // a row does not separate none and an optional value
		return (has == value) == (want == value)
	case want == perhaps:
		return has != value
	case want == attached:
		return has != none
	}
	return has == want
}

var (
	optionName  = regexp.MustCompile(`^(?:--(?:\[no-?\])?[A-Za-z0-9][\w.-]*|-[^\s<,-])`)
	valueBehind = regexp.MustCompile(`^=(?:\{[^}]*\}|[^\s,]+)*|^ ?<[^>]*>+(?:\.\.\.)?|^ \{[^}]*\}|^ \([\w|-]*\)\S*|` +
		`^ [\w.'/|][\w:.'/|-]*(?:  |,|$)|^ (?:\w+\|\w+|\.\.\.) `)
	separator = regexp.MustCompile(`^(?:,\s*| | or |\|)-|^  --`)
	notNames  = regexp.MustCompile(`^(?:-NUM|-\?|-<\w+>|-[, ])[, ]*`)
	twoLetter = regexp.MustCompile(`^[a-z]+[ ,]`) // behind -n: wget has -nc
)

// readHelp returns the options in a help text. It reads the start of each line, such as `-x, --long=VALUE  does so`.
func readHelp(text string) map[string]arity {
	all := map[string]arity{}
	for line := range strings.Lines(text) {
		rest := strings.TrimLeft(line, " \t")
		if len(line)-len(rest) > 10 || !strings.HasPrefix(rest, "-") { // goes on with the line before
			continue
		}
		readOptions(strings.TrimRight(rest, "\n"), all)
	}
	return all
}

// readOptions reads the options at the start of a line.
func readOptions(rest string, all map[string]arity) {
	longs := none // what follows the long ones
	shorts := map[string]arity{}
	for {
		rest = rest[len(notNames.FindString(rest)):]
		name := optionName.FindString(rest)
		if name == "" {
			break
		}
		rest = rest[len(name):]
		bare, isLong := strings.CutPrefix(name, "--")
		of := none
		switch more := twoLetter.FindString(rest); {
		case isLong, more == "":
			of, rest = arityBehind(rest, isLong)
		default:
			name, rest = "", rest[len(more)-1:]
		}
		switch _, yes, isBoth := strings.Cut(bare, "]"); {
		case name == "":
		case !isLong:
			shorts[name[1:]] = of
		case isBoth: // --[no-]long
			note(all, "--"+yes, of)
			note(all, "--"+bare[1:len(bare)-len("]")-len(yes)]+yes, unsure)
			longs = max(longs, of)
		default:
			note(all, name, of)
			longs = max(longs, of)
		}
		end := separator.FindString(rest)
		if end == "" {
			break
		}
		rest = rest[strings.IndexByte(end, '-'):]
	}
	for name, of := range shorts {
		switch {
		case of == none && longs == value:
			of = value
		case of == none && longs == attachedOnly:
			of = perhaps
		}
		note(all, name, of)
	}
}

func note(all map[string]arity, name string, of arity) {
	if before, ok := all[name]; ok && before != of && (before == none || of == none) {
		of = attachedOnly // once with and once without a value
	}
	all[name] = of
}

// arityBehind reads the value behind the name of an option.
func arityBehind(text string, isLong bool) (of arity, rest string) {
	if at := strings.TrimPrefix(text, " "); strings.HasPrefix(at, "[") {
		depth := 0
		end := strings.IndexFunc(at, func(r rune) bool {
			depth += strings.Count("[", string(r)) - strings.Count("]", string(r))
			return depth == 0
		})
		rest = at[end+1:]
		if strings.Trim(rest, ". ,\t") == "" || strings.ContainsAny(rest[:1], " ,.") {
			return attachedOnly, rest
		}
		return value, strings.TrimLeft(rest, "abcdefghijklmnopqrstuvwxyz:[]") // [protocol://]host[:port]
	}
	if found := valueBehind.FindString(text); found != "" {
		return value, strings.TrimPrefix(text, strings.TrimRight(found, ", "))
	}
	if !isLong && text != "" && strings.ContainsAny(text[:1], "ABCDEFGHIJKLMNOPQRSTUVWXYZ#{") {
		_, rest, _ = strings.Cut(text, " ")
		return attached, " " + rest
	}
	return none, text
}
