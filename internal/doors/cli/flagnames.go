package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/pflag"
)

// otherName returns the second name of a flag with two names. A command defines one of the two and accepts both; help
// shows the defined name, and mentions the other.
func otherName(flag string) string {
	switch flag {
	case "session":
		return "session-id"
	case "session-id":
		return "session"
	case "agent":
		return "agent-id"
	case "agent-id":
		return "agent"
	}
	return ""
}

// parseFlags parses the flags of a command. It refuses different values under the two names of a flag, because the
// user's intention is unclear. A repeatable flag takes both.
func parseFlags(flags *pflag.FlagSet, args []string) error {
	var twoNames []string // the defined names of flags with two
	flags.VisitAll(func(f *pflag.Flag) {
		if other := otherName(f.Name); other != "" {
			twoNames = append(twoNames, f.Name)
			f.Usage += "; also --" + other
		}
	})
	written := "" // the name in the command line of the current flag
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		written = name
		if other := otherName(name); slices.Contains(twoNames, other) {
			return pflag.NormalizedName(other)
		}
		return pflag.NormalizedName(name)
	})
	type spelling struct{ name, value string }
	earlier := map[*pflag.Flag]spelling{}
	return flags.ParseAll(args, func(f *pflag.Flag, value string) error {
		_, repeatable := f.Value.(*list)
		if now := (spelling{written, value}); otherName(f.Name) != "" && !repeatable {
			before, given := earlier[f]
			if given && before.name != now.name && before.value != now.value {
				const text = "--%s %q and --%s %q are two values of one flag; give one of the two"
				return fmt.Errorf(text, before.name, before.value, now.name, now.value)
			}
			earlier[f] = now
		}
		return flags.Set(f.Name, value)
	})
}
