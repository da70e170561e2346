package re2

import (
	"regexp"
	"strings"
	"testing"
)

// BenchmarkFind compares with package regexp: for what there is in a text of 2 KB, and for all matches.
func BenchmarkFind(b *testing.B) {
	text := strings.Repeat(`{"command":"git push --force origin main && rm -rf ./build","cwd":"/home/ann/src","n":123456} `, 22)
	for name, expression := range map[string]string{
		"literal":     "AKIA",
		"key":         `AKIA[0-9A-Z]{16}`,
		"words":       `\b(?:rm|dd|mkfs)\s+-rf?\s+/(?:\s|$)`,
		"fold":        `(?i)password\s*=\s*\S+`,
		"digits":      `\d{8}`,
		"start":       `^git\s+push`,
		"alternation": `(?:git|hg|svn) (?:pull|clone|fetch)`,
		"any":         `.*force.*nowhere`,
		"found":       `[a-z]+@?[a-z]+`,
		"mail":        `[\w.]+@[\w.]+`,
	} {
		re, err := Compile(expression)
		if err != nil {
			b.Fatal(err)
		}
		other := regexp.MustCompile(expression)
		b.Run(name+"/match", func(b *testing.B) {
			for b.Loop() {
				re.Match(text)
			}
		})
		b.Run(name+"/match/regexp", func(b *testing.B) {
			for b.Loop() {
				other.MatchString(text)
			}
		})
		b.Run(name+"/all", func(b *testing.B) {
			for b.Loop() {
				re.FindAll(text, -1)
			}
		})
		b.Run(name+"/all/regexp", func(b *testing.B) {
			for b.Loop() {
				other.FindAllStringIndex(text, -1)
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	const expression = `^\s*(?:git|hg)\s+push\b.*--force(?:-with-lease)?`
	b.Run("re2", func(b *testing.B) {
		for b.Loop() {
			re, _ := Compile(expression)
			re.prog()
		}
	})
	b.Run("parse", func(b *testing.B) {
		for b.Loop() {
			Parse(expression)
		}
	})
	b.Run("regexp", func(b *testing.B) {
		for b.Loop() {
			regexp.MustCompile(expression)
		}
	})
}
