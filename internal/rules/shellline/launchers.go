package shellline

import (
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/lib/lazy"
)

// Options shared by several programs.
const (
	suLong = "command: session-command: fast group: supp-group: login preserve-environment pty no-pty shell: user: " +
		"whitelist-environment: help version"
	dockerRunLong = "add-host: annotation: attach: blkio-weight: cap-add: cap-drop: cgroup-parent: cgroupns: " +
		"cidfile: cpu-shares: cpus: cpuset-cpus: " +
		"cpuset-mems: detach detach-keys: device: dns: dns-option: dns-search: " +
		"domainname: env: env-file: expose: gpus: group-add: hostname: init interactive ip: ip6: ipc: isolation: " +
		"label: label-file: link: log-driver: log-opt: mac-address: memory: memory-swap: mount: name: net: network: " +
		"network-alias: no-healthcheck oom-kill-disable pid: pids-limit: platform: privileged publish: publish-all " +
		"pull: quiet read-only restart: rm runtime: security-opt: shm-size: sig-proxy stop-signal: stop-timeout: " +
		"storage-opt: sysctl: tmpfs: tty ulimit: user: userns: uts: volume: volume-driver: volumes-from: workdir:"
	dockerExecLong = "detach detach-keys: env: env-file: interactive privileged tty user: workdir:"
	composeLong    = "all-resources ansi: compatibility dry-run env-file: file: parallel: profile: progress: " +
		"project-directory: project-name: verbose"
	kubectlLong = "as: as-group: cache-dir: certificate-authority: client-certificate: client-key: cluster: context: " +
		"insecure-skip-tls-verify kubeconfig: match-server-version namespace: request-timeout: server: " +
		"tls-server-name: token: user: warnings-as-errors"
	sshShort = "46AaCfGgKkNnqsTtVvXxYyB:b:c:D:E:e:F:I:i:J:L:l:m:O:o:P:p:Q:R:S:W:w:"
	npxLong  = "call: include-workspace-root loglevel: no package: prefix: quiet silent workspace: workspaces yes"
	uvLong   = "all-extras all-groups cache-dir: color: config-file: default-index: dev directory: env-file: exact " +
		"extra: extra-index-url: find-links: frozen from: group: index: index-url: isolated locked " +
		"managed-python native-tls no-cache no-config no-dev no-editable no-env-file no-extra: no-group: " +
		"no-managed-python no-progress no-project no-sync offline only-dev only-group: package: project: python: " +
		"quiet refresh reinstall upgrade verbose with: with-editable: with-requirements:"
)

