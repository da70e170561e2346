package pack

import (
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/rules/shellline"
)

var infra = Pack{
	Name: "infra", Version: 1, Summary: "no deletion in clusters, clouds, containers and databases, nothing published",
	Rules: []Rule{
		{
			Name: "no-cluster-delete", Blocks: "a command that deletes resources of a cluster",
			Find:  clusterDelete,
			Doubt: [][]string{{"kubectl delete", "kubectl drain", "helm uninstall", "helm delete"}},
		},
		{
			Name: "no-infra-destroy", Blocks: "a command that destroys infrastructure",
			Find: infraDestroy,
			Doubt: [][]string{{"terraform ", "tofu ", "terragrunt ", "pulumi ", "cdk "},
				{" destroy", "-destroy"}},
		},
		{
			Name: "no-container-delete", Blocks: "a command that deletes volumes, unused images, or running containers",
			Find: containerDelete,
			Doubt: [][]string{{"docker ", "podman ", "nerdctl "},
				{"system prune", "volume prune", "image prune", "docker rm -f", "volume rm", "down -v"}},
		},
		{
			Name: "no-cloud-delete", Blocks: "a command that deletes something in a cloud or at a host of code",
			Find: func(c *Call) Found { return c.firstFound((*Command).deletesInCloud) },
			Doubt: [][]string{{"aws ", "gcloud ", "gh ", "heroku ", "gsutil ", "doctl "},
				{" terminate-instances", "s3 rb", "s3 rm", "apps:destroy", "repo delete", "instances delete"}},
		},
		{
			Name: "no-data-drop", Blocks: "a statement that drops, empties or deletes a whole table or database",
			Find: dataDrop,
			Doubt: [][]string{{"psql ", "mysql ", "mariadb ", "sqlite3 ", "mongosh "},
				{"-c \"drop table", "-c \"drop database", "-e \"drop table", "-e 'drop table", "-e \"drop database",
					"-e 'drop database", "-c \"truncate ", "dropdatabase("}},
		},
		{
			Name: "no-publish", Blocks: "a command that publishes a package, an image or a release",
			Find: func(c *Call) Found { return c.firstFound((*Command).publishes) },
			Doubt: [][]string{{"npm publish", "yarn publish", "pnpm publish", "twine upload", "cargo publish",
				"gem push", "docker push", "gh release create", "gh release delete"}},
		},
	},
}

// runs reports whether the arguments begin with one of the subcommands in a list. `delete volume+rm` are two
// subcommands, delete and volume rm. An option before the subcommand may take a word as its value.
func (c *Command) runs(list string) bool {
	isValue := false // the next word may be the value of an option
	for i, w := range c.Args {
		if strings.HasPrefix(w.Text, "+") { // cargo +nightly
			continue
		}
		if strings.HasPrefix(w.Text, "-") {
			isValue = w.Text != "--" && !strings.Contains(w.Text, "=")
			continue
		}
		for entry := range strings.FieldsSeq(list) {
			if begins(c.Args[i:], entry) {
				return true
			}
		}
		if !isValue {
			return false
		}
		isValue = false
	}
	return false
}

// begins reports whether the words that are not options begin with the words of an entry, where * matches any word.
func begins(args []Word, entry string) bool {
	isValue := false
	for _, w := range args {
		if strings.HasPrefix(w.Text, "-") {
			isValue = !strings.Contains(w.Text, "=")
			continue
		}
		first, rest, more := strings.Cut(entry, "+")
		if w.Text != first && first != "*" {
			if isValue {
				isValue = false
				continue
			}
			return false
		}
		if !more {
			return true
		}
		entry, isValue = rest, false
	}
	return false
}

// has reports whether any argument is one of the words in a list.
func (c *Command) has(list string) bool {
	return slices.ContainsFunc(c.Args, func(w Word) bool { return shellline.InList(list, w.Text) })
}

