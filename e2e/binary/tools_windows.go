package binary

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// tools have the options that the scripts of the tests use, and refuse all others.
var tools = map[string]func(s streams, args []string) int{
	"cat":   cat,
	"chmod": func(streams, []string) int { return 0 }, // files have no mode bits
	"date":  date,
	"echo":  echo,
	"false": func(streams, []string) int { return 1 },
	"grep":  grep,
	"head":  head,
	"ls":    ls,
	"mv":    mv,
	"mkdir": func(s streams, args []string) int { return s.each("mkdir", "p", args, makeFolder) },
	"rm":    func(s streams, args []string) int { return s.each("rm", "rf", args, os.RemoveAll) },
	"sed":   sed,
	"seq":   seq,
	"sleep": sleep,
	"tee":   tee,
	"touch": func(s streams, args []string) int { return s.each("touch", "", args, touch) },
	"tr":    tr,
	"true":  func(streams, []string) int { return 0 },
}

var errUsage = errors.New("the tests' tool does not know these arguments")

// options takes the options off the arguments.
func options(known string, args []string) (given string, rest []string, err error) {
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		word := args[0][1:]
		args = args[1:]
		if word == "-" {
			break
		}
		if strings.Trim(word, known) != "" {
			return "", nil, errUsage
		}
		given += word
	}
	return given, args, nil
}

// each does something to each path.
func (s streams) each(tool, known string, args []string, do func(path string) error) int {
	_, paths, err := options(known, args)
	for _, path := range paths {
		err = errors.Join(err, do(s.path(path)))
	}
	if err != nil {
		return s.fail(tool, err)
	}
	return 0
}

func makeFolder(path string) error { return os.MkdirAll(path, 0o755) }

func touch(path string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	now := time.Now()
	return errors.Join(file.Close(), os.Chtimes(path, now, now))
}

// read reads files, or the standard input where there are none.
func (s streams) read(names []string) (all []byte, err error) {
	if len(names) == 0 {
		return io.ReadAll(s.in)
	}
	for _, name := range names {
		text, err := os.ReadFile(s.path(name))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: No such file or directory", name)
		} else if err != nil {
			return nil, err
		}
		all = append(all, text...)
	}
	return all, nil
}

func cat(s streams, args []string) int {
	if len(args) == 0 { // as it comes
		if s.in != nil {
			_, _ = io.Copy(s.out, s.in)
		}
		return 0
	}
	text, err := s.read(args)
	if err != nil {
		return s.fail("cat", err)
	}
	_, _ = s.out.Write(text)
	return 0
}

// date is `date +FORMAT` with %s and %N.
func date(s streams, args []string) int {
	now := time.Now()
	text := strings.NewReplacer("%s", strconv.FormatInt(now.Unix(), 10), "%N", fmt.Sprintf("%09d", now.Nanosecond())).
		Replace(strings.Join(args, " "))
	if !strings.HasPrefix(text, "+") || strings.Contains(text, "%") {
		return s.fail("date", errUsage)
	}
	fmt.Fprintln(s.out, text[1:])
	return 0
}

func echo(s streams, args []string) int {
	fmt.Fprintln(s.out, strings.Join(args, " "))
	return 0
}

func grep(s streams, args []string) int {
	given, args, err := options("qvicFEoe", args)
	if err != nil || len(args) == 0 {
		s.fail("grep", errUsage)
		return 2
	}
	expressions := args[:1]
	for args = args[1:]; len(args) > 1 && args[0] == "-e"; args = args[2:] {
		expressions = append(expressions, args[1])
	}
	for i, e := range expressions {
		if strings.Contains(given, "F") {
			expressions[i] = regexp.QuoteMeta(e)
		} else if !strings.Contains(given, "E") {
			expressions[i] = basic(e)
		}
	}
	expression := "(" + strings.Join(expressions, ")|(") + ")"
	if strings.Contains(given, "i") {
		expression = "(?i)" + expression
	}
	pattern, err := regexp.Compile(expression)
	if err != nil {
		s.fail("grep", err)
		return 2
	}
	text, err := s.read(args)
	if err != nil {
		s.fail("grep", err)
		return 2
	}
	found := 0
	for line := range bytes.Lines(text) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		if pattern.Match(line) == strings.Contains(given, "v") {
			continue
		}
		if found++; !strings.ContainsAny(given, "qc") {
			if strings.Contains(given, "o") {
				line = pattern.Find(line)
			}
			fmt.Fprintf(s.out, "%s\n", line)
		}
	}
	if strings.Contains(given, "c") {
		fmt.Fprintln(s.out, found)
	}
	if found == 0 {
		return 1
	}
	return 0
}

