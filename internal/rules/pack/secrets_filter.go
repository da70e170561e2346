package pack

import (
	"regexp"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/rules/programs"
	"github.com/hookrun/hookrun/internal/rules/shellline"
)

// readers returns the commands that read the output of a command of the line through pipes, in order. ok is false if
// the output may also go elsewhere, or after many outputs.
func (c *Call) readers(i int) (all []*Command, ok bool) {
	const most = 50
	if c.outputs++; c.outputs > most || c.inputs > maxInputs {
		return nil, false
	}
	from := &c.Commands[i]
	same := 0
	for j := range c.Commands {
		if c.Commands[j].Text == from.Text {
			same++
		}
	}
	if len(c.lines) > 1 || from.Wrapper != "" && same > 1 {
		return nil, false
	}
	reads := func(p shellline.Command) bool {
		if from.Wrapper == "" {
			return p.At == from.At && p.Text == from.Text
		}
		return strings.HasSuffix(p.Text, " "+from.Text) // the wrapper and the command
	}
	for j := range c.Commands {
		to := &c.Commands[j]
		isWrapper := j+1 < len(c.Commands) && to.Row.Is(programs.Runs) && c.Commands[j+1].Wrapper == to.Program
		if isWrapper || !slices.ContainsFunc(to.PipedFrom, reads) {
			continue
		}
		if n := len(all); n > 0 && len(to.PipedFrom) <= len(all[n-1].PipedFrom) { // two read the same, as in a | (b; c)
			return all, false
		}
		all = append(all, to)
	}
	return all, !slices.ContainsFunc(from.Files, func(f File) bool { return f.Writes })
}

// showsValues reports whether values of secret variables are left of a printed environment behind its filters. If
// unknown, any variable may be secret.
func (c *Call) showsValues(i int, unknown bool) bool {
	readers, ok := c.readers(i)
	if !ok {
		return true
	}
	for _, r := range readers {
		switch r.filters(unknown) {
		case plain:
			return false
		case elsewhere:
			return true
		}
	}
	isTaken := func(p shellline.Command) bool { return p.Text == c.Commands[i].Text }
	return !slices.ContainsFunc(c.Commands, func(to Command) bool { // source <(export)
		return to.isSource() && slices.ContainsFunc(to.Substitutions, isTaken)
	})
}

// filtered is what a filter leaves of the lines NAME=value.
type filtered int

const (
	whole     filtered = iota // perhaps all values
	plain                     // no value of a secret
	elsewhere                 // not known
)

// filters returns what the command leaves of an environment on stdin.
func (c *Command) filters(unknown bool) filtered {
	if slices.ContainsFunc(c.Files, func(f File) bool { return f.Writes }) {
		return elsewhere
	}
	switch options, operands := c.Row.Parse(c.Args); {
	case c.Row.Is(programs.Searches):
		return c.grepFilters(unknown)
	case c.Program == "wc":
		return plain
	case c.Program == "cut":
		isName := 0
		for _, o := range options {
			switch o.Name + o.Value.Text {
			case "d=", "delimiter=", "f1", "fields1":
				isName++
			}
		}
		if isName == 2 {
			return plain
		}
	case c.Row.Name == "awk":
		if len(operands) == 1 && awkPrintsNames(c, options, operands[0].Text) {
			return plain
		}
	case c.Row.Name == "sed":
		if len(operands) == 1 && shellline.InList("s/=.*// s/=.*$// s/=.*//g s/=.*/=/ s/=.*/=***/", operands[0].Text) {
			return plain
		}
	case !c.Row.Is(programs.Reads|programs.Filters) && c.Program != "xargs":
		return elsewhere
	}
	return whole
}

// awkPrintsNames reports whether a program for awk prints no more than the first field of NAME=value.
func awkPrintsNames(c *Command, options []programs.Option, text string) bool {
	separates := slices.ContainsFunc(options, func(o programs.Option) bool {
		return o.Name == "F" && o.Value.Text == "="
	})
	for _, form := range [...]string{`FS="="`, `FS = "="`, `FS ="="`} {
		separates = separates || strings.Contains(text, form)
	}
	text = strings.ReplaceAll(text, "$1", "\x01")
	isBare := regexp.MustCompile(`print\s*[};]|print\s*$|\bsystem\b|getline|ENVIRON`).MatchString(text)
	return separates && !isBare && !strings.Contains(text, "$") && strings.Contains(text, "print")
}