// launchers run another command from their arguments. Claude Code looks through xargs only. A project's own rule looks
// through all of these, because `timeout 5 git push` is a `git push`. The table is sorted by name. After an option
// missing here, a rule is in doubt if its words follow.
var launchers = []program{
	{name: "-"}, // of zsh, like noglob and nocorrect
	{name: "apptainer", group: true},
	{name: "apptainer exec", loose: true, away: true},
	{name: "apptainer run", loose: true, away: true},
	{name: "asdf", group: true},
	{name: "asdf exec"},
	{name: "autossh", operands: 1, mixed: true, joins: true, shell: true, away: true, texts: "o",
		short: sshShort + "M:"},
	{name: "aws-vault", group: true},
	{name: "aws-vault exec", loose: true, dashed: true, away: true, shell: true},
	{name: "builtin"},
	{name: "bun exec", joins: true},
	{name: "bun x", as: "bunx"},
	{name: "bundle", group: true, short: "V", long: "verbose no-color"},
	{name: "bundle exec", long: "gemfile: keep-file-descriptors"},
	{name: "bundler", as: "bundle"},
	{name: "bunx", short: "p:", long: "bun package: silent verbose"},
	{name: "busybox"},
	{name: "chroot", operands: 1, long: "groups: skip-chdir userspec:", shell: true, away: true},
	{name: "chrt", operands: 1, short: "abdefiomprvGRhVT:P:D:", idle: "p m pid max",
		long: "all-tasks batch deadline ext fifo idle other rr reset-on-fork pid max verbose sched-runtime: " +
			"sched-period: sched-deadline:"},
	{name: "command", short: "pvV", idle: "v V"},
	{name: "compgen", short: "abcdefgjksuvo:A:G:W:F:C:X:P:S:V:", lines: "C", parameters: true, mixed: true},
	{name: "complete", short: "abcdefgjksuvprDEIo:A:G:W:F:C:X:P:S:", lines: "C", parameters: true, mixed: true},
	{name: "conda", group: true},
	{name: "conda run", short: "n:p:v", away: true,
		long: "cwd: debug-wrapper-scripts dev live-stream name: no-capture-output prefix: verbose"},
	{name: "coproc", assigns: true},
	{name: "cross-env", assigns: true},
	{name: "cross-env-shell", assigns: true, joins: true, away: true},
	{name: "devbox", group: true},
	{name: "devbox run", loose: true, away: true},
	{name: "devcontainer", group: true},
	{name: "devcontainer exec", loose: true, away: true},
	{name: "direnv", group: true},
	{name: "direnv exec", operands: 1, away: true},
	{name: "doas", short: "a:C:u:nsL", shell: true},
	{name: "docker", group: true, short: "c:DH:l:", away: true,
		long: "config: context: debug host: log-level: tls tlscacert: tlscert: tlskey: tlsverify"},
	{name: "docker compose", group: true, short: "f:p:", long: composeLong, away: true},
	{name: "docker compose exec", operands: 1, short: "de:Titu:w:", away: true,
		long: "detach env: index: interactive no-TTY no-tty privileged tty user: workdir:"},
	{name: "docker compose run", operands: 1, short: "de:il:Pp:qTu:v:w:", away: true,
		long: "build cap-add: cap-drop: detach env: env-from-file: interactive label: name: no-TTY no-deps publish: " +
			"pull: quiet quiet-build quiet-pull remove-orphans rm service-ports use-aliases user: volume: workdir:"},
	{name: "docker container", group: true, away: true},
	{name: "docker container exec", as: "docker exec"},
	{name: "docker container run", as: "docker run"},
	{name: "docker exec", operands: 1, short: "de:itu:w:", long: dockerExecLong, away: true},
	{name: "docker run", operands: 1, short: "a:c:de:h:il:m:Pp:qtu:v:w:", long: dockerRunLong, away: true},
	{name: "docker-compose", as: "docker compose"},
	{name: "doppler", group: true, away: true},
	{name: "doppler run", loose: true, dashed: true, away: true},
	{name: "dotenv", loose: true, dashed: true, away: true},
	{name: "dotenvx", group: true},
	{name: "dotenvx run", loose: true, dashed: true, away: true},
	{name: "env", short: "i0vu:C:S:P:a:", assigns: true, long: "ignore-environment null debug unset: chdir: " +
		"split-string: argv0: block-signal default-signal ignore-signal list-signal-handling"},
	{name: "exec", short: "cla:"},
	{name: "flock", operands: 1, mixed: true, short: "c:E:eFnosuvw:x", lines: "c command", oneWord: true,
		long: "close command: conflict-exit-code: exclusive fcntl nb no-fork nonblock shared timeout: unlock " +
			"verbose wait:"},
	{name: "fnm", group: true},
	{name: "fnm exec", loose: true, away: true},
	{name: "gcloud", group: true},
	{name: "gcloud compute", group: true},
	{name: "gcloud compute ssh", loose: true, dashed: true, away: true},
	{name: "genv", as: "env"},
	{name: "gnice", as: "nice"},
	{name: "gnohup", as: "nohup"},
	{name: "gosu", operands: 1, away: true},
	{name: "gstdbuf", as: "stdbuf"},
	{name: "gtime", as: "time"},
	{name: "gtimeout", as: "timeout"},
	{name: "gxargs", as: "xargs"},
	{name: "hatch", group: true, short: "e:p:qv", long: "env: project: quiet verbose"},
	{name: "hatch env", group: true},
	{name: "hatch env run", loose: true, dashed: true, away: true},
	{name: "hatch run"},
	{name: "heroku", group: true},
	{name: "heroku run", loose: true, dashed: true, away: true},
	{name: "infisical", group: true},
	{name: "infisical run", loose: true, dashed: true, away: true},
	{name: "ionice", short: "c:n:tp:P:u:", long: "class: classdata: ignore"},
	{name: "kubectl", group: true, short: "n:s:v:", long: kubectlLong, away: true},
	{name: "kubectl debug", loose: true, dashed: true, away: true},
	{name: "kubectl exec", operands: 1, mixed: true, dashed: true, short: "c:f:in:qs:tv:", away: true,
		long: "container: filename: pod-running-timeout: quiet stdin tty " + kubectlLong},
	{name: "kubectl run", loose: true, dashed: true, away: true},
	{name: "lxc", group: true},
	{name: "lxc exec", loose: true, dashed: true, away: true},
	{name: "mamba", as: "conda"},
	{name: "mapfile", short: "d:n:O:s:tu:C:c:", lines: "C", parameters: true, mixed: true},
	{name: "micromamba", as: "conda"},
	{name: "mise", group: true, short: "C:E:j:qvy", long: "cd: env: jobs: quiet raw silent verbose yes"},
	{name: "mise exec", loose: true, dashed: true, short: "c:C:E:j:qvy", lines: "c command", away: true,
		long: "cd: command: env: fresh-env jobs: quiet raw silent verbose yes"},
	{name: "mise x", as: "mise exec"},
	{name: "mosh", loose: true, dashed: true, away: true},
	{name: "multipass", group: true},
	{name: "multipass exec", loose: true, dashed: true, away: true},
	{name: "nerdctl", as: "docker"},
	{name: "newgrp", mixed: true, shell: true},
	{name: "nice", short: "n:0123456789", long: "adjustment:"},
	{name: "nix", group: true},
	{name: "nix develop", loose: true, away: true},
	{name: "nix run", loose: true, away: true},
	{name: "nix shell", loose: true, away: true},
	{name: "nohup"},
	{name: "npm", group: true, short: "C:gqsw:", long: npxLong + " global", away: true},
	{name: "npm exec", as: "npx"},
	{name: "npm x", as: "npx"},
	{name: "npx", short: "c:p:qw:y", lines: "c call", away: true, long: npxLong + " ignore-existing no-install"},
	{name: "nsenter", loose: true, away: true, shell: true},
	{name: "nvm", group: true},
	{name: "nvm exec", loose: true, away: true},
	{name: "oc", as: "kubectl"},
	{name: "op", group: true},
	{name: "op run", loose: true, dashed: true, away: true},
	{name: "pdm", group: true, short: "cqv"},
	{name: "pdm run", short: "p:sv", long: "project: quiet site-packages verbose"},
	{name: "perf", group: true},
	{name: "perf record", loose: true},
	{name: "perf stat", loose: true},
	{name: "perf trace", loose: true},
	{name: "pipenv", group: true, long: "bare quiet verbose"},
	{name: "pipenv run"},
	{name: "pipx", group: true, long: "quiet verbose"},
	{name: "pipx run", short: "qv", long: "index-url: no-cache path pip-args: pypackages python: quiet spec: " +
		"system-site-packages verbose"},
	{name: "pnpm", group: true, short: "C:F:rw", away: true,
		long: "dir: filter: recursive reporter: silent stream workspace-root"},
	{name: "pnpm dlx", away: true, long: "package: silent"},
	{name: "pnpm exec", short: "r", away: true, long: "no-reporter-hide-prefix parallel recursive"},
	{name: "pnpx", as: "pnpm dlx"},
	{name: "podman", as: "docker"},
	{name: "podman-compose", as: "docker compose"},
	{name: "poetry", group: true, short: "C:P:nqv", away: true,
		long: "ansi directory: no-ansi no-cache no-interaction no-plugins project: quiet verbose"},
	{name: "poetry run"},
	{name: "pyenv", group: true},
	{name: "pyenv exec"},
	{name: "rbenv", group: true},
	{name: "rbenv exec"},
	{name: "readarray", short: "d:n:O:s:tu:C:c:", lines: "C", parameters: true, mixed: true},
	{name: "repeat", operands: 1, assigns: true},
	{name: "rtk", short: "uv", long: "skip-env ultra-compact verbose"},
	{name: "rtx", as: "mise"},
	{name: "runuser", short: "c:fg:G:lmpPs:u:w:hVT", lines: "c command session-command", mixed: true, shell: true,
		long: suLong},
	{name: "rye", group: true},
	{name: "rye run", short: "lf", long: "list"},
	{name: "script", short: "aefqc:I:O:B:T:m:t::o:E:hV", lines: "c command", mixed: true, shell: true,
		long: "append command: echo: return flush force log-in: log-out: log-io: log-timing: logging-format: " +
			"output-limit: quiet timing help version"},
	{name: "setsid", short: "cfw", long: "ctty fork wait"},
	{name: "sg", operands: 1, mixed: true, short: "c:", lines: "c", joins: true, shell: true},
	{name: "singularity", as: "apptainer"},
	{name: "ssh", operands: 1, mixed: true, joins: true, shell: true, away: true, texts: "o", idle: "G N V O Q",
		short: sshShort + "M"},
	{name: "sshpass", short: "d:ef:p:P:v", away: true},
	{name: "stdbuf", short: "i:o:e:", long: "input: output: error:"},
	{name: "su", short: "c:fg:G:lmpPs:u:w:hVT", lines: "c command session-command", mixed: true, shell: true,
		long: suLong},
	{name: "su-exec", operands: 1, away: true},
	{name: "sudo", short: "AbBEHnPSskiKlveu:g:h:p:C:c:r:t:T:U:D:R:a:", assigns: true, shell: true,
		long: "askpass background bell preserve-env edit group: set-home host: login list non-interactive " +
			"preserve-groups prompt: role: stdin shell type: command-timeout: other-user: user: chdir: chroot:"},
	{name: "taskset", operands: 1, short: "acp", idle: "p pid", oneWord: true, long: "all-tasks cpu-list pid"},
	{name: "time", short: "pavqVf:o:", assigns: true, long: "append format: output: portability quiet verbose"},
	{name: "timeout", short: "fpvs:k:", operands: 1, long: "signal: kill-after: foreground preserve-status verbose"},
	{name: "toybox"},
	{name: "unshare", loose: true, away: true, shell: true},
	{name: "uv", group: true, short: "nqv", long: uvLong, away: true},
	{name: "uv run", short: "np:qsvw:", long: uvLong + " script gui-script", away: true},
	{name: "uv tool", group: true, short: "nqv", long: uvLong, away: true},
	{name: "uv tool run", as: "uvx"},
	{name: "uvx", short: "np:qvw:", long: uvLong, away: true},
	{name: "vagrant", group: true},
	{name: "vagrant ssh", loose: true, dashed: true, away: true},
	{name: "watch", short: "bcCd::egn:pq:rs:twxfhv", joins: true, long: "beep color no-color differences errexit " +
		"chgexit interval: precise no-rerun shotsdir: no-title no-wrap exec equexit: help version"},
	{name: "xargs", short: "0rtpxoa:d:E:e::I:J:i::L:l::n:P:s:R:S:", long: "null no-run-if-empty verbose interactive " +
		"exit open-tty show-limits arg-file: delimiter: eof replace max-lines max-args: max-procs: max-chars: " +
		"process-slot-var:"},
	{name: "yarn", group: true, long: "cwd: silent", away: true},
	{name: "yarn dlx", short: "p:q", long: "package: quiet", away: true},
	{name: "yarn exec", away: true},
	{name: "yarn run", away: true},
}

