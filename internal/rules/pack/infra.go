package pack

import (
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/rules/programs"
)

var infra = Pack{
	Name: "infra", Version: 2, Summary: "no deletion in clusters, clouds, containers and databases, nothing published",
	Rules: []Rule{
		{
			Name: "no-cluster-delete", Blocks: "a command that deletes resources of a cluster",
			Find: func(c *Call) Found { return c.firstThat(programs.Cluster) },
		},
		{
			Name: "no-infra-destroy", Blocks: "a command that destroys infrastructure",
			Find: func(c *Call) Found { return c.firstThat(programs.Infra) },
		},
		{
			Name: "no-container-delete", Blocks: "a command that deletes volumes, unused images, or running containers",
			Find: func(c *Call) Found { return c.firstThat(programs.Containers) },
		},
		{
			Name:   "no-cloud-delete",
			Blocks: "a command that deletes something in a cloud, at a host of code or in another service",
			Find:   deletesInCloud,
		},
		{
			Name: "no-data-drop", Blocks: "a statement that drops, empties or deletes a whole table or database",
			Find: dataDrop,
		},
		{
			Name: "no-database-reset", Blocks: "a command that drops or resets the database of a project", Since: 2,
			Find: resetsDatabase,
		},
		{
			Name: "no-publish", Blocks: "a command that publishes a package, an image or a release",
			Find: publishes,
		},
		{
			Name: "no-backup-delete", Blocks: "a command that deletes backups", Since: 2,
			Find: func(c *Call) Found { return c.firstThat(programs.Backups) },
		},
		{
			Name: "no-power-off", Blocks: "a command that switches a machine off or restarts it", Since: 2,
			Find: func(c *Call) Found { return c.first(programs.Power) },
		},
		{
			Name: "no-privileged-container", Blocks: "a container with power over this machine", Since: 2, Asks: true,
			Find: func(c *Call) Found { return c.first(programs.Privileged) },
		},
	},
}

// isDry reports whether a command only shows its effect or its help.
func (c *Command) isDry() bool {
	for i, w := range c.Args {
		switch w.Text {
		case "--dry-run", "--dryrun", "--dry-run=client", "--dry-run=server", "--dry-run=true", "--help", "-h", "-help",
			"--generate-cli-skeleton":
			return true
		case "help":
			return i == 0
		}
	}
	return false
}

// firstThat finds the first command with an effect that is not a dry run.
func (c *Call) firstThat(effect programs.Fact) Found {
	for i := range c.Commands {
		if cmd := &c.Commands[i]; cmd.does(effect) && !cmd.isDry() {
			return Found{Subject: cmd.String()}
		}
	}
	return Found{}
}

// first finds the first command with an effect whose row says all about help and dry runs: -h is no help there.
func (c *Call) first(effect programs.Fact) Found {
	for i := range c.Commands {
		if cmd := &c.Commands[i]; cmd.does(effect) {
			return Found{Subject: cmd.String()}
		}
	}
	return Found{}
}

// deletesInCloud finds what no row of the table says: the operations of aws by their verbs, and calls of a host's API.
func deletesInCloud(c *Call) Found {
	if found := c.firstThat(programs.Cloud); found.Subject != "" {
		return found
	}
	for i := range c.Commands {
		cmd := &c.Commands[i]
		if (cmd.deletesInAWS() || cmd.deletesByAPI()) && !cmd.isDry() {
			return Found{Subject: cmd.String()}
		}
	}
	return Found{}
}

// deletesInAWS reports whether an aws command deletes. The first operands are the service and the operation.
func (c *Command) deletesInAWS() bool {
	if c.Program != "aws" {
		return false
	}
	words := c.operands()
	verbs := []string{"delete-", "terminate-", "purge-", "batch-delete-", "destroy-", "deregister-", "release-",
		"schedule-key-deletion"}
	return len(words) > 1 &&
		slices.ContainsFunc(verbs, func(verb string) bool { return strings.HasPrefix(words[1].Text, verb) })
}

// deletesByAPI reports whether gh or glab call the API of a host of code with the method DELETE, move a branch by
// force, or send a mutation of GraphQL that deletes.
func (c *Command) deletesByAPI() bool {
	if c.Row.Name != "gh" || !c.does(programs.API) {
		return false
	}
	if c.has("*force=true*") && c.has("*/git/refs/*") {
		return true
	}
	for _, w := range c.Args {
		if _, mutation, is := strings.Cut(w.Text, "mutation"); is && strings.Contains(mutation, "delete") {
			return true
		}
	}
	isDelete := func(w Word) bool { return strings.EqualFold(w.Text, "delete") }
	return slices.ContainsFunc(c.Row.Values("X,method", c.Args), isDelete)
}
