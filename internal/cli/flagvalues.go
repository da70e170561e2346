package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/spelling"
)

// valuesKey is the annotation of a flag with the values that it can have. Completion offers them.
const valuesKey = "values"

// setValues says which values a flag can have.
func setValues(flags *pflag.FlagSet, name string, values ...string) {
	_ = flags.SetAnnotation(name, valuesKey, values) // an error would be that there is no such flag
}

// defineWord adds a flag that has one of some words, which stand for {WORDS} in its usage.
func defineWord(flags *pflag.FlagSet, p *string, name, value, usage string, words ...string) {
	flags.StringVar(p, name, value, strings.Replace(usage, "{WORDS}", "`"+strings.Join(words, "|")+"`", 1))
	setValues(flags, name, words...)
}

// defineOutput adds the flag of the output forms. The first is the default.
func defineOutput(flags *pflag.FlagSet, form *string, forms ...string) {
	flags.StringVarP(form, "output", "o", forms[0], "output `FORM`: "+strings.Join(forms, ", "))
	setValues(flags, "output", forms...)
}

// checkOutput refuses an output form that the command does not have.
func checkOutput(flags *pflag.FlagSet) error {
	f := flags.Lookup("output")
	if forms := f.Annotations[valuesKey]; !slices.Contains(forms, f.Value.String()) {
		return fmt.Errorf("--output %q is not one of %s", f.Value, strings.Join(forms, ", "))
	}
	return nil
}

// checkWord refuses a value that a flag cannot have, and suggests one. A flag that the command line does not have
// keeps its default.
func checkWord(flags *pflag.FlagSet, name string) error {
	f := flags.Lookup(name)
	words, value := f.Annotations[valuesKey], f.Value.String()
	if !f.Changed || slices.Contains(words, value) {
		return nil
	}
	near := spelling.Suggest(value, words)
	return fmt.Errorf("--%s %q is not one of %s%s", name, value, strings.Join(words, ", "), near)
}
