package permission

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/rules/shellline"
)

// launched are lines that run %s: a command of several plain words.
var launched = strings.Split(strings.TrimSpace(`
rtk %s
rtk -v %s
rtk --ultra-compact %s
uv run %s
uv run -- %s
uv run --with requests --python 3.12 %s
uv --quiet run --no-sync %s
uv --project app run %s
uvx %s
uvx --from x %s
uv tool run %s
mise exec -- %s
mise exec node@20 python@3.12 -- %s
mise x -- %s
mise x -c "%s"
mise exec --command="%s"
mise -C app exec -- %s
npx %s
npx -y %s
npx --yes %s
npx -p a -p b %s
npx --package=a -- %s
npx -c "%s"
npx.cmd -y %s
npm exec %s
npm exec -- %s
npm exec --yes -- %s
npm x -c "%s"
npm --prefix app exec -- %s
pnpm exec %s
pnpm -r exec %s
pnpm dlx %s
pnpm --filter app exec %s
pnpx %s
yarn exec %s
yarn dlx %s
yarn dlx -q %s
yarn run %s
bunx %s
bunx --bun %s
bun x %s
bun exec "%s"
poetry run %s
poetry -C app run %s
poetry run -- %s
pipx run %s
pipx run --spec x %s
pipenv run %s
hatch run %s
hatch -e test run %s
rye run %s
pdm run %s
pdm run -p app %s
conda run -n env %s
conda run --no-capture-output -n env %s
mamba run -n env %s
direnv exec . %s
bundle exec %s
bundle exec --keep-file-descriptors %s
rbenv exec %s
pyenv exec %s
asdf exec %s
docker run alpine %s
docker run --rm -it alpine:3 %s
docker run --rm -v "$PWD":/src -w /src -e A=1 alpine %s
docker run --rm -v $(pwd):/src alpine %s
docker run -v$PWD:/x alpine %s
docker run --rm -it --name x --user 0:0 --network=host alpine %s
docker run --entrypoint "" alpine %s
docker run --odd alpine %s
docker run --odd-option x alpine %s
docker --context remote run alpine %s
docker container run alpine %s
docker run alpine sh -c "%s"
docker run --rm alpine sh -lc "cd /x && %s"
docker exec web %s
docker exec -it web %s
docker exec -u root -w /app -e A=1 web %s
docker exec $ID %s
docker exec "$(docker ps -q)" %s
docker exec -it web bash -c "%s"
docker.exe exec web %s
docker compose run app %s
docker compose run --rm -T app %s
docker compose -f c.yml exec -T app %s
docker compose exec app sh -c "%s"
docker-compose exec app %s
docker-compose -p x run --rm app %s
podman run --rm alpine %s
podman exec web %s
nerdctl run alpine %s
kubectl exec pod -- %s
kubectl exec -it pod -c main -- %s
kubectl -n prod exec pod -- %s
kubectl exec deploy/web -n prod -- %s
kubectl exec pod %s
kubectl exec -n prod "$POD" -- %s
kubectl exec pod -- sh -c "%s"
kubectl run x --image=alpine --rm -it -- %s
oc exec pod -- %s
ssh host %s
ssh host "%s"
ssh -p 22 -i key -o BatchMode=yes me@host %s
ssh host -t "cd /srv; %s"
ssh $HOST "%s"
ssh host -- %s
ssh -tt -J jump host sudo %s
ssh host "sh -c '%s'"
sshpass -p x ssh host %s
autossh -M 0 host %s
mosh host -- %s
proxychains %s
proxychains4 -q %s
torsocks %s
torify %s
tsocks %s
chroot /mnt %s
chroot --userspec=a:b /mnt %s
unshare -r %s
unshare --map-root-user %s
nsenter -t 1 -m %s
flock /tmp/lock %s
flock -n /tmp/lock %s
flock -w 5 /tmp/lock -c "%s"
flock /tmp/lock sh -c "%s"
parallel %s
parallel -j4 "%s {}" ::: a b
parallel ::: "%s"
ls | entr %s
ls | entr -r -s "%s"
watchexec %s
watchexec -e go -- %s
hyperfine "%s"
hyperfine --warmup 3 "%s"
strace %s
strace -f -e trace=network %s
ltrace %s
gdb --args %s
gdb -batch -ex run --args %s
valgrind --leak-check=full %s
perf stat %s
perf record -g -- %s
taskset 0x3 %s
taskset -c 0-3 %s
chrt -f 10 %s
numactl --cpunodebind=0 %s
cpulimit -l 50 %s
prlimit --nofile=100 %s
systemd-run --user --wait %s
dbus-run-session -- %s
xvfb-run -a %s
faketime yesterday %s
caffeinate -i %s
arch -arm64 %s
gosu app %s
su-exec app %s
setpriv --reuid=1 %s
runuser -u app -- %s
pkexec %s
fakeroot %s
dotenv %s
dotenv -e .env -- %s
dotenvx run -f .env -- %s
op run -- %s
op run --env-file=.env -- %s
aws-vault exec prod -- %s
doppler run -- %s
doppler run --command "%s"
infisical run --env=dev -- %s
env-cmd -f .env %s
cross-env A=1 B=2 %s
cross-env-shell A=1 "%s"
nix run nixpkgs#hello -- %s
nix shell nixpkgs#git -c %s
nix develop -c %s
nix develop --command bash -c "%s"
nix-shell -p git --run "%s"
devbox run %s
devbox run -- %s
linux32 %s
setarch x86_64 -R %s
firejail --quiet %s
bwrap --dev-bind / / %s
start-stop-daemon --start --exec /usr/bin/env -- %s
tmux new-session -d "%s"
screen -dm %s
heroku run %s
gcloud compute ssh vm --command "%s"
vagrant ssh -c "%s"
lxc exec c -- %s
wsl -- %s
gtimeout 5 %s
sudo -u "$USER" %s
noglob %s
su root -- -c "%s"
sg docker -c "%s"
docker exec -i web sh <<< "%s"
ssh host bash <<'E'|%s|E
ssh host <<'E'|cd /x|%s|E
kubectl exec -i pod -- bash -s <<'E'|%s|E
echo "%s" | ssh host
echo x | ssh host
echo x | su
echo "%s" | sudo -n -s
docker run --odd alpine sh -c "%s"
ssh host bash < /dev/stdin
bash 0< /proc/self/fd/0
echo "%s" | docker exec -i web sh
(exec 0< x; bash)
poetry run docker compose run app npx -y uvx %s
echo main | xargs -I{} docker exec web %s {}
find . -exec uv run %s {} +
`), "\n")