// otherLauncher returns a launcher with unknown options.
func otherLauncher(name string) (p program, ok bool) {
	switch name {
	case "bwrap", "caffeinate", "catchsegv", "chronic", "dbus-run-session", "dumb-init", "eatmydata", "fakechroot",
		"fakeroot", "gdb", "heaptrack", "linux32", "linux64", "lldb", "ltrace", "noglob", "nocorrect", "pkexec",
		"proot", "proxychains", "proxychains4", "rlwrap", "setpriv", "strace", "systemd-inhibit", "systemd-run", "tini",
		"torify", "torsocks", "trickle", "tsocks", "tsp", "unbuffer", "valgrind", "xvfb-run":
		return program{name: name, away: true}, true
	case "arch", "cgexec", "chpst", "concurrently", "cpulimit", "daemonize", "distrobox", "entr", "env-cmd",
		"envdir", "faketime", "firejail", "foreman", "guix", "honcho", "hyperfine", "i386", "incus",
		"ld-linux-aarch64.so.1", "ld-linux-x86-64.so.2", "lima", "limactl", "mpiexec", "mpirun", "nix-shell",
		"nodemon", "numactl", "parallel", "prlimit", "pssh", "pueue", "retry", "rr", "sandbox-exec", "schedtool",
		"screen", "sem", "setarch", "setuidgid", "softlimit", "srun", "start-stop-daemon", "steam-run",
		"supervise", "tmux", "tsh", "volta", "watchexec", "wine", "wsl", "x86_64", "zargs":
		return program{name: name, loose: true, away: true}, true
	}
	return program{}, false
}

