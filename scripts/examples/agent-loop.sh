#!/bin/sh
# An agent loop around hookrun, in POSIX sh. Its model is a script with one shell call per line: {"command":"ls"}.
# Use: PROMPT='tidy up' agent-loop.sh [FILE], in the workspace. Prints what the model would see; exits as hookrun.

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT && trap 'exit 1' HUP INT TERM
[ $# -eq 0 ] || exec <"$1"
prompt=${PROMPT:-Do what the script says.} nl='
'
printf '%s' "$prompt" >"$tmp/prompt"

say() { printf '%s:\n%s\n\n' "$1" "$2"; }
fold() { folded=$1${1:+${2:+"$nl$nl"}}$2; }

# run_hooks EVENT [FLAG…] is true if the call continues; $output has the hooks' texts for the model. It is false if the
# call is blocked; $output has the reason. In all other cases the loop ends here.
run_hooks() {
	output=$("${HOOKRUN:-hookrun}" "$@" --prompt "@$tmp/prompt" --session-id "loop-$$" </dev/null 2>"$tmp/stderr")
	case $? in
	0) cat "$tmp/stderr" >&2 ;; # warnings
	2)
		output=$(cat "$tmp/stderr")
		return 1
		;;
	3)
		say stopped "$(cat "$tmp/stderr")"
		exit 3
		;;
	*)
		cat "$tmp/stderr" >&2
		echo 'agent-loop: the hooks could not run, so the loop ends' >&2
		exit 1
		;;
	esac
}

# run_tool: the tool itself. Its arguments are in $tmp/args.
run_tool() {
	command=$("${HOOKRUN:-hookrun}" get command <"$tmp/args") || { echo 'shell needs {"command": "…"}' && return 1; }
	sh -c "$command" </dev/null 2>&1 || { code=$? && echo "exit code $code" && return 1; }
}

run_hooks pre-execute || { say blocked "$output" && exit 2; }
fold "$prompt" "$output" && say user "$folded"
while IFS= read -r call || [ -n "$call" ]; do
	[ -n "$call" ] || continue
	say call "$call"
	printf '%s\n' "$call" >"$tmp/args"
	texts='' flag=''
	if run_hooks pre-tool --tool shell --args "@$tmp/args"; then
		texts=$output
		result=$(run_tool) || flag=--failed
	else
		result=$output flag=--blocked # the reason is for the model
	fi
	printf '%s' "$result" >"$tmp/result"
	# shellcheck disable=SC2086 # $flag is a flag or nothing
	run_hooks post-tool --tool shell --args "@$tmp/args" --result "@$tmp/result" $flag || { result=$output && output=''; }
	fold "$result" "$texts" && fold "$folded" "$output" && say tool "$folded"
done