// written are lines with a program in another language that runs the command.
var written = []string{
	`python3 -c 'import os; os.system("git push --force")'`,
	`python -c "import subprocess; subprocess.run(['git', 'push', '--force'])"`,
	`python3.12 -Bc 'run(["git","push","--force"])'`,
	`python3 -W ignore -c 'run("git push --force".split())'`,
	`python3 -c 'import os,sys; os.execvp(sys.argv[1], sys.argv[1:])' git push --force`,
	`python3 --odd x -c 'git push --force'`,
	"python3 - <<'E'\nimport os\nos.system('git push --force')\nE",
	"python3 <<'E'\nrun(['git', 'push', '--force'])\nE",
	`echo 'os.system("git push --force")' | python3`,
	`CODE='import os; os.system("git push --force")'; python3 -c "$CODE"`,
	"python3 -c \"$(cat <<'E'\nrun(['git', 'push', '--force'])\nE\n)\"",
	`docker run --odd alpine sh -c "g''it 'push' --for\ce"`,
	`uv run python -c 'os.system("git push --force")'`,
	`docker run --rm python:3 python -c 'os.system("git push --force")'`,
	`ssh host "python3 -c 'run([\"git\", \"push\", \"--force\"])'"`,
	`node -e 'require("child_process").execSync("git push --force")'`,
	`node --eval='spawn("git", ["push", "--force"])'`,
	`node -p 'execSync("git push --force")'`,
	`node -pe 'execSync("git push --force")'`,
	`node --input-type=module -e 'execSync("git push --force")'`,
	`node -e 'const a = ["push", "--force"]; spawnSync("git", a)'`,
	`node -e 'exec("cd x\ngit push --force")'`,
	`node.exe -e 'exec("git push --force")'`,
	`perl -e 'system("git push --force")'`, `perl -E 'exec qw(git push --force)'`,
	`perl -lane 'system qw/git push --force/'`, `perl -we '$x = qx{git push --force}'`,
	`ruby -e 'system("git", "push", "--force")'`, "ruby -rjson -e '%x(git push --force)'",
	`php -r 'system("git push --force");'`, `php -d x=1 -r 'exec("git push --force");'`,
	`awk 'BEGIN{system("git push --force")}'`, `gawk -F: '{print | "git push --force"}' x`,
	`awk -f /dev/stdin <<< 'BEGIN{system("git push --force")}'`, `python3 -m timeit 'os.system("git push --force")'`,
	`echo 'Bun.spawn(["git", "push", "--force"])' | bun run -`, `python3 -u -- <<< 'os.system("git push --force")'`,
	`lua -e 'os.execute("git push --force")'`, `lua5.4 -e 'io.popen("git push --force")'`,
	`deno eval 'new Deno.Command("git", {args: ["push", "--force"]})'`,
	`bun -e 'Bun.spawn(["git", "push", "--force"])'`,
	"bun --print 'await Bun.$`git push --force`'",
	`Rscript -e 'system("git push --force")'`, `osascript -e 'do shell script "git push --force"'`,
	`julia -e 'run(Cmd(["git", "push", "--force"]))'`, `elixir -e 'System.cmd("git", ["push", "--force"])'`,
	"tclsh <<'E'\nexec git push --force\nE", `echo 'exec git push --force' | tclsh`, `vim -c '!git push --force' x`,
	`ts-node -e 'execSync("git push --force")'`, `tsx -e 'execSync("git push --force")'`,
	`emacs --batch --eval '(shell-command "git push --force")'`,
	`sudo python3 -c 'os.system("git push --force")'`, `bash -c "perl -e 'system(q(git push --force))'"`,
	`echo --force | xargs python3 -c 'import sys; run(["git", "push", *sys.argv[1:]])'`,
}