// mayRunText reports whether a program may run a line from its arguments or from stdin in a way unknown here: tar
// --to-command, git -c, sed with e.
func mayRunText(name string, args []Word) bool {
	switch name {
	case "at", "batch", "choom", "crontab", "ed", "gdb", "lldb", "man", "mysql", "nc", "ncat", "psql", "red", "rsync",
		"scp", "sed", "sftp", "socat", "split", "sqlite3", "ssh-agent", "tar":
		return true
	case "git":
		return slices.ContainsFunc(args, func(w Word) bool {
			return InList("-c -x --exec bisect difftool filter-branch foreach mergetool", w.Text) ||
				strings.HasPrefix(w.Text, "--exec=") || strings.HasPrefix(w.Text, "-x") ||
				strings.HasPrefix(w.Text, "--upload-pack") || strings.HasPrefix(w.Text, "--receive-pack")
		})
	}
	return false
}

// runsText reports whether the arguments of a program in mayRunText say that the program runs a line. Otherwise a line
// could come only from other input.
func runsText(name string, args []Word) bool {
	has := func(marks ...string) bool {
		return slices.ContainsFunc(args, func(w Word) bool {
			return IsComputed(w) && w.Prefix == "" || slices.ContainsFunc(marks, func(mark string) bool {
				return strings.HasPrefix(w.Text, mark)
			})
		})
	}
	inside := func(marks ...string) bool {
		return slices.ContainsFunc(args, func(w Word) bool {
			return slices.ContainsFunc(marks, func(mark string) bool { return strings.Contains(w.Text, mark) })
		})
	}
	switch name {
	case "sed":
		return slices.ContainsFunc(args, func(w Word) bool { return sedRuns.Get().MatchString(w.Text) })
	case "tar":
		return inside("exec=") ||
			has("--to-c", "--checkpoint-a", "--use", "-I", "--rsh", "--rmt", "--info", "--new-v", "-F")
	case "rsync":
		return has("-e", "--rsh", "--rsync-path")
	case "scp", "sftp":
		return has("-S", "-o", "-D")
	case "psql", "mysql":
		return inside(`\!`, "system", "PROGRAM", "program")
	case "sqlite3":
		return inside(".sh", ".sy", "edit(")
	case "split":
		return has("--filter")
	case "man":
		return has("-P", "--pager", "-H")
	}
	return true
}

