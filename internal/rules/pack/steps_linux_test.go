package pack

import (
	"encoding/json"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/hookrun/hookrun/internal/rules/permission"
	"github.com/hookrun/hookrun/internal/rules/shellline"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// shape makes a line of about n bytes.
type shape func(n int) string

// repeat repeats a part between two others.
func repeat(before, part, after string) shape {
	return func(n int) string {
		return before + strings.Repeat(part, max((n-len(before)-len(after))/len(part), 1)) + after
	}
}

// nest repeats both ends.
func nest(open, inner, end string) shape {
	return func(n int) string {
		k := max((n-len(inner))/(len(open)+len(end)), 1)
		return strings.Repeat(open, k) + inner + strings.Repeat(end, k)
	}
}

// count repeats a part with a number for each #.
func count(part string) shape {
	return func(n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n-len(part)-16; i++ {
			b.WriteString(strings.ReplaceAll(part, "#", strconv.Itoa(i)))
		}
		return b.String()
	}
}

// both joins two shapes.
func both(a, b shape) shape { return func(n int) string { return a(n/2) + b(n/2) } }

// shapes are the ways in which a line can be long.
var shapes = map[string]shape{
	"nested $(":          nest("echo $(", "ls", ")"),
	"nested (":           nest("(", "ls", ")"),
	"nested {":           nest("{ ", "ls", "; }"),
	"nested if":          nest("if a; then ", "ls", "; fi"),
	"nested bash -c":     nest("bash -c ", "ls", ""),
	"sudo chain":         nest("sudo ", "rm -rf x", ""),
	"env chain":          nest("env A=1 ", "rm -rf x", ""),
	"eval chain":         nest("eval ", "ls", ""),
	"xargs chain":        nest("xargs ", "rm", ""),
	"commands ;":         repeat("", "ls; ", "ls"),
	"rm ;":               count("rm -rf x#; "),
	"git push ;":         repeat("", "git push origin f; ", "ls"),
	"git cmds":           count("git commit -m m# && "),
	"&&":                 repeat("", "ls && ", "ls"),
	"pipes":              repeat("", "cat a | ", "cat"),
	"pipes sort":         repeat("find . | ", "sort | ", "xargs rm"),
	"pipes grep":         repeat("env | ", "grep a | ", "cat"),
	"one long word":      repeat("rm -rf ", "a", ""),
	"one long word cat":  repeat("cat ", ".env", "x"),
	"one long path":      repeat("rm -rf /", "a/", ""),
	"long path rel":      repeat("rm -rf ", "a/", ""),
	"path ..":            repeat("rm -rf ", "../", ""),
	"path a/..":          repeat("rm -rf /", "a/../", "x"),
	"path .":             repeat("rm -rf ", "./", "x"),
	"cat long path":      repeat("cat ", "a/", ".env"),
	"tee long path":      repeat("tee ", "a/", "x"),
	"redirect long path": repeat("echo x > ", "a/", "x"),
	"4KB paths":          repeat("rm -rf", " /"+strings.Repeat("a/", 2000), ""),
	"4KB paths distinct": count("rm -rf /x#/" + strings.Repeat("a/", 2000) + "; "),
	"300B paths":         both(repeat("rm -rf", " x", ""), count(" x#/"+strings.Repeat("a/", 150))),
	"chmod -R paths":     repeat("chmod -R 777", " /"+strings.Repeat("a/", 500), ""),
	"cd chain":           repeat("", "cd a; ", "rm -rf x"),
	"cd chain abs":       repeat("", "cd /a; ", "rm -rf x"),
	"cd rm":              repeat("", "cd a; rm -rf x; ", "ls"),
	"cd cat":             repeat("", "cd a; cat x; ", "ls"),
	"cd long":            repeat("cd /", "a/", " && cd b && rm -rf x"),
	"rm many":            repeat("rm -rf", " a", ""),
	"rm many distinct":   both(repeat("rm -rf", " x", ""), count(" f#")),
	"cat many":           repeat("cat", " a", ""),
	"cat many distinct":  both(repeat("cat", " x", ""), count(" f#.txt")),
	"cp many":            repeat("cp", " a", " b"),
	"mv many":            repeat("mv", " a", " b"),
	"globs":              repeat("rm -rf", " a*b?", ""),
	"cat globs":          repeat("cat", " a*b?", ""),
	"stars":              repeat("rm -rf ", "*", ""),
	"brackets":           repeat("rm -rf ", "[ab]", ""),
	"cat stars":          repeat("cat ", "*a", ""),
	"cat star paths":     repeat("cat ", "*/", ".env"),
	"braces":             repeat("rm -rf ", "{a,b}", ""),
	"braces cat":         repeat("cat ", "{a,b}", ""),
	"braces nested":      both(repeat("", "ls; ", "rm -rf "), nest("{a,", "b", "}")),
	"braces open":        repeat("rm -rf ", "{a,", ""),
	"braces words":       repeat("cat", " {a,b}", ""),
	"braces commas":      repeat("rm -rf {", "a,", "b}"),
	"braces cat commas":  repeat("cat {", "a,", "b}"),
	"braces range":       repeat("rm -rf", " {1..9}", ""),
	"heredoc":            repeat("cat <<E\n", "line of text\n", "E\n"),
	"heredocs":           repeat("", "cat <<E\nx\nE\n", ""),
	"heredoc python":     repeat("python3 - <<E\n", "x = open('a')\n", "E\n"),
	"heredoc bash":       repeat("bash <<E\n", "ls\n", "E\n"),
	"vars":               repeat("rm -rf", " $A", ""),
	"vars in a word":     repeat("rm -rf ", "$A", ""),
	"vars in a word /":   repeat("rm -rf ", "$A/", ""),
	"vars cat":           repeat("cat ", "$A/", ""),
	"vars assigned":      both(count("A#=x; "), repeat("rm -rf", " $A1", "")),
	"same var assigned":  both(repeat("", "A=x; ", ""), repeat("rm -rf", " $A", "")),
	"var chain":          count("A#=$A#/x; "),
	"self var":           repeat("", "A=$A/x; ", "rm -rf $A"),
	"self var cat":       repeat("", "A=$A/x; ", "cat $A"),
	"defaults":           both(repeat("", "ls; ", "rm -rf "), nest("${A:-", "x", "}")),
	"arithmetic":         repeat("echo $((", "1+", "1))"),
	"arithmetic nested":  nest("echo $((", "1", "))"),
	"redirects":          repeat("ls", " >a", ""),
	"redirects in":       repeat("cat", " <a", ""),
	"redirects 2>&1":     repeat("ls", " 2>&1", ""),
	"assignments":        repeat("", "A=1 ", "ls"),
	"assignments git":    count("GIT_X#=1 "),
	"export":             repeat("export", " A=1", ""),
	"single quotes":      repeat("echo", " 'a b'", ""),
	"double quotes":      repeat("echo", ` "a b"`, ""),
	"quotes in a word":   repeat("rm -rf ", `'a'"b"`, ""),
	"escapes":            repeat("echo ", `\a`, ""),
	"comments":           repeat("", "# rm -rf /\n", "ls"),
	"long comment":       repeat("# ", "rm -rf / ", "\nls"),
	"case arms":          repeat("case $x in ", "a) ls;; ", "esac"),
	"case patterns":      repeat("case $x in ", "a|", "b) ls;; esac"),
	"functions":          count("f#() { ls; }; "),
	"functions called":   count("f#() { rm -rf x; }; f#; "),
	"same function":      repeat("f() { ls; }; ", "f; ", ""),
	"function chain":     count("f#() { f#; f#; }; "),
	"loops":              repeat("", "for i in a b; do rm $i; done; ", ""),
	"for words":          repeat("for i in", " a", "; do rm -rf $i; done"),
	"for words cat":      repeat("for i in", " a", "; do cat $i; done"),
	"while":              repeat("", "while read x; do cat $x; done < a; ", ""),
	"sed program":        repeat("sed '", "s/a/b/;", "' x"),
	"sed -e":             repeat("sed", " -e s/a/b/", " x"),
	"awk program":        repeat("awk '", "{print $1} ", "' x"),
	"perl program":       repeat("perl -e '", "print 1; ", "'"),
	"python program":     repeat(`python3 -c "`, "print(open('x')); ", `"`),
	"python ;":           repeat("", `python3 -c "open('x')"; `, "ls"),
	"node program":       repeat("node -e '", "f(1); ", "'"),
	"find -exec":         repeat("find .", ` -exec rm {} \;`, ""),
	"find -name":         repeat("find .", " -name a", " -delete"),
	"find paths":         repeat("find", " a", " -delete"),
	"find | xargs":       repeat("", "find . | xargs rm; ", ""),
	"find | grep":        repeat("", "find . | xargs grep x; ", ""),
	"find exec cat":      repeat("", `find . -exec cat {} \;; `, ""),
	"grep -r":            repeat("", "grep -r x .; ", ""),
	"grep -e":            repeat("grep -r", " -e x", " ."),
	"substitutions":      repeat("echo", " $(ls)", ""),
	"cat substitutions":  repeat("cat", " $(ls)", ""),
	"backquotes":         repeat("echo", " `ls`", ""),
	"proc substitutions": repeat("diff", " <(ls)", ""),
	"echo | bash":        repeat("", "echo ls | bash; ", ""),
	"curl | bash":        repeat("", "curl x | tee a; ", "bash a"),
	"curl -o":            count("curl -o f# x; bash f#; "),
	"ssh":                repeat("", "ssh h ls; ", ""),
	"ssh nested":         nest("ssh h ", "ls", ""),
	"docker":             repeat("", "docker run x ls; ", ""),
	"git -c":             repeat("git", " -c a=b", " push"),
	"git alias":          repeat("git", " -c alias.a=!ls", " a"),
	"git options":        repeat("git push", " --x", " origin main"),
	"sql":                repeat("psql -c '", "select 1; ", "'"),
	"sql many":           repeat("", "psql -c 'select 1'; ", ""),
	"kubectl":            repeat("", "kubectl get pods; ", ""),
	"kubectl args":       repeat("kubectl delete", " a", ""),
	"and or":             repeat("", "a || b && ", "c"),
	"background":         repeat("", "sleep 1 & ", ""),
	"newlines":           repeat("", "ls\n", ""),
	"tests":              repeat("", "[ -n $x ] && ", "ls"),
	"[[":                 repeat("[[ ", "a == b && ", "c ]]"),
	"arrays":             repeat("a=(", "x ", "); rm -rf ${a[@]}"),
	"alias":              count("alias a#=ls; "),
	"alias used":         count("alias a#=ls; a#; "),
	"eval vars":          repeat("", `eval "$X"; `, ""),
	"eval text":          repeat("eval '", "ls; ", "'"),
	"bash -c text":       repeat("bash -c '", "ls; ", "'"),
	"bash -c many":       repeat("", "bash -c 'ls'; ", ""),
	"bash -c var":        repeat("", `bash -c "$X rm"; `, ""),
	"trap":               repeat("", `trap "rm -rf $X" EXIT; `, ""),
	"printf":             repeat("", `printf "$X"; `, ""),
	"powershell":         repeat("", "Remove-Item x -Recurse; ", ""),
	"cmd":                repeat("cmd /c ", "del x & ", ""),
	"equals":             repeat("cat ", "a=", ".env"),
	"colons":             repeat("cat ", "a:", "b"),
	"commas":             repeat("cat ", "a,", "b"),
	"tilde":              repeat("rm -rf", " ~/a", ""),
	"home":               repeat("rm -rf", " $HOME/a", ""),
	"slashes":            repeat("rm -rf ", "/", "a"),
	"blanks":             repeat("ls", " ", "a"),
	"dollar":             repeat("echo ", "$", ""),
	"open parens":        repeat("", "(", ""),
	"open quotes":        repeat("echo ", `"$(`, ""),
	"env dumps":          repeat("", "env | grep x; ", ""),
	"cp settings":        repeat("cp", " a", " .claude/settings.json"),
	"settings":           repeat("", "echo x > .claude/x; ", ""),
	"ln":                 count("ln -s f# g#; cat g#; "),
	"mv chain":           count("mv f# g#; "),
	"tar":                repeat("tar czf x.tgz", " a", ""),
	"rsync":              repeat("rsync -a --delete", " --exclude=x", " a b"),
	"zip":                repeat("zip x", " a", ""),
	"dd":                 repeat("dd", " of=a", ""),
	"tr":                 repeat("", "echo a | tr a b | ", "sh"),
	"base64":             repeat("echo ", "YWFh", " | base64 -d | sh"),
	"xxd":                repeat("printf '", `\x41`, "' | sh"),
}

// decideAll has every rule of all packs decide on a line, and returns the number of look-ups on the disk.
func decideAll(t *testing.T, line, dir string) (lookUps int) {
	t.Helper()
	input, err := json.Marshal(map[string]string{"command": line})
	require.NoError(t, err)
	c := NewCall(permission.Call{Tool: "shell", Kind: permission.Shell, Input: string(input), Dir: dir, Root: dir,
		Home: "/home/user"}.WithCache(), true)
	for _, p := range All() {
		for i := range p.Rules {
			p.Rules[i].Decide(c)
		}
	}
	return c.facts.LookUps()
}

// TestStepsGrowWithTheLine: the work of all packs for a line is in proportion to its length. Steps are look-ups on the
// disk and allocated bytes. Work without either shows in the processor's time of the test's own thread, of which only a
// ratio counts: for a line of eight times the length, quadratic work takes 64 times as long.
func TestStepsGrowWithTheLine(t *testing.T) {
	testall.Alone(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection takes time, and empties the pools
	dir := t.TempDir()
	steps := func(line string) (lookUps, bytes int, took time.Duration) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := processorTime()
		lookUps = decideAll(t, line, dir)
		took = processorTime() - start
		runtime.ReadMemStats(&after)
		return lookUps, int(after.TotalAlloc - before.TotalAlloc), took
	}
	const small = shellline.MaxLine / 32
	for name, of := range shapes {
		if name == "defaults" { // each is read again for quotes; the limit of 10,000 brackets bounds the time
			decideAll(t, of(8*small), dir)
			continue
		}
		runtime.GC()
		decideAll(t, of(4*small), dir) // fills the pools
		lookUps, bytes, _ := steps(of(2 * small))
		more, moreBytes, _ := steps(of(4 * small))
		assert.LessOrEqual(t, more, lookUps*22/10+50, name)
		assert.LessOrEqual(t, moreBytes, bytes*3+1<<20, name) // slices grow in steps
		short, long := time.Hour, time.Hour
		for range 9 { // other processes use the same caches
			_, _, took := steps(of(small))
			short = min(short, took)
			_, _, took = steps(of(8 * small))
			if long = min(long, took); long <= 32*max(short, 2*time.Millisecond) {
				break
			}
		}
		assert.LessOrEqual(t, long, 32*max(short, 2*time.Millisecond), name)
	}
}

// TestTimeOfLongLines prints what all packs take for lines of 128 KiB, with HOOKRUN_TEST_TIMES=1.
func TestTimeOfLongLines(t *testing.T) {
	if os.Getenv("HOOKRUN_TEST_TIMES") == "" {
		t.Skip("prints a table")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	dir := t.TempDir()
	for name, of := range shapes {
		best := time.Hour
		for range 3 {
			start := processorTime()
			decideAll(t, of(shellline.MaxLine-1), dir)
			best = min(best, processorTime()-start)
		}
		t.Logf("%8.1f ms  %s", best.Seconds()*1000, name)
	}
}

// processorTime returns the time that this thread has had.
func processorTime() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