// named are lines in which the shell computes the name of the command.
var named = []string{
	"$(echo git) push --force", "x=git; $x push --force", "g*t push", "g*t push --force", "`echo git` push --force",
	`x="git push --force"; $x origin`, "EDITOR=git; $EDITOR push --force", `EDITOR="git push --force"; $EDITOR origin`,
	"$GIT push --force", `"$GIT" push --force`, `"$EDITOR" -c 'git push --force'`, "$EDITOR git push --force",
	`read -r EDITOR <<< x; $EDITOR origin`, `printf -v EDITOR %s y; $EDITOR origin`, `: "${EDITOR:=x}"; $EDITOR origin`,
	`x=env; "$x" git push --force`, "x=eval; $x y", `"$x" "g''it push --force"`,
	`EDITOR=x :; $EDITOR origin`, `for EDITOR in a b; do $EDITOR c; done`,
}

// TestLaunchers holds a rule against launchers and interpreters with its command behind them, or in their texts.
func TestLaunchers(t *testing.T) {
	rule := Parse("shell(git push --force*)")
	require.Greater(t, len(launched), 150)
	var missed []string
	for _, line := range launched {
		line = strings.ReplaceAll(line, "%s", "git push --force")
		if strings.Contains(line, "<<'") {
			line = strings.ReplaceAll(line, "|", "\n")
		}
		if got, _ := rule.Match(projectLine(t, line)); !got {
			missed = append(missed, line)
		}
	}
	for _, line := range slices.Concat(written, named) {
		if got, _ := rule.Match(projectLine(t, line)); !got {
			missed = append(missed, line)
		}
	}
	require.Empty(t, missed)
	for _, line := range slices.Concat(launched, written) {
		client := bash(t, strings.ReplaceAll(line, "%s", "git push --force"))
		if shellline.Split(line).ClientOpaque == "" && !strings.Contains(line, "xargs") {
			got, why := Parse("Bash(git push --force*)").Match(client)
			require.False(t, got && !strings.Contains(why, "known only when it runs"), "%s: %s", line, why)
		}
	}
}

// TestWhyLaunchersMatch has the reasons of matches, and what the agent is told of those out of doubt.
func TestWhyLaunchersMatch(t *testing.T) {
	rule := Parse("shell(git push --force*)")
	for line, want := range map[string][2]string{
		"npx -y git push --force": {`matches the command "git push --force" behind npx`, ""},
		"docker run --odd alpine git push --force": {
			"has all of its words in the arguments of docker run, so the hook runs",
			"hookrun cannot tell what this line runs: the words of the rule shell(git push --force*) stand in the " +
				"arguments of docker run; write it without them, or run the command itself"},
		`python3 -c 'run(["git", "push", "--force"])'`: {
			"has all of its words in the program text of python, so the hook runs",
			"hookrun cannot tell what this line runs: the words of the rule shell(git push --force*) stand in the " +
				"program text of python; write it without them, or run the command itself"},
		`"$x" push --force`: {`may match the command "$x push --force", of which only the shell knows the ` +
			`program "$x", ` +
			"so the hook runs", `hookrun cannot tell what this line runs: "$x push --force", of which only the shell ` +
			`knows the program "$x"; write it without expansions, globs and braces in that command`},
		"xargs git push": {`may match the command "git push" behind xargs, of which only the shell knows the further ` +
			"arguments, so the hook runs",
			`hookrun cannot tell what this line runs: "git push" behind xargs, of which ` +
				"only the shell knows the further arguments; write it without expansions, globs and braces " +
				"in that command"},
	} {
		got, why := rule.Match(projectLine(t, line))
		require.True(t, got, line)
		require.Equal(t, want[0], why, line)
		require.Equal(t, want[1], rule.Doubt(projectLine(t, line)), line)
	}
}

