#!/bin/sh
# Tells the model the state of the project: the branch, changed files, the last commits, and CONTEXT.md.
# Wire: {"command": ["./project-context.sh"], "events": ["pre-execute"], "timeout": "5s"}

# It prints nothing without git and CONTEXT.md. It takes no lock that another git would wait for.
GIT_OPTIONAL_LOCKS=0
export GIT_OPTIONAL_LOCKS

if [ "$(git rev-parse --is-inside-work-tree 2>/dev/null)" = true ]; then
	branch=$(git symbolic-ref --quiet --short HEAD || git rev-parse --short HEAD)
	changed=$(git status --porcelain | wc -l | tr -d ' ')
	echo "Git branch: $branch, changed files: $changed"
	commits=$(git log --oneline --no-decorate --no-color -n 5 2>/dev/null)
	[ -z "$commits" ] || printf 'Last commits:\n%s\n' "$commits"
fi
if [ -f CONTEXT.md ]; then
	printf 'CONTEXT.md:\n'
	head -n 100 CONTEXT.md
fi
exit 0
