#!/bin/sh
# An agent loop around hookrun, in POSIX sh. Its model is a script: one shell call a line, as {"command":"ls"}.
# Use: PROMPT='tidy up' agent-loop.sh [FILE], in the workspace. It prints what the model would see; exits as hookrun does.

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT && trap 'exit 1' HUP INT TERM
[ $# -eq 0 ] || exec <"$1"
prompt=${PROMPT:-Do what the script says.} nl='
'
printf '%s' "$prompt" >"$tmp/prompt"

say() { printf '%s:\n%s\n\n' "$1" "$2"; }
fold() { folded=$1${1:+${2:+"$nl$nl"}}$2; }

# ask EVENT [FLAG…]: true if the call goes on, and $said has what the hooks tell the model; false if it is blocked, and
# $said has the reason. In all other cases the loop ends here.
ask() {
	said=$("${HOOKRUN:-hookrun}" "$@" --prompt "@$tmp/prompt" --session-id "loop-$$" </dev/null 2>"$tmp/stderr")
	case $? in
	0) cat "$tmp/stderr" >&2 ;; # warnings
	2)
		said=$(cat "$tmp/stderr")
		return 1
		;;
	3)
		say stopped "$(cat "$tmp/stderr")"
		exit 3
		;;
	*)
		cat "$tmp/stderr" >&2
		echo 'agent-loop: the hooks could not be asked, so nothing more is run' >&2
		exit 1
		;;
	esac
}

# run_tool: the tool itself. Its arguments are in $tmp/args.
run_tool() {
	command=$("${HOOKRUN:-hookrun}" get command <"$tmp/args") || { echo 'shell needs {"command": "…"}' && return 1; }
	sh -c "$command" </dev/null 2>&1 || { code=$? && echo "exit code $code" && return 1; }
}

ask pre-execute || { say blocked "$said" && exit 2; }
fold "$prompt" "$said" && say user "$folded"
while IFS= read -r call || [ -n "$call" ]; do
	[ -n "$call" ] || continue
	say call "$call"
	printf '%s\n' "$call" >"$tmp/args"
	texts='' failed=''
	if ask pre-tool --tool shell --args "@$tmp/args"; then
		texts=$said
		result=$(run_tool) || failed=--failed
	else
		result=$said # the model reads why
	fi
	printf '%s' "$result" >"$tmp/result"
	# shellcheck disable=SC2086 # $failed is a flag or nothing
	ask post-tool --tool shell --args "@$tmp/args" --result "@$tmp/result" $failed || { result=$said && said=''; }
	fold "$result" "$texts" && fold "$folded" "$said" && say tool "$folded"
done