// TestStandsIn has texts in which all words of a pattern stand, and texts in which one is missing or part of another.
func TestStandsIn(t *testing.T) {
	for pattern, texts := range map[string]map[string]bool{
		"git push --force*": {
			`["git","push","--force"]`: true, "git push --force-with-lease": true, "a('git'); b(push,--force)": true,
			"--force push git": true, `"x\ngit push --force"`: true, "/usr/bin/git push --force": true,
			"git push": false, "gitk push --force": false, "legit push --force": false, "git pushed --force": false,
			"git-push --force": false, "git push ---force": false, "": false, "git.push --force": false,
		},
		"git *":     {"x=git": true, ".git": false, "git": true, "git()": true},
		"git pu*sh": {"git push": true, "git pull push": true, "git pull": false},
		"*--force":  {"a --force": true, "a --forced": false, "a--force": true},
		"a * b":     {"b a": true, "ab": false},
		"* *":       {"": true},
		"é x":       {"é x": true, "éé x": false},
	} {
		for text, want := range texts {
			require.Equal(t, want, compile(pattern).wordsAppearIn(text), "%s in %q", pattern, text)
		}
	}
}

// TestProjectWrappers has programs that a hooks file names.
func TestProjectWrappers(t *testing.T) {
	rule := Parse("shell(git push --force*)")
	for line, want := range map[string]bool{
		"inhouse git push --force": true, "/opt/bin/inhouse git push --force": true,
		"./inhouse -x y git push --force": true,
		"inhouse.exe git push --force":    true, "inhouse run --odd=1 z git push --force": true,
		"sudo inhouse sh -c 'git push --force'": true, `x=$(y); inhouse bash -c "$x"`: true,
		"inhouse -- git push --force":         true,
		`x="git push --force"; inhouse -q $x`: true, "xargs inhouse": true,
		"inhouse x.inhouse inhouse git push --force": true,
		"inhouse": false, "inhouse git status": false, "inhouse git push": false, "inhouse -x git pull --force": false,
		"other git push --force": false, "inhouse2 git push --force": false, `inhouse -q $x`: false,
		`inhouse bash -c "$x"`:          false,
		"echo inhouse git push --force": false,
	} {
		call := projectLine(t, line)
		call.Wrappers = []string{"inhouse", "another"}
		got, why := rule.Match(call)
		require.Equal(t, want, got, "%s: %s", line, why)
		call.Wrappers = nil
		got, why = rule.Match(call)
		require.False(t, got && strings.Contains(why, "inhouse"), "%s: %s", line, why)
	}
}

func BenchmarkPlainLine(b *testing.B) {
	for _, line := range []string{"git status", "docker run --rm -it alpine ls", "python3 -c 'print(1)'"} {
		for _, rules := range []int{1, 100} {
			b.Run(fmt.Sprint(strings.Fields(line)[0], " ", rules), func(b *testing.B) {
				rule, once := Parse("shell(git push --force*)"), projectLine(b, line)
				b.ReportAllocs()
				for b.Loop() {
					call := once.WithCache()
					for range rules {
						rule.Match(call)
					}
				}
			})
		}
	}
}

// TestProjectWrappersOnlyAdd names the programs that hookrun knows as wrappers: a file of a lower level must not make a
// rule of a higher one see less of what those run.
func TestProjectWrappersOnlyAdd(t *testing.T) {
	rule := Parse("shell(git push --force*)")
	var known []string
	for _, line := range slices.Concat(launched, written, named) {
		known = append(known, strings.Fields(line)...)
	}
	known = append(known, "git", "bash", "sh", "eval", "find", "pwsh", "cmd", "echo", "alias", "xargs")
	var lost []string
	for _, line := range slices.Concat(launched, written, named) {
		line = strings.ReplaceAll(line, "%s", "git push --force")
		if strings.Contains(line, "<<'") {
			line = strings.ReplaceAll(line, "|", "\n")
		}
		call := projectLine(t, line)
		call.Wrappers = known
		if got, _ := rule.Match(call); !got {
			lost = append(lost, line)
		}
	}
	require.Empty(t, lost)
}
