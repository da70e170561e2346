package cases

import (
	"fmt"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/internal/lib/secret"
)

// JUnit returns results as JUnit XML for CI systems, with a suite for each file. It does not use encoding/xml, because
// that would be a tenth of the binary.
func JUnit(results []Result, took time.Duration) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"hookrun test\"%s>\n",
		counts(results, took))
	for len(results) > 0 {
		n := 1
		for n < len(results) && results[n].File == results[0].File {
			n++
		}
		suite(&b, results[:n])
		results = results[n:]
	}
	b.WriteString("</testsuites>\n")
	return b.String()
}

func suite(b *strings.Builder, results []Result) {
	var took time.Duration
	for i := range results {
		took += time.Duration(results[i].Duration)
	}
	fmt.Fprintf(b, "  <testsuite%s%s>\n", attribute("name", results[0].File), counts(results, took))
	for i := range results {
		r := &results[i]
		fmt.Fprintf(b, "    <testcase%s%s%s line=\"%d\" time=\"%.3f\"",
			attribute("name", r.Name), attribute("classname", r.File), attribute("file", r.File),
			r.Line, time.Duration(r.Duration).Seconds())
		if r.OK {
			b.WriteString("/>\n")
			continue
		}
		fmt.Fprintf(b, ">\n      <failure%s>%s</failure>\n    </testcase>\n",
			attribute("message", r.Problems[0]), escaped(strings.Join(r.lines(), "\n")))
	}
	b.WriteString("  </testsuite>\n")
}

// lines describe a failure: the differences, and the status and stderr of each hook.
func (r *Result) lines() []string {
	lines := append([]string{}, r.Problems...)
	if r.Outcome == nil {
		return lines
	}
	for _, h := range r.Outcome.Hooks {
		lines = append(lines, fmt.Sprintf("hook '%s' (%s): %s",
			printable.Escape(h.Name), printable.Escape(h.Source), h.Status))
		if h.Stderr != "" {
			lines = append(lines, h.Stderr)
		}
	}
	return lines
}

func counts(results []Result, took time.Duration) string {
	failed := 0
	for i := range results {
		if !results[i].OK {
			failed++
		}
	}
	return fmt.Sprintf(" tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"0\" time=\"%.3f\"",
		len(results), failed, took.Seconds())
}

func attribute(name, value string) string { return " " + name + `="` + escaped(value) + `"` }

// escaped escapes a text for an attribute or element of XML 1.0. Line breaks and tabs are escaped, because readers turn
// them into spaces in attributes. Characters that XML cannot have, such as terminal colours, become
// U+FFFD. Secrets are hidden.
func escaped(s string) string {
	var b strings.Builder
	for _, r := range secret.Mask(s) {
		switch {
		case strings.ContainsRune("&<>\"'\t\n\r", r):
			fmt.Fprintf(&b, "&#%d;", r)
		case r < ' ' || r == 0xfffe || r == 0xffff:
			b.WriteRune('\ufffd')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
