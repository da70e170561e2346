package permission

// reason is why a rule matches or does not: a phrase to put after the rule.
type reason struct {
	text  string
	doubt doubtKind
	// subject is the part of text that names what is in doubt.
	subject string
}

// doubtKind says what hookrun cannot tell about a call that a rule matches out of doubt.
type doubtKind int

const (
	certain     doubtKind = iota
	ofCall                // what the call works on
	ofEqualKeys           // which of two equal keys the tool reads
	ofLine                // what the line runs
	ofNoCommand           // there is no command to look at
	ofCommand             // what the words of a command become
	ofWords               // whether a text with all words of the rule is run
	ofFiles               // which files are meant
)

// String is the phrase. That of a match out of doubt says that the hook runs.
func (w reason) String() string {
	if w.isDoubt() {
		return w.text + ", so the hook runs"
	}
	return w.text
}

// isDoubt reports whether the rule matches only because hookrun cannot tell.
func (w reason) isDoubt() bool { return w.doubt != certain }

func because(text string) reason { return reason{text: text} }

// doubt returns a match because of a doubt about the call.
func doubt(text string) (bool, reason) { return true, reason{text: text, doubt: ofCall} }

// doubtOf returns a match because of a doubt about a subject, which stands in the phrase between before and after.
func doubtOf(kind doubtKind, before, subject, after string) (bool, reason) {
	return true, reason{text: before + subject + after, doubt: kind, subject: subject}
}

func throughNot(why string) (bool, reason) {
	return doubtOf(ofLine, "cannot see through the line (", why, ")")
}
