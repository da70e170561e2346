package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/lib/spelling"
)

// choice is a flag with few possible values. Most calls need neither the list nor the usage, so both are made when
// asked for.
type choice struct {
	text   *string
	values func() []string
}

func (c *choice) String() string         { return *c.text }
func (c *choice) Set(value string) error { *c.text = value; return nil }
func (c *choice) Type() string           { return "string" }

// choicesOf returns the possible values of a flag, or nil if there are too many.
func choicesOf(f *pflag.Flag) []string {
	if c, ok := f.Value.(*choice); ok {
		return c.values()
	}
	return nil
}

// defineChoice adds a flag with few possible values. In the usage the values replace {WORDS} as its placeholder, or
// {LIST}.
func defineChoice(flags *pflag.FlagSet, p *string, name, short, value, usage string, values func() []string) {
	*p = value
	flags.VarP(&choice{p, values}, name, short, usage)
}

// defineWord adds a flag whose value is one of the words.
func defineWord(flags *pflag.FlagSet, p *string, name, value, usage string, words ...string) {
	defineChoice(flags, p, name, "", value, usage, func() []string { return words })
}

// defineOutput adds the flag of the output forms. The first is the default.
func defineOutput(flags *pflag.FlagSet, form *string, forms ...string) {
	defineOutputs(flags, form, forms[0], func() []string { return forms })
}

// defineOutputs adds the flag of the output forms.
func defineOutputs(flags *pflag.FlagSet, form *string, value string, forms func() []string) {
	defineChoice(flags, form, "output", "o", value, "output `FORM`: {LIST}", forms)
}

// fillUsages puts the possible values into the usages of flags.
func fillUsages(flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if words := choicesOf(f); words != nil {
			f.Usage = strings.NewReplacer("{WORDS}", "`"+strings.Join(words, "|")+"`",
				"{LIST}", strings.Join(words, ", ")).Replace(f.Usage)
		}
	})
}

// list is a flag that may be repeated.
type list []string

func (l *list) String() string         { return strings.Join(*l, ",") }
func (l *list) Set(value string) error { *l = append(*l, value); return nil }
func (l *list) Type() string           { return "stringArray" }

// checkOutput returns an error for an output form that the command does not have.
func checkOutput(flags *pflag.FlagSet) error {
	f := flags.Lookup("output")
	if forms := choicesOf(f); f.Changed && !slices.Contains(forms, f.Value.String()) {
		return fmt.Errorf("--output %q is not one of %s", f.Value, strings.Join(forms, ", "))
	}
	return nil
}

// checkWord returns an error with a suggestion for an impossible value of a flag. A flag that is not on the command
// line keeps its default.
func checkWord(flags *pflag.FlagSet, name string) error {
	f := flags.Lookup(name)
	if !f.Changed {
		return nil
	}
	words, value := choicesOf(f), f.Value.String()
	if slices.Contains(words, value) {
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
