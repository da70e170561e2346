#!/bin/sh
# Reminds the model after a change: to run the tests after an edit, to look at the lock file after a new dependency.
# Wire: {"command": ["./remind-after-tool.sh"], "events": ["post-tool"], "matcher": "shell|Bash|fs_write|fs_edit|Write|Edit"}

input=$(cat)
get() { printf '%s\n' "$input" | "${HOOKRUN:-hookrun}" get "$1" 2>/dev/null; }

# A failed call needs no reminder.
[ "$(get hook_event_name)" != PostToolUseFailure ] || exit 0

if [ -f go.mod ]; then
	tests='go test ./...'
elif [ -f Cargo.toml ]; then
	tests='cargo test'
elif [ -f package.json ]; then
	tests='npm test'
elif [ -f pyproject.toml ]; then
	tests='pytest'
else
	tests='the tests'
fi

case $(get tool_name) in
shell | Bash)
	command=$(get command) || exit 0
	case $command in
	*'go get '* | *'go mod edit'*) echo "go.mod may have changed: run go mod tidy, then $tests." ;;
	*'npm install '* | *'npm i '* | *'npm uninstall '* | *'pnpm add '* | *'yarn add '*)
		echo "package.json may have changed: commit its lock file with it, and run $tests."
		;;
	*'cargo add '* | *'pip install '* | *'uv add '*)
		echo "The dependencies may have changed: see that they are written down, and run $tests."
		;;
	esac
	;;
*)
	path=$(get tool_input.path || get tool_input.file_path) || exit 0
	case $path in
	*.md | *.txt | *.rst) ;; # no test reads those
	go.mod | */go.mod) echo "go.mod has changed: run go mod tidy, then $tests." ;;
	package.json | */package.json)
		echo "package.json has changed: run npm install so that the lock file follows, then $tests."
		;;
	*) echo "$path has changed: run $tests before you call this done." ;;
	esac
	;;
esac
exit 0
