//go:build unix

package permission

import (
	"strings"

	"github.com/hookrun/hookrun/internal/testall"
)

// classes are lines that run danger with --force in a shell at least, by ways that are not plain commands.
var classes = strings.Split(strings.TrimSpace(`
HOME=--force; danger ~
HOME=danger; ~ --force
OLDPWD=--force; danger ~-
PWD=--force; danger ~+
HOME=--force bash -c 'danger $HOME'
env HOME=--force sh -c 'danger $HOME'
env H""OME=--force sh -c 'danger ~'
printf -v HOME %s --force; danger $HOME
: ${HOME:=--force}; danger $HOME
unset HOME; : ${HOME:=--force}; danger $HOME
unset HOME; : ${HOME=--force}; danger ~
for HOME in --force; do danger ~; done
read HOME <<< --force; danger "$HOME"
export HOME=--force; danger ~
BASH_ENV='$(danger --force)' bash -c :
env BASH_ENV='$(danger --force)' bash -c :
export BASH_ENV='$(danger --force)'; bash -c :
BASH_ENV='$(danger --force)' timeout 5 bash -c :
BASH_ENV='$(x=dan; ${x}ger --force)' bash -c :
BASH_ENV=/dev/stdin bash -c : <<< 'danger --force'
ENV='$(danger --force)' sh -ic :
PS4='$(danger --force)'; set -x; :
PS4='$(danger --force)' bash -xc :
env PS4='$(danger --force)' bash -xc :
PROMPT_COMMAND='danger --force' bash -i < /dev/null
env 'BASH_FUNC_ls%%=() { danger --force; }' bash -c ls
env 'BASH_FUNC_danger%%=() { command danger --force; }' bash -c danger
set -k; danger A=1 --force
set -o keyword; danger A=1 --force
bash -kc 'danger A=1 --force'
bash -o keyword -c 'danger A=1 --force'
shopt -s nullglob; danger nofile* --force
bash -O nullglob -c 'danger nofilex* --force'
shopt -s nullglob; eval 'danger nofilex* --force'
setopt nullglob; danger nofilex* --force
setopt NULL_GLOB; danger nofilex* --force
jobs -x danger --force
compgen -W '$(danger --force)'
declare 'a[$(danger --force)]=1'
printf -v 'a[$(danger --force)]' x
read 'a[$(danger --force)]' <<< x
test -v 'a[$(danger --force)]'
[ -v 'a[$(danger --force)]' ]
[[ -v 'a[$(danger --force)]' ]]
[[ 'a[$(danger --force)]' -eq 0 ]]
[ 'a[$(danger --force)]' -eq 0 ]
unset 'a[$(danger --force)]'
a=(1); unset 'a[$(danger --force)]'
declare -n x='a[$(danger --force)]'; echo $x
RANDOM='a[$(danger --force)]'
OPTIND='a[$(danger --force)]'
SECONDS='a[$(danger --force)]'
declare -i y; y='a[$(danger --force)]'
integer y; y='a[$(danger --force)]'
typeset -i y='a[$(danger --force)]'
x='a[$(danger --force)]'; [[ x -eq 0 ]]
x='a[$(danger --force)]'; [[ $x -eq 0 ]]
x='a[$(danger --force)]'; [ $x -eq 0 ]
x='a[$(danger --force)]'; ((x))
x='a[$(danger --force)]'; echo $((x + 1))
x='a[$(danger --force)]'; y=x; echo $((y + 1))
x='a[$(danger --force)]'; for ((i=x;i<1;i++)); do :; done
x='a[$(danger --force)]'; let x+=1
x='a[$(danger --force)]'; return $x
x='a[$(danger --force)]'; printf %d "$x"
x='a[$(danger --force)]'; z=abc; echo ${z:x}
x='a[$(danger --force)]' bash -c '((x))'
x='$'; y="a[$x(danger --force)]"; [[ y -eq 0 ]]
x='$'; y="a[$x(danger --force)]"; echo $((y))
x='$(danger --force)'; echo "${x@P}"
return 'a[$(danger --force)]'
break 'a[$(danger --force)]'
export 'a[$(danger --force)]'
exit 'a[$(danger --force)]'
printf %d 'a[$(danger --force)]'
echo 'danger --force' | bash
echo 'danger --force' | sh -s
cd /dev; echo 'danger --force' | bash stdin
cd /dev/fd; echo 'danger --force' | bash 0
cd /dev; . ./stdin <<< 'danger --force'
bash <(echo danger --force)
. <(echo danger --force)
source danger --force
bash danger --force
{ bash; } <<< 'danger --force'
( bash ) <<< 'danger --force'
if true; then bash; fi <<< 'danger --force'
f() { bash; }; echo 'danger --force' | f
f() { "$@"; }; f danger --force
f() { danger "$@"; }; f --force
f() { danger "$1"; }; f --force
ls() { danger --force; }; ls
echo() { danger "$@"; }; echo --force
case a in a) danger --force;; esac
case danger in *) danger --force;; esac
x=danger; case $x in d*) $x --force;; esac
for ((i=0;i<1;i++)); do danger --force; done
if ((1)); then danger --force; fi
((danger --force))
[[ a && danger --force ]]
[[ a || b && danger --force ]]
[[ a == b || danger --force ]]
cat <<E > f
$(danger --force)
E
cat <<'E' > f; bash f
danger --force
E
bash <<E
danger --force
E
x=--force; bash <<E
danger $x
E
cat <<E | bash
danger --force
E
diff <(danger --force) <(:)
cat < <(danger --force)
: > >(danger --force)
trap 'danger --force' EXIT
trap -- 'danger --force' EXIT
alias x='danger --force'; eval x
hash -p "$(command -v danger)" x; x --force
noglob danger --force
nocorrect danger --force
- danger --force
repeat 1 danger --force
repeat 1 x=1 danger --force
emulate sh -c 'danger --force'
emulate -R zsh -c 'danger --force'
zsh -c 'repeat 1 danger --force'
coproc danger --force; wait
autoload -U zargs; zargs -- a -- danger --force
getln 'a[$(danger --force)]'
READNULLCMD=danger; < /dev/null
set -o history
history -s 'danger --force'
fc -s
set -H; danger --force
command -p danger --force
exec danger --force
exec -a x danger --force
eval danger --force
eval 'danger' --force
builtin eval danger --force
command eval 'danger --force'
bash -c 'danger --force'
bash -ceu 'danger --force'
bash -c -- 'danger --force'
bash -euo pipefail -c 'danger --force'
sh -c 'danger "$@"' x --force
xargs -a /dev/null danger --force
echo --force | xargs danger
find . -maxdepth 0 -exec danger --force ';'
timeout 5 danger --force
nice danger --force
env danger --force
env -u x danger --force
env -S 'danger --force'
{ danger --force; }
( danger --force )
( ( danger --force ) )
danger --force &
danger --force & wait
! danger --force
time danger --force
x=danger; $x --force
x='danger --force'; $x
x='danger --force'; eval "$x"
x='danger --force'; bash -c "$x"
danger {--force,}
{danger,--force}
set -- danger --force; "$@"
set -- --force; danger "$1"
IFS=,; x=danger,--force; $x
mapfile -C 'danger --force' -c1 x <<< a
`), "\n")

