#!/bin/sh
# Blocks file tools that write outside of the workspace, into .git, or to the hooks and settings that guard this project.
# Wire: {"command": ["./.tenex-hooks/protect-paths.sh"], "events": ["pre-tool"], "matcher": "fs_write|fs_edit|Write|Edit", "on_failure": "block"}

# It treats every tool that the matcher matches as one that writes. What it cannot read, it blocks.
set -fu
LC_ALL=C
export LC_ALL
newline='
'

block() {
	printf 'blocked: %s\n' "$1" >&2
	exit 2
}

input=$(cat)
get() { printf '%s\n' "$input" | "${HOOKRUN:-hookrun}" get "$1" 2>/dev/null; }

# real PATH: the path without links. What does not exist yet is taken as it is written.
real() {
	set -- "$1" 0
	while [ -L "$1" ]; do
		[ "$2" -lt 40 ] || return 1
		to=$(readlink "$1") || return 1
		case $to in
		/*) set -- "$to" $(($2 + 1)) ;;
		*) set -- "${1%/*}/$to" $(($2 + 1)) ;;
		esac
	done
	if [ -d "$1" ]; then
		(cd -P "$1" && pwd -P)
		return
	fi
	case $1 in */..) return 1 ;; esac # of a folder that is not there
	to=${1##*/}
	set -- "${1%/*}" "$to"
	[ -n "$1" ] || set -- / "$2"
	set -- "$(real "$1")" "$2"
	[ -n "$1" ] || return 1
	printf '%s\n' "${1%/}/$2"
}

# guarded PATH: the part of a path, from the workspace on, that is not to be written. Case does not count on a Mac's disk.
guarded() {
	case /$(printf '%s' "$1" | tr '[:upper:]' '[:lower:]')/ in
	*/.git/*) echo .git ;;
	*/.tenex-hooks*) echo 'the hooks of this project' ;;
	*/.claude/settings* | */.claude/hooks/* | */.codex/* | */.gemini/*) echo "a client's settings" ;;
	esac
}

cwd=$(get cwd) && [ -d "$cwd" ] || cwd=$PWD
root=$(real "${HOOKRUN_WORKSPACE:-$PWD}") || block 'this hook could not find the workspace'

check() { # check PATH
	case $1 in
	'' | *"$newline"* | '["'* | '{"'*) block 'this hook could not read the path of the call' ;;
	\~*) block "$1 is outside of the workspace" ;;
	../* | */../* | */.. | ..) block "$1 has a .. in it; write the path without" ;;
	/*) full=$1 ;;
	*) full=$cwd/$1 ;;
	esac
	while [ "${full%/}" != "$full" ]; do full=${full%/}; done
	place=$(real "$full") || block "this hook could not find out where $1 leads to"
	case $place in
	"${root%/}"/*) ;;
	*) block "$1 is outside of the workspace" ;;
	esac
	why=$(guarded "${full#"$root"/}") # the name in the call, which may be that of a link
	[ -n "$why" ] || why=$(guarded "${place#"${root%/}"/}")
	[ -z "$why" ] || block "$1: $why is for people to change; ask"
}

found=no
keys=$(get 'args.@keys')
has() { # has KEY
	case $keys in *"\"$1\""*) return 0 ;; esac
	return 1
}

for key in path file_path filePath notebook_path target_file source destination old_path new_path; do
	has "$key" || continue
	path=$(get "args.$key") || block 'this hook could not read the path of the call'
	[ "$path" != null ] || continue # as if it were not there
	check "$path"
	found=yes
done

# patch TEXT: a patch for apply_patch has the paths in it. Droid writes it as JSON into the text.
patch() {
	case $1 in
	'{"input"'*) set -- "$(printf '%s\n' "$1" | "${HOOKRUN:-hookrun}" get input 2>/dev/null)" ;;
	esac
	case $1 in *'*** '*) ;; *) return ;; esac
	found=yes
	paths=$(printf '%s\n' "$1" |
		sed -n -e 's/^[[:blank:]]*\*\*\* [AUD][a-z]* File: */=/p' -e 's/^[[:blank:]]*\*\*\* Move to: */=/p')
	while IFS= read -r path; do
		check "${path#=}"
	done <<PATHS
$paths
PATHS
}

for key in command input patch patchText; do
	has "$key" && patch "$(get "args.$key")"
done
[ "$found" = yes ] || patch "$(get args)"
[ "$found" = yes ] || block 'the call names no path that this hook knows, so nobody has checked it'