// head is `head -c N [FILE]` or `head -n N [FILE]`.
func head(s streams, args []string) int {
	if len(args) < 2 || args[0] != "-c" && args[0] != "-n" {
		return s.fail("head", errUsage)
	}
	n, err := strconv.Atoi(args[1])
	if err != nil {
		return s.fail("head", err)
	}
	if args[0] == "-c" && len(args) == 3 && args[2] == "/dev/zero" {
		_, _ = s.out.Write(make([]byte, n))
		return 0
	}
	text, err := s.read(args[2:])
	if err != nil {
		return s.fail("head", err)
	}
	if args[0] == "-c" {
		_, _ = s.out.Write(text[:min(n, len(text))])
		return 0
	}
	for line := range bytes.Lines(text) {
		if n--; n >= 0 {
			_, _ = s.out.Write(line)
		}
	}
	return 0
}

// sed is `sed s/EXPRESSION/TEXT/ [FILE]`, with any character for the slashes.
func sed(s streams, args []string) int {
	if len(args) == 0 || len(args[0]) < 2 || args[0][0] != 's' {
		return s.fail("sed", errUsage)
	}
	parts := strings.Split(args[0][2:], args[0][1:2])
	if len(parts) != 3 || parts[2] != "" || strings.ContainsAny(parts[0]+parts[1], `\&`) {
		return s.fail("sed", errUsage)
	}
	expression, err := regexp.Compile("(?m)" + basic(parts[0]))
	if err != nil {
		return s.fail("sed", err)
	}
	text, err := s.read(args[1:])
	if err != nil {
		return s.fail("sed", err)
	}
	for line := range bytes.Lines(text) {
		if at := expression.FindIndex(line); at != nil {
			line = slices.Concat(line[:at[0]], []byte(parts[1]), line[at[1]:])
		}
		_, _ = s.out.Write(line)
	}
	return 0
}

// basic is a basic expression of POSIX in Go's syntax: there these characters mean themselves.
func basic(expression string) string {
	return regexp.MustCompile(`[+?|(){}]`).ReplaceAllString(expression, `\$0`)
}

func seq(s streams, args []string) int {
	if len(args) != 1 {
		return s.fail("seq", errUsage)
	}
	n, err := strconv.Atoi(args[0])
	if err != nil {
		return s.fail("seq", err)
	}
	for i := range n {
		fmt.Fprintln(s.out, i+1)
	}
	return 0
}

func ls(s streams, args []string) int {
	_, args, err := options("A", args)
	var all []os.DirEntry
	if err == nil {
		all, err = os.ReadDir(s.path(strings.Join(args, "")))
	}
	if err != nil {
		return s.fail("ls", err)
	}
	for _, entry := range all {
		fmt.Fprintln(s.out, entry.Name())
	}
	return 0
}

func mv(s streams, args []string) int {
	if len(args) != 2 {
		return s.fail("mv", errUsage)
	}
	if err := os.Rename(s.path(args[0]), s.path(args[1])); err != nil {
		return s.fail("mv", err)
	}
	return 0
}

func tee(s streams, args []string) int {
	text, err := io.ReadAll(s.in)
	for _, name := range args {
		err = errors.Join(err, os.WriteFile(s.path(name), text, 0o644))
	}
	if err != nil {
		return s.fail("tee", err)
	}
	_, _ = s.out.Write(text)
	return 0
}

func sleep(s streams, args []string) int {
	if len(args) != 1 {
		return s.fail("sleep", errUsage)
	}
	seconds, err := strconv.ParseFloat(args[0], 64)
	if err != nil {
		return s.fail("sleep", err)
	}
	time.Sleep(time.Duration(seconds * float64(time.Second)))
	return 0
}

// tr replaces each character of one set by that of another, or removes it with -d. A set is written out.
func tr(s streams, args []string) int {
	given, sets, err := options("d", args)
	for i := range sets {
		sets[i] = strings.NewReplacer(`\\`, `\`, `\000`, "\x00", `\0`, "\x00", `\n`, "\n").Replace(sets[i])
	}
	if err != nil || given == "d" && len(sets) != 1 || given == "" && (len(sets) != 2 || len(sets[0]) != len(sets[1])) {
		return s.fail("tr", errUsage)
	}
	text, err := io.ReadAll(s.in)
	if err != nil {
		return s.fail("tr", err)
	}
	_, _ = s.out.Write(bytes.Map(func(r rune) rune {
		i := strings.IndexRune(sets[0], r)
		switch {
		case i < 0:
			return r
		case given == "d":
			return -1
		}
		return rune(sets[1][i])
	}, text))
	return 0
}
