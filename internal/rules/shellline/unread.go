package shellline

import "strings"

// Unread says through which part of the line a rule cannot see, and in which command, as the words behind "it has".
// by names the command if only the shell knows what the command runs. Both are "" if all of the line is read.
func (r *Unwrapped) Unread() (part, by string) {
	why, within := r.Opaque.Why, ""
	if r.Within != "" {
		within = brief(r.Within)
	}
	if name, isRun := strings.CutPrefix(why, "what "); isRun {
		if name, isRun = strings.CutSuffix(name, knownOnlyThen); isRun {
			if within == "" {
				within = name
			}
			return "", within
		}
	}
	if why != "" && within != "" && !OverLimit(why) && !strings.Contains(why, `"`) {
		why += " in " + within
	}
	return why, ""
}

// knownOnlyThen ends the reason for a program whose command the shell computes.
const knownOnlyThen = " runs, which is known only then"

// addOpaque adds a part that is not read, of a command or a line with a text.
func (r *Unwrapped) addOpaque(more Opaque, text string) {
	before := r.Opaque
	if r.Opaque.add(more); r.Opaque != before {
		r.Within = text
	}
}

// runsWhole notes that a command may run a part of the line.
func (r *Unwrapped) runsWhole(may bool, command string) {
	if may && !r.wholeLine {
		r.wholeLine, r.runner = true, command
	}
}

// addWholeLine adds the line as a text that a part of the line may run.
func (r *Unwrapped) addWholeLine(text string) {
	name := "the line, which writes a file and runs a file"
	switch {
	case r.runner != "":
		name = "the line, of which " + brief(r.runner) + " may run a part"
	case r.zshArithmetic:
		name = "the line, whose values zsh may evaluate"
	}
	r.Hints = append(r.Hints, Hint{Text: text, Name: name, Weak: !r.strong})
}
