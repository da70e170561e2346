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
	args:    "[PACK[/RULE]]",
	summary: "list the ready rules, and explain one",
	about: `Without an argument it lists the packs of ready rules. With the name of a pack it lists that pack's
rules, and with the name of a rule it says what that blocks, why, what to do instead, what it cannot
see, and examples. A hooks file takes packs by name: {"packs": ["git"]}.`,
	example: "  hookrun pack git\n  hookrun pack git/no-force-push",
	setup: func(*pflag.FlagSet) func([]string, Streams) (int, error) {
		return func(args []string, std Streams) (int, error) {
			switch len(args) {
			case 0:
				return exitOK, write(std, listPacks())
			case 1:
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
	return describeRule(p.ID(r), r), nil
}

func describeRule(id string, r *pack.Rule) string {
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
	list("It "+r.Does()+":", r.Block())
	list("Let through:", r.Pass())
	return b.String()
}
