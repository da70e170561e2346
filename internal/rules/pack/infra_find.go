package pack

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/rules/programs"
)

// ofScripts are the facts of a script that the program of a language has, too: php artisan.
const ofScripts = programs.Cluster | programs.Infra | programs.Containers | programs.Cloud | programs.Publishes |
	programs.Drops | programs.Backups

// ofScript returns facts of the script, or the program of the project, that a command runs by a name in its arguments:
// `python manage.py`, `python -m alembic`, `php bin/console`, `yarn prisma`.
func (c *Command) ofScript() programs.Fact {
	if !c.Row.Is(programs.Language) && !c.Row.Says("binaries") {
		return 0
	}
	options, operands := c.Row.Parse(c.Args)
	if c.Row.Is(programs.Modules) {
		for _, o := range options {
			if o.Name == "m" {
				row, _ := programs.Find(programName(o.Value))
				return row.Facts(operands) & ofScripts
			}
		}
	}
	if len(operands) == 0 {
		return 0
	}
	row, ok := programs.Find(programName(operands[0]))
	if !ok {
		return 0
	}
	at := slices.IndexFunc(c.Args, func(w Word) bool { return w.Text == operands[0].Text })
	return row.Facts(c.Args[at+1:]) & ofScripts
}

// resetsDatabase finds commands of frameworks, and of tools for migrations, that drop the tables of a database. The
// database of the tests is free: tests reset it themselves.
func resetsDatabase(c *Call) Found {
	for i := range c.Commands {
		cmd := &c.Commands[i]
		const dry = "--pretend,--sql,--dump-sql,--preview"
		if cmd.does(programs.Drops) && !cmd.Row.Says("statement") && !cmd.isDry() && !cmd.has(dry) &&
			!cmd.isForTests() {
			return Found{Subject: cmd.String()}
		}
	}
	return Found{}
}

// isForTests reports whether a command is for the environment of tests: RAILS_ENV=test, --env=testing, -e test. Each
// variable and option that names an environment must say so.
func (c *Command) isForTests() (is bool) {
	isTest := func(value string) bool { return value == "test" || value == "testing" }
	words := slices.Concat(c.Env, c.Args)
	for i, w := range words {
		name, value, ok := strings.Cut(w.Text, "=")
		if !ok && i+1 < len(words) {
			value = words[i+1].Text
		}
		isVariable := ok && name == strings.ToUpper(name) && strings.HasSuffix(name, "ENV")
		if !isVariable && !slices.Contains([]string{"-e", "--env", "--environment"}, name) {
			continue
		}
		if is = isTest(value); !is {
			return false
		}
	}
	return is
}

func publishes(c *Call) Found {
	for i := range c.Commands {
		if cmd := &c.Commands[i]; cmd.does(programs.Publishes) && !cmd.isDry() && !cmd.publishesLocally() {
			return Found{Subject: cmd.String()}
		}
	}
	return Found{}
}

// publishesLocally reports whether a command publishes only to this machine: all registries that the command names are
// local, or the images are named for a local registry.
func (c *Command) publishesLocally() (is bool) {
	const registries = " --registry --repository-url --publish-url --host --source "
	for i, w := range c.Args {
		name, value, attached := strings.Cut(w.Text, "=")
		if !attached && i+1 < len(c.Args) && !c.Args[i+1].Computed {
			value = c.Args[i+1].Text
		}
		if !strings.HasPrefix(name, "--") || !programs.In(registries, name) {
			continue
		}
		if is = !w.Computed && isLocal(value); !is {
			return false
		}
	}
	for _, w := range c.Env {
		if name, value, _ := strings.Cut(w.Text, "="); strings.EqualFold(name, "npm_config_registry") {
			is = is || !w.Computed && isLocal(value)
		}
	}
	if is {
		return true
	}
	for _, w := range append(c.operands(), c.Row.Values("t,tag", c.Args)...) {
		isImage := strings.HasPrefix(w.Text, "oci://") || c.Row.Name == "docker" && strings.Contains(w.Text, "/")
		if is = is || isImage && !w.Computed && isLocal(w.Text); isImage && !isLocal(w.Text) {
			return false
		}
	}
	return is
}

// isLocal reports whether the host in an address, or in the name of an image, is this machine or a host of the local
// network by its name: localhost, 127.0.0.1, registry.local.
func isLocal(address string) bool {
	if _, rest, ok := strings.Cut(address, "://"); ok {
		address = rest
	}
	host, _, _ := strings.Cut(address, "/")
	if strings.ContainsAny(host, `\?#`) { // programs differ about what follows
		return false
	}
	host = strings.ToLower(host[strings.LastIndexByte(host, '@')+1:])
	if ip, err := netip.ParseAddrPort(host); err == nil {
		return ip.Addr().IsLoopback()
	}
	if ip, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return ip.IsLoopback()
	}
	host, _, _ = strings.Cut(host, ":")
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || strings.HasSuffix(host, ".local")
}