// hasOperand reports whether any argument is one of the words in a list, and not the value of the option before.
func (c *Command) hasOperand(list string) bool {
	for i, w := range c.Args {
		isValue := i > 0 && strings.HasPrefix(c.Args[i-1].Text, "-") && !strings.Contains(c.Args[i-1].Text, "=")
		if !isValue && shellline.InList(list, w.Text) {
			return true
		}
	}
	return false
}

// hasPrefix reports whether any argument begins with one of the texts.
func (c *Command) hasPrefix(texts ...string) bool {
	return slices.ContainsFunc(c.Args, func(w Word) bool {
		return slices.ContainsFunc(texts, func(text string) bool { return strings.HasPrefix(w.Text, text) })
	})
}

// isDry reports whether a command only shows its effect or its help.
func (c *Command) isDry() bool {
	for i, w := range c.Args {
		switch w.Text {
		case "--dry-run", "--dryrun", "--dry-run=client", "--dry-run=server", "--dry-run=true", "--help", "-h", "-help":
			return true
		case "help":
			return i == 0
		}
	}
	return false
}

// firstFound returns the first command for which test returns true and which is not a dry run.
func (c *Call) firstFound(test func(*Command) bool) Found {
	for i := range c.Commands {
		if cmd := &c.Commands[i]; test(cmd) && !cmd.isDry() {
			return Found{Subject: cmd.String()}
		}
	}
	return Found{}
}

func clusterDelete(c *Call) Found {
	return c.firstFound(func(cmd *Command) bool {
		switch cmd.Program {
		case "kubectl", "oc":
			return cmd.runs("delete drain") || cmd.runs("replace") && cmd.has("--force")
		case "helm":
			return cmd.runs("uninstall delete del un")
		case "argocd":
			return cmd.runs("app+delete cluster+rm proj+delete appset+delete")
		case "flux":
			return cmd.runs("uninstall delete")
		case "eksctl":
			return cmd.runs("delete drain")
		}
		return false
	})
}

func infraDestroy(c *Call) Found {
	return c.firstFound(func(cmd *Command) bool {
		switch cmd.Program {
		case "terraform", "tofu", "terragrunt":
			return cmd.runs("destroy state+rm workspace+delete run-all+destroy run+destroy") ||
				cmd.runs("apply run-all+apply") && cmd.hasPrefix("-destroy", "--destroy")
		case "pulumi":
			return cmd.runs("destroy stack+rm state+delete down")
		case "cdk", "cdktf":
			return cmd.runs("destroy")
		case "serverless", "sls":
			return cmd.runs("remove")
		case "sam":
			return cmd.runs("delete")
		case "copilot":
			return cmd.runs("app+delete svc+delete env+delete job+delete")
		}
		return false
	})
}

func containerDelete(c *Call) Found {
	return c.firstFound(func(cmd *Command) bool {
		switch cmd.Program {
		case "docker", "podman", "nerdctl":
			force := func() bool { return cmd.flag("f", "--force") }
			return cmd.runs("system+prune volume+prune image+prune container+prune network+prune builder+prune "+
				"buildx+prune volume+rm volume+remove system+reset pod+prune") ||
				cmd.runs("rm container+rm container+remove rmi image+rm image+remove pod+rm") && force() ||
				cmd.runs("compose+down") && cmd.flag("v", "--volumes", "--rmi") ||
				cmd.runs("compose+rm") && cmd.flag("v", "--volumes")
		case "docker-compose", "podman-compose":
			return cmd.runs("down rm") && cmd.flag("v", "--volumes", "--rmi")
		}
		return false
	})
}

