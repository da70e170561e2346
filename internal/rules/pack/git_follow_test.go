package pack

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// repositories makes a folder with repositories: own is on the branch feature, main on main. Both have branches main,
// feature and other, of which the last is packed.
func repositories(t *testing.T) string {
	t.Helper()
	base := t.TempDir()
	for _, name := range []string{"own", "main"} {
		branch := map[string]string{"own": "feature", "main": "main"}[name]
		for file, text := range map[string]string{
			".git/HEAD": "ref: refs/heads/" + branch + "\n", ".git/refs/heads/main": "1\n",
			".git/refs/heads/feature": "2\n", ".git/packed-refs": "# pack-refs\n3 refs/heads/other\n", "a.txt": "",
			"src/b.txt": "", "other": "", ".githooks/pre-commit": "", "src/hooks/use.ts": "",
		} {
			require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(base, name, file)), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(base, name, file), []byte(text), 0o600))
		}
	}
	return base
}

// TestFollowedLines has lines in a repository on main, or behind "own:" on a branch of one's own: what a command means
// depends on the commands before it.
func TestFollowedLines(t *testing.T) {
	base := repositories(t)
	for rule, test := range map[string]struct{ held, passes string }{
		"no-push-to-main": {
			held: `
git push
git push -u origin HEAD
git checkout -b x; git push
git checkout -b x || true; git push
git checkout -b x 2>&1 | tail -1; git push -u origin HEAD
git checkout x || git checkout -b x; git push
(git checkout -b x); git push
! git checkout -b x && git push
if git checkout -b x; then ls; fi; git push
if [ -f a ]; then git checkout -b x; fi && git push
for f in 1 2; do git checkout -b x; done && git push
git checkout -b x & git push
git checkout -b x && git checkout main && git push
git checkout -b x && git checkout - && git push
git checkout -b x || (exit 1); git push
git checkout -b x || echo $(exit 1); git push
git checkout "$B" && git push
git switch "$B" && git push origin HEAD
B=main; git checkout $B && git push
own:git checkout main && git pull && git push
own:git checkout main; git push
own:git switch main; git push
own:git checkout main || true; git push origin @
own:git switch -C main && git push
own:git checkout -B main origin/feature; git push -u origin HEAD
own:git branch -M main && git push
own:git branch -m feature main && git push
own:git symbolic-ref HEAD refs/heads/main && git push
own:git checkout main && cd src && git push
own:git -C src checkout main; git push
own:cd src; git switch main; git push
own:bash -c 'git checkout main && git push'
own:bash -c 'git checkout main'; git push
own:sudo git checkout main && sudo git push
own:f() { git push; }; git checkout main; f
own:g() { git checkout main; }; g; git push
own:while true; do git push; git checkout main; done
own:git rebase feature main && git push
own:git stash branch main && git push
own:git checkout "$X" && git push
own:git checkout - && git push
own:git checkout ma$X; git push
own:git worktree add ../w main && cd ../w && git push
own:git worktree add ../w main && git -C ../w push origin HEAD
own:git clone https://h/x.git && cd x && git push
own:B=main; git push origin $B
own:B=main; git push origin HEAD:$B
own:for b in feature main; do git push origin $b; done
own:git push origin 'refs/heads/*:refs/heads/*'
own:git push origin :
own:git push origin heads/main
own:git --git-dir=../main/.git push
own:cd ../main && git push
own:git-push origin main
git push origin "$(git branch --show-current)"
git push origin "HEAD:$(git rev-parse --abbrev-ref HEAD)"
ssh h 'git checkout main && git push'
set -x; git checkout -b x; git push
set -e; git checkout -b x || true; git push
own:git -c push.default=upstream push
own:git -c remote.origin.push=HEAD:main push
own:cd "$D" && git checkout main && git push`,
			passes: `
git checkout -b x && git add -A && git commit -m m && git push -u origin HEAD
git switch -c x && git push
git checkout -b x && git push origin @
git checkout -b x || exit 1; git push
git checkout -b x || { echo no; exit 1; }; git push
git checkout x 2>/dev/null || git checkout -b x && git push
(git checkout x || git checkout -b x) && git push -u origin HEAD
git checkout x || git checkout -b x || exit; git push
if git checkout -b x; then git push; fi
if ! git checkout -b x; then exit 1; fi; git push
git checkout -b x && (cd src && git push)
git -C src checkout -b x && git push
bash -lc 'git checkout -b x && git commit -am m && git push -u origin HEAD'
bash -c 'git checkout -b x' && git push
timeout 5 git checkout -b x && git push
git checkout -b fix/$ID && git push -u origin HEAD
B=fix-$(date +%s); git checkout -b "$B" && git push -u origin HEAD
B=x; git checkout -b $B && git push
git checkout main && git checkout -b x && git push
git checkout -t origin/x && git push
git checkout --orphan pages && git push origin HEAD
git branch -m x && git push
git checkout --detach && git push origin HEAD:x
gh pr checkout 12 && git commit -am m && git push
git worktree add ../w -b x && cd ../w && git push -u origin HEAD
git worktree add ../x && git -C ../x push
git clone -b x https://h/r.git && cd r && git push
git checkout -b x && git rebase main && git push
set -euo pipefail; git checkout -b x; git add -A; git commit -m m; git push -u origin HEAD
bash -c 'set -e; git checkout -b x; git push'
git checkout -b x && git stash && git stash pop && git push
git -C ../own push
own:git push origin "$(git branch --show-current)"
own:git checkout main && git pull && git checkout - && git push
own:git checkout main -- a.txt && git push
own:git checkout a.txt && git push
own:B=x; git push origin $B
own:git push origin "$B"
own:git push origin 'refs/tags/*'
own:git checkout other && git push
own:git -C ../main checkout -b x && git push
own:git -C ../main checkout main; git push
own:cd ../main && git checkout main; cd ../own && git push
own:if [ "$B" != "main" ]; then git push origin "$B"; fi
own:git fetch origin main && git rebase origin/main && git push`,
		},
		"no-lost-work": {
			held: `
git stash -u; git reset --hard
git stash -u || true; git reset --hard
git stash -u | cat; git reset --hard
git stash -u | cat && git reset --hard
git stash -u & git reset --hard
git stash -u || git reset --hard
! git stash -u && git reset --hard
if git stash -u; then ls; fi; git reset --hard
git stash -u && true; git reset --hard
git stash -u && git stash pop && git reset --hard
git stash -u && git stash pop; git reset --hard
git stash pop & git stash -u && git reset --hard
f() { git stash pop; }; git stash -u && f && git reset --hard
git stash -u && git stash drop && git reset --hard
git stash && git clean -fd
git stash -u && git clean -fdx
git stash && git reset --hard origin/main
git stash -- a.txt && git reset --hard
git stash push a.txt && git checkout src/b.txt
git stash -p && git checkout .
git stash --staged && git checkout .
git stash create && git reset --hard
git stash list && git reset --hard
git -C ../own stash -u && git reset --hard
ssh h git stash -u && git reset --hard
git stash -u && git -C ../own reset --hard
git add -A && git reset --hard
git add -A; git commit -m x && git reset --hard
git add -A && git commit -m x; git reset --hard
git commit -m x && git checkout .
git commit -am x && git clean -fd
git commit -am x --dry-run && git checkout .
git add -An && git commit -m x && git checkout .
git add -N . && git commit -m x && git reset --hard
git add src && git commit -m x && git checkout .
cd src && git add . && git commit -m x && git reset --hard
git add a.txt && git commit -m x && git checkout src
git commit -am x && git reset HEAD~1 && git checkout .
git commit -m x a.txt && git checkout .
xargs git stash -u && git reset --hard
find . -exec git stash -u \; && git reset --hard
trap 'git stash -u' EXIT && git reset --hard
git stash -u && git branch -D x
git stash -u && git stash clear
git stash apply; git stash drop
git stash apply && git stash drop stash@{1}
git stash apply && git stash && git stash drop
git checkout HEAD a.txt
git checkout main a.txt
git checkout HEAD~2 src/b.txt
git checkout src
git checkout src/
git checkout ./x
git checkout 'src/*.txt'
git checkout *.txt
git checkout a.txt src/b.txt
git checkout --pathspec-from-file=list
git checkout $X .
git read-tree -u --reset HEAD
git read-tree --reset -u origin/main
git rm -rf .
git rm -r --force .
git checkout-index -f -a
git checkout-index --force a.txt
git stash drop
git stash clear
git switch --discard-changes main
git -c clean.requireForce=false clean -d
git --git-dir=.git checkout -- a.txt
git --work-tree=/tmp/x stash -u && git reset --hard
GIT_INDEX_FILE=x git stash -u && git reset --hard
git -C "$D" stash -u && git reset --hard
for d in a src; do git -C $d stash -u; git -C $d reset --hard; done
D=src; git -C $D stash -u && git -C ../own reset --hard
(cd "$D" && git stash -u) && git reset --hard
git -c core.excludesFile=x stash -u && git clean -fd
git stash -u && git clean -ffd
git stash -u && git reset --hard --recurse-submodules
git stash -u || EXIT; git reset --hard
git stash -u || exit 1 2; git reset --hard
git add -A && git restore --staged . && git commit --allow-empty -m x && git reset --hard
git stash -u && [ -f x ] || git reset --hard
if false; then git stash -u; fi && git reset --hard
X='git stash -u'; bash -c "$X" && git reset --hard
set -e; git stash -u && true; git reset --hard
set -e; set +e; git stash -u; git reset --hard
set -e; git stash -u | cat; git reset --hard
set -e; ! git stash -u; git reset --hard
set -e; if true; then git stash -u; fi; git reset --hard
{ set -e; git stash -u; git reset --hard; } || true
(set -e; git stash -u; git reset --hard) || true
(set -e); git stash -u; git reset --hard
bash -c 'set -e; false'; git stash -u; git reset --hard
bash -c 'set -e; git stash -u'; git reset --hard
git stash -u; set -e; git reset --hard
set "$X"; git stash -u; git reset --hard
rm -rf .git/objects
rm .git/refs/heads/main
rm -rf .git/*`,
			passes: `
git stash -u && git reset --hard
git stash && git reset --hard
git stash && git reset --hard HEAD
git stash -u && git reset --hard origin/main && git clean -fd
git stash --include-untracked && git clean -fd
git stash -a && git clean -fdx
git stash push -u -m 'before the reset' && git checkout .
git stash save x && git checkout .
git stash -u || exit 1; git reset --hard
git stash -u || { echo no >&2; exit 1; }; git reset --hard
if git stash -u; then git reset --hard; fi
git -C src stash -u && git reset --hard
cd src && git stash -u && git checkout .
bash -c 'git stash -u && git reset --hard'
bash -c 'git stash -u' && git reset --hard
bash -lc 'git stash -u && git reset --hard'
sudo git stash -u && git reset --hard
git stash -u && (git reset --hard)
set -e; git stash -u; git reset --hard
set -o errexit; git add -A; git commit -m x; git checkout .
bash -c 'set -e; git stash -u; git reset --hard'
bash -c 'set -e; git stash -u; ls' && git reset --hard
git stash -u && for f in a b; do git checkout -- $f; done
git add -A && git commit -m x && git checkout .
git add -A && git commit -qm x && git reset --hard origin/main
git add . && git commit -m x && git clean -fd
git add --all && git stash && git clean -fd
git commit -am x && git checkout .
git commit -a -m x && git reset --hard
git commit -am x && git push && git reset --hard
git add a.txt && git commit -m x && git checkout a.txt
git stash push a.txt && git checkout a.txt
git stash push -- src && git checkout -- src/b.txt
git commit -m x a.txt && git checkout HEAD a.txt
git stash -u && git checkout -f main
git stash -u && git switch --discard-changes main
git stash -u && git rm -rf .
git merge x && git branch -D x
rm -f .git/index.lock
cd "$D" && git stash -u && git reset --hard
git -C "$D" stash -u && git -C "$D" reset --hard
D=src; git -C $D stash -u && git -C $D reset --hard
for d in a src; do git -C $d stash -u && git -C $d reset --hard; done
for d in */; do (cd "$d" && git stash -u && git reset --hard); done
git -c user.name=a -c user.email=b commit -am x && git checkout .
git stash apply && git stash drop
git stash pop
git stash drop --help
git reset --hard --help
git checkout other
git checkout main
git checkout main --
git checkout -b src
git checkout -b x HEAD~2
git checkout gone.txt
git checkout -q "$REF"
git checkout $FLAGS main
git checkout-index -a -f --prefix=/tmp/x/
git checkout-index -a
git read-tree HEAD
git read-tree -m -u HEAD main
git rm -rf dist
git rm -r --cached .
git rm a.txt
git checkout [branch]
git branch -d x`,
		},
		"no-force-push": {
			held: `
git push -$F
F=f; git push -$F
echo --force | xargs git push
xargs git push <<< '-f origin x'
X=+main; git push origin $X
X=--force; git push origin x $X
git send-pack --force h x
git-push --force`,
			passes: `
cat branches | xargs git push origin
git push [remote] [branch]
git push origin "$X"
git push -o ci.skip="$X" origin x
git push --push-option=$X
parallel git push origin ::: a b
git push --force --help`,
		},
		"no-remote-delete": {
			held: `
git push origin ":$B"
B=x; git push origin :$B
git push origin --delete "$B"`,
			passes: `
parallel git push origin ::: a b
git push origin "$A:$B"
git push origin :`,
		},
		"no-lost-history": {
			held: `
git branch -f other HEAD~3
own:git branch -f main
git branch -M feature other
own:git branch -M main
git checkout -B other
git checkout -B other main
git switch -C feature HEAD~2
git for-each-ref --format='delete %(refname)' refs/original | git update-ref --stdin
git-filter-repo --path x
git -C src filter-branch --all
git gc --prune=all
git reflog delete HEAD@{2}
git config gc.pruneExpire now
git replace --graft HEAD
git update-ref -d HEAD`,
			passes: `
git branch -f new HEAD~3
git branch -M main
git branch -M new
git branch -m feature new
git checkout -B other origin/other
git checkout -B new
git checkout -B main
own:git checkout -B feature
own:git switch -C main origin/main
git branch --force --delete x
git update-ref refs/heads/x HEAD
git filter-repo --help
git commit --amend
git rebase -i main
git gc --auto
git config gc.pruneExpire
git config gc.pruneExpire 30.days
git fetch --prune
git worktree prune
git lfs prune
git reflog expire --expire=now --all --dry-run
git update-ref -d refs/remotes/origin/x`,
		},
		"no-skipped-checks": {
			held: `
rm -rf .husky
rm .husky/pre-commit
mv .husky x
cd .husky && rm pre-commit
echo > .husky/pre-commit
cat x >> .husky/pre-push
sed -i 1d .husky/pre-commit
tee .husky/pre-commit < x
truncate -s 0 .git/hooks/pre-commit
chmod -x .husky/pre-commit
chmod 644 .git/hooks/pre-commit
chmod a=rw .husky/pre-commit
git rm -r .husky
git mv .husky x
ln -sf /bin/true .git/hooks/pre-commit
cp /dev/null .husky/pre-commit
sed -i /hooks/d .git/config
mv .git/hooks/pre-commit{,.off}
find .husky -type f -delete
pre-commit uninstall
pre-commit uninstall -t pre-push
npx lefthook uninstall
lefthook uninstall
npx husky uninstall
overcommit --uninstall
rm lefthook.yml
rm -f .lefthook.yml
mv .pre-commit-config.yaml /tmp
git rm .overcommit.yml
> lefthook.yml
: > .pre-commit-config.yaml
cp /dev/null lefthook.yml
git push --no-verify
git ci --no-verify
HUSKY=0 git push
SKIP=eslint git commit -m x
LEFTHOOK=0 git commit -m x
LEFTHOOK_EXCLUDE=lint git commit -m x
OVERCOMMIT_DISABLE=1 git commit -m x
standard-version --no-verify
npx standard-version -n
git config core.hooksPath /dev/null
git config --global core.hooksPath ''
git config core.hooksPath .git/hooks
git config core.hooksPath src/hooks
git config core.hooksPath nothing
git config core.hooksPath ../x/hooks
git config core.hooksPath "$X"
git config set core.hooksPath /tmp/x
git config unset core.hooksPath
git config --unset core.hooksPath
git config --remove-section core
git -c core.hooksPath=/dev/null commit -m x
git -c core.hooksPath=/dev/null push
git -c core.hooksPath= rebase main
git -c core.hooksPath=/dev/null submodule foreach git commit -m x
git -c core.hooksPath=/dev/null ci
git --config-env=core.hooksPath=X commit -m x
gh pr merge --admin 12
gh pr merge 12 --squash --admin`,
			passes: `
git config core.hooksPath .husky
git config core.hooksPath .husky/_
git config --local core.hooksPath .githooks
git config core.hooksPath scripts/git-hooks
git config get core.hooksPath
git config --get core.hooksPath x
git -c core.hooksPath=/dev/null fetch
git -c core.hooksPath=/dev/null init
git -c core.hooksPath=/dev/null bundle create x HEAD
git -c core.hooksPath=/dev/null add -A
git -c core.hooksPath=/dev/null status
git -c core.hooksPath=/dev/null log
git -c core.hooksPath=/dev/null clone x
git -c core.hooksPath=.githooks commit -m x
chmod +x .husky/pre-commit
chmod 755 .git/hooks/pre-commit
chmod 600 .git/config
cp hooks/pre-commit .git/hooks/pre-commit
ln -s ../../hooks/pre-commit .git/hooks/pre-commit
cat .husky/pre-commit
ls .husky
npx husky init
npx husky add .husky/pre-commit 'npm test'
pre-commit install
pre-commit run --all-files
pre-commit autoupdate
lefthook install
lefthook run pre-commit
overcommit --install
sed -i s/v1/v2/ .pre-commit-config.yaml
cat > lefthook.yml <<< 'pre-commit:'
echo x >> .pre-commit-config.yaml
mv new.yml lefthook.yml
cp lefthook.yml x
git add lefthook.yml
git rm --cached .husky/x
standard-version --first-release
gh pr merge 12 --squash
gh pr merge --auto
git push --verify
HUSKY=0 npm install
SKIP=x git fetch`,
		},
	} {
		for text, blocks := range map[string]bool{test.held: true, test.passes: false} {
			for line := range strings.Lines(strings.TrimSpace(text) + "\n") {
				dir, line := "main", strings.TrimSpace(line)
				if rest, ok := strings.CutPrefix(line, "own:"); ok {
					dir, line = "own", rest
				}
				c := callOf(t, Example{Text: line}, filepath.Join(base, dir))
				assert.Equal(t, blocks, git.Rule(rule).Decide(c).Subject != "", "%s: %s: %s", rule, dir, line)
			}
		}
	}
}
