package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/rules/pack"
)

var showPack = command{
	name:    "pack",
	args:    "[PACK[/RULE]] | --changes [PACK]",
	takes:   pack.Names,
	summary: "list the ready rules, and explain one",
	about: `Without an argument it lists the packs of ready rules. With the name of a pack it lists that pack's
rules, and with the name of a rule it says what that blocks, why, what to do instead, what it cannot
see, and examples. A hooks file takes packs by name: {"packs": ["git"]}.

With --changes it says what each version of the packs, or of PACK, adds: new rules, and calls that
an older rule blocks as well, with examples. {"packs": ["git@1"]} takes no new rules.`,
	example: "  hookrun pack git\n  hookrun pack git/no-force-push\n  hookrun pack --changes git",
	setup: func(flags *pflag.FlagSet) func([]string, Streams) (int, error) {
		changes := flags.Bool("changes", false, "say what each version of the packs adds")
		return func(args []string, std Streams) (int, error) {
			switch {
			case *changes && len(args) < 2:
				text, err := listChanges(args)
				if err != nil {
					return 0, err
				}
				return exitOK, write(std, text)
			case len(args) == 0:
				return exitOK, write(std, listPacks())
			case len(args) == 1:
				text, err := describePack(args[0])
				if err != nil {
					return 0, err
				}
				return exitOK, write(std, text)
			}
			return 0, errors.New("give one pack or one rule, as in hookrun pack git/no-force-push")
		}
	},
}

func listPacks() string {
	var b strings.Builder
	for _, p := range pack.All() {
		fmt.Fprintf(&b, "%-8s %s\n", p.Name, p.Summary)
	}
	b.WriteString("\nA hooks file takes them by name, as {\"packs\": [\"git\"]}. hookrun pack PACK lists the rules.\n")
	return b.String()
}

// listChanges lists what the versions of a pack hold in addition to the version before, or those of all packs.
func listChanges(names []string) (string, error) {
	all := pack.All()
	if len(names) > 0 {
		p, err := pack.Named(names[0])
		if err != nil {
			return "", err
		}
		all = []*pack.Pack{p}
	}
	var b strings.Builder
	for _, p := range all {
		if p.Version == 1 {
			fmt.Fprintf(&b, "%s has only version 1\n\n", p.Name)
		}
		for version := 2; version <= p.Version; version++ {
			fmt.Fprintf(&b, "%s, version %d\n", p.Name, version)
			for i := range p.Rules {
				r := &p.Rules[i]
				examples, what := r.Wider(version), "also "+r.Does()
				if r.Since == version {
					examples, what = r.Block()[:1], "is new, and "+r.Does()+" "+r.Blocks
				}
				if len(examples) > 0 {
					fmt.Fprintf(&b, "  %s %s\n", p.ID(r), what)
				}
				for _, e := range examples {
					b.WriteString("    " + strings.ReplaceAll(e.String(), "\n", "\n    ") + "\n")
				}
			}
			b.WriteString("\n")
		}
	}
	b.WriteString("{\"packs\": [\"git@1\"]} takes no rule that is new after version 1. The other lines are blocked " +
		"with every\n" +
		"version, since hookrun has one form of each rule.\n")
	return b.String(), nil
}

// describePack describes a pack, or a rule of a pack.
func describePack(name string) (string, error) {
	of, rule, isRule := strings.Cut(name, "/")
	p, err := pack.Named(of)
	if err != nil {
		return "", err
	}
	if !isRule {
		var b strings.Builder
		fmt.Fprintf(&b, "%s, version %d: %s\n\n", p.Name, p.Version, p.Summary)
		for i := range p.Rules {
			fmt.Fprintf(&b, "%s\n  %s %s\n", p.ID(&p.Rules[i]), p.Rules[i].Does(), p.Rules[i].Blocks)
		}
		return b.String(), nil
	}
	r := p.Rule(rule)
	if r == nil {
		var names []string
		for i := range p.Rules {
			names = append(names, p.Rules[i].Name)
		}
		return "", fmt.Errorf("the pack %s has no rule %q; it has %s%s", p.Name, rule, strings.Join(names, ", "),
			spelling.Suggest(rule, names))
	}
	return describeRule(p.ID(r), r, true), nil
}

// describeRule explains a rule, with its examples or without.
func describeRule(id string, r *pack.Rule, examples bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nIt %s %s. %s\nInstead: %s\n", id, r.Does(), r.Blocks, r.Why(), r.Instead())
	if r.Limits() != "" {
		fmt.Fprintf(&b, "It cannot see: %s\n", r.Limits())
	}
	list := func(title string, examples []pack.Example) {
		fmt.Fprintf(&b, "\n%s\n", title)
		for _, e := range examples {
			b.WriteString("  " + strings.ReplaceAll(e.String(), "\n", "\n  ") + "\n")
		}
	}
	if examples {
		list("It "+r.Does()+":", r.Block())
		list("Let through:", r.Pass())
	}
	return b.String()
}
