package cli

import (
	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/clients/install"
)

var uninstallClient = command{
	name:    "uninstall",
	args:    "CLIENT… [FLAGS]",
	takes:   install.Names,
	summary: "take hookrun's hook out of a client's settings again",
	about: `Removes what install added to the settings of a client, and prints what changes. If nobody has edited
the file since, it is byte for byte what it was, or gone if install made it. The clients:
{CLIENT NAMES}.

With --managed it takes the hook out of the settings for all users of this machine, for one client or
several. The managed hooks file stays.

Persistent hooks that are warm in the project end; with --user and --managed those of all projects.`,
	example: "  hookrun uninstall claude\n  hookrun uninstall codex --user --dry-run",
	setup: func(flags *pflag.FlagSet) func([]string, Streams) (int, error) {
		var s settingsFlags
		var m managedFlags
		s.define(flags)
		m.define(flags, &s)
		return func(args []string, std Streams) (int, error) {
			if err := m.check(); err != nil {
				return 0, err
			}
			if m.on {
				if err := m.uninstall(args, std); err != nil || s.dryRun {
					return exitOK, err
				}
				_, err := endWarm("")
				return exitOK, err
			}
			client, place, err := s.find(args)
			if err != nil {
				return 0, err
			}
			binary, err := install.OwnPath()
			if err != nil {
				return 0, err
			}
			changes, err := client.UninstallAll(place, binary)
			if err != nil {
				return 0, err
			}
			s.diffs = true
			if err := s.apply(changes, std, "", "has no hook of hookrun's"); err != nil || s.dryRun {
				return exitOK, err
			}
			of := s.workspace
			if s.user {
				of = ""
			}
			_, err = endWarm(of)
			return exitOK, err
		}
	},
}