// grepFilters is filters for a program that searches for a text.
func (c *Command) grepFilters(unknown bool) filtered {
	g := grepOf(c)
	switch {
	case len(g.files) > 0, g.recursive && c.Program != "rg" && c.Program != "ag":
		return elsewhere
	case g.namesOnly:
		return plain
	case !g.unknown && len(g.patterns) > 0 && g.isPlain():
		return plain
	case c.has("-o,--only-matching"):
		if !g.unknown && len(g.patterns) == 1 && matchesNames(g.patterns[0]) {
			return plain
		}
	case !unknown && !g.matches(secretVariables):
		return plain
	}
	return whole
}

// isPlain reports whether the patterns are for variables that hold no secret by habit.
func (g *grepCall) isPlain() bool {
	return !slices.ContainsFunc(g.patterns, func(pattern string) bool {
		pattern = strings.NewReplacer(`\(`, "", `\)`, "", "(", "", ")", "", `\|`, "|").Replace(pattern)
		for name := range strings.SplitSeq(pattern, "|") {
			if !isPlainVariable(strings.Trim(name, "^=")) {
				return true
			}
		}
		return false
	})
}

// matchesNames reports whether a pattern matches no more than the names in lines NAME=value.
func matchesNames(pattern string) bool {
	re, err := regexp.Compile(strings.ReplaceAll(pattern, "(?==)", ""))
	if err != nil {
		return false
	}
	const line = "API_KEY=a1b2.c3-d4/e5"
	for _, at := range re.FindAllStringIndex(line, -1) {
		if at[1] > strings.IndexByte(line, '=')+1 {
			return false
		}
	}
	return true
}

// isPlainVariable reports whether a variable holds no secret by habit.
func isPlainVariable(name string) bool {
	return shellline.InList(plainVariables, strings.ToLower(name))
}

const (
	plainVariables = "path proxy http_proxy https_proxy no_proxy home lang lc_ lc_all shell term user logname editor " +
		"display node node_env node_options java java_home gopath goroot gobin go virtual_env conda python " +
		"pythonpath xdg ci " +
		"debug port host hostname rust cargo nvm pwd oldpwd tz ps1 ifs random seconds lineno ppid uid euid " +
		"bash_version " +
		"zsh_version columns lines tmpdir app_env rails_env env environment version log_level ostype hosttype"
	// secretVariables are lines as an environment may have them, to try filters on.
	secretVariables = `API_KEY=a1b2
AWS_ACCESS_KEY_ID=a1b2
AWS_SECRET_ACCESS_KEY=a1b2
AWS_SESSION_TOKEN=a1b2
AZURE_CLIENT_SECRET=a1b2
GITHUB_TOKEN=a1b2
GH_TOKEN=a1b2
GITLAB_TOKEN=a1b2
CI_JOB_TOKEN=a1b2
NPM_TOKEN=a1b2
OPENAI_API_KEY=a1b2
ANTHROPIC_API_KEY=a1b2
CLAUDE_CODE_OAUTH_TOKEN=a1b2
GOOGLE_API_KEY=a1b2
GOOGLE_APPLICATION_CREDENTIALS=/a/b.json
GEMINI_API_KEY=a1b2
DATABASE_URL=postgres://app:a1b2@db:5432/app
POSTGRES_PASSWORD=a1b2
PGPASSWORD=a1b2
MYSQL_ROOT_PASSWORD=a1b2
MYSQL_PWD=a1b2
DB_PASSWORD=a1b2
DB_PASS=a1b2
REDIS_URL=redis://:a1b2@cache:6379
MONGODB_URI=mongodb://app:a1b2@db
SECRET_KEY_BASE=a1b2
JWT_SECRET=a1b2
SESSION_SECRET=a1b2
CLIENT_SECRET=a1b2
APP_KEY=a1b2
PRIVATE_KEY=a1b2
PASSPHRASE=a1b2
CREDENTIALS=a1b2
COOKIE=a1b2
SLACK_BOT_TOKEN=a1b2
SLACK_WEBHOOK_URL=https://hooks.example/a1b2
STRIPE_SECRET_KEY=a1b2
SENTRY_DSN=https://a1b2@sentry.example/1
DOCKER_PASSWORD=a1b2
SMTP_PASSWORD=a1b2
MAIL_PASSWORD=a1b2
HF_TOKEN=a1b2
HUGGINGFACE_TOKEN=a1b2
CLOUDFLARE_API_TOKEN=a1b2
DIGITALOCEAN_ACCESS_TOKEN=a1b2
VAULT_TOKEN=a1b2
DISCORD_TOKEN=a1b2
TELEGRAM_BOT_TOKEN=a1b2
TWILIO_AUTH_TOKEN=a1b2
SENDGRID_API_KEY=a1b2
SUPABASE_SERVICE_ROLE_KEY=a1b2
VERCEL_TOKEN=a1b2
CONNECTION_STRING=a1b2
AUTH=a1b2`
)
