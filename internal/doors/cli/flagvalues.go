package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/lib/spelling"
)

// valuesKey is the annotation with a flag's possible values, for completion.
const valuesKey = "values"

// setValues sets the possible values of a flag.
func setValues(flags *pflag.FlagSet, name string, values ...string) {
	_ = flags.SetAnnotation(name, valuesKey, values) // an error would mean an unknown flag
}

// defineWord adds a flag whose value is one of the words, which replace {WORDS} in the usage.
func defineWord(flags *pflag.FlagSet, p *string, name, value, usage string, words ...string) {
	flags.StringVar(p, name, value, strings.Replace(usage, "{WORDS}", "`"+strings.Join(words, "|")+"`", 1))
	setValues(flags, name, words...)
}

// defineOutput adds the flag of the output forms. The first is the default.
func defineOutput(flags *pflag.FlagSet, form *string, forms ...string) {
	flags.StringVarP(form, "output", "o", forms[0], "output `FORM`: "+strings.Join(forms, ", "))
	setValues(flags, "output", forms...)
}

// checkOutput returns an error for an output form that the command does not have.
func checkOutput(flags *pflag.FlagSet) error {
	f := flags.Lookup("output")
	if forms := f.Annotations[valuesKey]; !slices.Contains(forms, f.Value.String()) {
		return fmt.Errorf("--output %q is not one of %s", f.Value, strings.Join(forms, ", "))
	}
	return nil
}

// checkWord returns an error with a suggestion for an impossible value of a flag. A flag that is not on the command
// line keeps its default.
func checkWord(flags *pflag.FlagSet, name string) error {
	f := flags.Lookup(name)
	words, value := f.Annotations[valuesKey], f.Value.String()
	if !f.Changed || slices.Contains(words, value) {
		return nil
	}
	near := spelling.Suggest(value, words)
	return fmt.Errorf("--%s %q is not one of %s%s", name, value, strings.Join(words, ", "), near)
}

// noneEmpty returns an error for a flag that is given and empty: most likely the caller's variable is unset.
func noneEmpty(flags *pflag.FlagSet, names ...string) error {
	for _, name := range names {
		if f := flags.Lookup(name); f != nil && f.Changed && f.Value.String() == "" {
			return fmt.Errorf("--%s is empty; leave it out for the default", name)
		}
	}
	return nil
}