// sedRuns matches sed scripts that may have the command e, or s with the flag e.
var sedRuns = lazy.Regexp{Text: `(?:^|[;{}\n/$0-9!\s])e(?:$|[\s;}])|` +
	`s(?:.|\n)*[^a-zA-Z\s\\][gpiImM0-9]*e[gpiImM0-9w]*(?:$|[\s;}])`}

// mayWrite reports whether a program may write to a file named in the line.
func mayWrite(name string) bool {
	switch _, isLauncher := lookUp(launchers, name); {
	case isLauncher, isPosixShell(name), isForeignShell(name), kindOfBuiltin(name) != noBuiltin:
		return false
	}
	switch name {
	case "[[", "basename", "cargo", "cat", "cmp", "column", "comm", "curl", "cut", "date", "df", "diff", "dirname",
		"docker", "du", "echo", "egrep", "expr", "fgrep", "file", "gh", "go", "grep", "head", "hostname", "id", "jq",
		"kubectl", "ls", "make", "md5sum", "mkdir", "node", "npm", "npx", "paste", "pnpm", "ps", "python", "python3",
		"readlink", "realpath", "rg", "rm", "rmdir", "seq", "sha256sum", "sleep", "stat", "tac", "tail", "tr", "tree",
		"uname", "wc", "which", "whoami", "yarn":
		return false
	}
	return true
}
