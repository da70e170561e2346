package permission

import "github.com/hookrun/hookrun/internal/rules/shellline"

// reason is why a rule matches or does not: a phrase to put after the rule.
type reason struct {
	text  string
	doubt doubtKind
	// subject is the part of text that names the object of the doubt.
	subject string
}

// doubtKind is the question about a call that hookrun cannot answer, if a rule matches out of doubt.
type doubtKind int

const (
	certain     doubtKind = iota
	ofCall                // what the call works on
	ofEqualKeys           // which of two equal keys the tool reads
	ofLine                // what the line runs
	ofNoCommand           // the call has no visible command
	ofCommand             // what the words of a command become
	ofWords               // whether a text with all words of the rule is run
	ofFiles               // which files are meant
)

// String returns the phrase. For a match out of doubt, the phrase says that the hook runs.
func (w reason) String() string {
	if w.isDoubt() {
		return w.text + ", so the hook runs"
	}
	return w.text
}

// isDoubt reports whether the rule matches only because hookrun is in doubt.
func (w reason) isDoubt() bool { return w.doubt != certain }

func because(text string) reason { return reason{text: text} }

// doubt returns a match because of a doubt about the call.
func doubt(text string) (bool, reason) { return true, reason{text: text, doubt: ofCall} }

// doubtOf returns a match because of a doubt about a subject. The phrase has the subject between before and after.
func doubtOf(kind doubtKind, before, subject, after string) (bool, reason) {
	return true, reason{text: before + subject + after, doubt: kind, subject: subject}
}

func opaqueLine(why string) (bool, reason) {
	subject := "it has " + why
	if shellline.OverLimit(why) {
		subject = why
	}
	return true, reason{"cannot see through the line (" + why + ")", ofLine, subject}
}

// unreadLine returns a match because of a part of the line that is not read, with the ground for the doubt.
func (r Rule) unreadLine(line *shellline.Unwrapped) (bool, reason) {
	_, why := opaqueLine(line.Opaque.Why)
	switch part, by := line.Unread(); {
	case by != "":
		why.subject = "only the shell knows what " + by + " runs"
	case shellline.OverLimit(part):
	case line.Opaque.Computed:
		why.subject = "it has " + part + ", which may run any command"
	default:
		why.subject = "it has " + part + ", and the text has the words of the rule " + r.text
	}
	return true, why
}