// contexts hold a line as a part of another one.
var contexts = []string{
	"L", "if true; then L; fi", "for i in 1; do L; done", "( L )", "{ L; }", "echo \"$(L)\"", "true && L", "false || L",
	"while true; do L; break; done", "case a in a) L;; esac", "f() { L; }; f", "! L", "L | cat", "true; L; true",
	"bash -c 'L'", "eval 'L'", "timeout 5 bash -c 'L'", "find . -maxdepth 0 -exec bash -c 'L' ';'", "zsh -c 'L'",
	"env -i PATH=\"$PATH\" bash -c 'L'", "sh -c 'L'",
}

// classLines has each class in each context. Lines of several lines stand alone.
func classLines() (lines []string) {
	several, many := "", false
	for _, class := range classes {
		switch {
		case strings.Contains(class, "<<E") || strings.Contains(class, "<<'E'") || class == "set -o history":
			several, many = class, true
			continue
		case many:
			several += "\n" + class
			if class != "E" && class != "fc -s" {
				continue
			}
			lines, many = append(lines, several), false
			continue
		}
		for _, context := range contexts {
			line := class
			if strings.Contains(context, "'L'") {
				line = strings.ReplaceAll(class, "'", `'\''`)
			}
			lines = append(lines, strings.ReplaceAll(context, "L", line))
		}
	}
	return testall.Part(3, lines)
}