func (c *Command) deletesInCloud() bool {
	switch c.Program {
	case "aws":
		return c.deletesInAWS()
	case "gcloud":
		return c.hasOperand("delete destroy") || c.runs("storage+rm") && c.flag("rR", "--recursive")
	case "gsutil", "mc":
		return c.runs("rb") || c.runs("rm") && c.flag("rR", "--recursive")
	case "bq":
		return c.runs("rm")
	case "az":
		return c.hasOperand("delete purge delete-batch")
	case "gh", "glab":
		return c.deletesOnCodeHost()
	case "heroku":
		return c.hasPrefix("apps:destroy", "apps:delete", "pg:reset", "addons:destroy", "pipelines:destroy")
	case "fly", "flyctl":
		return c.hasOperand("destroy delete")
	case "vercel":
		return c.runs("remove rm project+rm env+rm")
	case "netlify", "firebase":
		return c.hasPrefix("sites:delete", "firestore:delete", "functions:delete", "projects:delete", "database:remove")
	case "doctl", "linode-cli", "hcloud", "oci", "ibmcloud", "scw":
		return c.hasOperand("delete terminate destroy")
	case "wrangler", "supabase", "neonctl", "pscale", "turso", "railway", "cf":
		return c.hasOperand("delete destroy") || c.runs("down")
	case "rclone":
		return c.runs("purge delete")
	}
	return false
}

// deletesInAWS reports whether an aws command deletes. The first operands are the service and the operation.
func (c *Command) deletesInAWS() bool {
	words := c.operands("--profile --region --output --endpoint-url --query --color --ca-bundle --cli-read-timeout " +
		"--cli-connect-timeout")
	if len(words) > 1 {
		for _, verb := range [...]string{"delete-", "terminate-", "purge-", "batch-delete-", "destroy-"} {
			if strings.HasPrefix(words[1].Text, verb) {
				return true
			}
		}
	}
	return c.runs("s3+rb") || c.runs("s3+rm") && c.has("--recursive") || c.runs("s3+sync") && c.has("--delete")
}

// deletesOnCodeHost reports whether gh or glab delete something other than a release; releases belong to publishing.
func (c *Command) deletesOnCodeHost() bool {
	if c.runs("repo+delete repo+archive secret+delete variable+delete environment+delete gist+delete ssh-key+delete " +
		"project+delete issue+delete codespace+delete run+delete cache+delete label+delete") {
		return true
	}
	for i, w := range c.Args {
		method := strings.TrimPrefix(strings.TrimPrefix(w.Text, "--method="), "-X")
		if (w.Text == "-X" || w.Text == "--method") && i+1 < len(c.Args) {
			method = c.Args[i+1].Text
		}
		if method != w.Text && strings.EqualFold(method, "delete") {
			return c.runs("api")
		}
	}
	return false
}

func (c *Command) publishes() bool {
	switch c.Program {
	case "npm", "pnpm", "yarn", "bun":
		return c.runs("publish unpublish npm+publish recursive+publish dist-tag+add deprecate " +
			"workspace+*+publish workspace+*+npm+publish")
	case "lerna", "changeset", "vsce", "ovsx", "uv", "poetry", "flit", "hatch", "pdm", "rye", "jsr":
		return c.runs("publish unpublish")
	case "twine":
		return c.runs("upload")
	case "python", "python3", "py":
		return c.runs("twine+upload flit+publish poetry+publish hatch+publish")
	case "cargo":
		return c.runs("publish yank") && !c.flag("n")
	case "gem":
		return c.runs("push yank")
	case "docker", "podman", "nerdctl":
		return c.runs("push image+push manifest+push compose+push") ||
			c.runs("buildx+build build buildx+bake") && c.has("--push")
	case "gh", "glab":
		return c.runs("release+create release+delete release+upload release+edit")
	case "helm", "oras", "crane", "nuget":
		return c.runs("push")
	case "goreleaser":
		return c.runs("release publish") && !c.has("--snapshot --skip=publish --skip-publish")
	case "dotnet":
		return c.runs("nuget+push")
	case "mvn", "mvnw":
		return c.has("deploy deploy:deploy release:perform")
	case "gradle", "gradlew":
		return c.has("publish publishPlugins uploadArchives publishAllPublicationsToMavenCentralRepository")
	case "sbt":
		return c.has("publish publishSigned")
	case "pod":
		return c.runs("trunk+push")
	case "mix":
		return c.runs("hex.publish")
	case "dart", "flutter":
		return c.runs("pub+publish") && !c.flag("n")
	case "semantic-release", "release-it":
		return true
	}
	return false
}
