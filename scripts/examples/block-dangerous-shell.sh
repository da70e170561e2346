#!/bin/sh
# Blocks shell commands that destroy disks, homes or pushed history, and shells that run what the network sent.
# Wire: {"command": ["./block-dangerous-shell.sh"], "events": ["pre-tool"], "matcher": "shell|Bash", "on_failure": "block"}

# The packs git, files and remote do this without a process, and read the line as a shell does. This is an example of
# the protocol.
# It reads words, not the shell's grammar, and blocks too much rather than too little: quotes hide nothing from it. It
# catches accidents and is no sandbox.
set -fu
LC_ALL=C
export LC_ALL

block() {
	printf 'blocked: %s\n' "$1" >&2
	exit 2
}

# A command that cannot be read cannot be checked, so block it.
input=$(cat)
get() { printf '%s\n' "$input" | "${HOOKRUN:-hookrun}" get "$1"; }
command=$(get args.command 2>/dev/null || get tool_input.command) ||
	block 'this hook could not read the command of the call (args.command), so nobody has checked it'
case $command in
'["'*) # a list of words
	count=$(get 'args.command.#' 2>/dev/null || get 'tool_input.command.#') || block 'this hook could not read the command of the call'
	command='' i=0
	while [ "$i" -lt "$count" ]; do
		word=$(get "args.command.$i" 2>/dev/null || get "tool_input.command.$i") || block 'this hook could not read the command of the call'
		command="$command $word" i=$((i + 1))
	done
	;;
'{"'* | '{}' | '[]' | null) block 'the command of the call is no text, so nobody has checked it' ;;
esac

# The message of a git commit is text and not checked. But it is taken out only if there is no doubt: no quote,
# backslash, $, comment or here-document comes before it, and it contains nothing that a shell would run.
while [ "${#command}" -lt 10000 ]; do
	before=${command%%[\"\']*}
	after=${command#"$before"}
	case $after in
	\"*\"*) after=${after#?} message=${after%%\"*} after=${after#*\"} ;;
	\'*\'*) after=${after#?} message='' after=${after#*\'} ;;
	*) break ;;
	esac
	last=${before##*[;&|(
]}
	case $before in *[\\\`\$#\<]*) break ;; esac
	case $message in *[\\\`\$]*) break ;; esac
	case ${last# } in "git commit "*) command="${before}MESSAGE$after" ;; *) break ;; esac
done

# One simple command per line, without quotes; | has a line of its own. Lines that end in \ are read twice: joined, and
# as they are.
lines=$(
	{
		printf '%s\n' "$command"
		printf '%s\n' "$command" | sed -e ':a' -e '/\\$/{' -e '$!N' -e 's/\\\n//' -e 'ta' -e '}'
	} | sed -E \
		-e 's/\$\{([A-Za-z_0-9]+)[^}]*\}/$\1/g' -e 's/\$IFS/ /g' -e 's/\$HOME([^A-Za-z_0-9]|$)/~\1/g' \
		-e "s/[\$]([\"'])/\\1/g" -e "s/[\"'\\\\]//g" \
		-e 's/[0-9]*>&[0-9-]+//g' -e 's/&>/>/g' -e 's/>\|/>/g' -e 's/>+[[:blank:]]*/ >/g' -e 's/</ </g' \
		-e 's/\|\|/;/g' -e 's/\|/;|;/g' -e 's/`/$;/g' | tr ';&(){},[]' '\n\n\n\n     '
)
[ -n "$lines" ] || [ -z "$command" ] || block 'this hook could not take the command apart, so nobody has checked it'

# precious PATH: a root, a home, a system folder, the workspace or a folder above it, or unknown.
precious() {
	path=$1
	while :; do
		case $path in
		*/ | */. | */\* | */.\*) path=${path%/*} ;;
		*) break ;;
		esac
	done
	case $path in
	'' | . | .. | */.. | */../* | \* | \*\* | .\* | .git | ./.git | \$*) return 0 ;;
	\~*/*) return 1 ;;
	\~*) return 0 ;;
	/*[*?]*/*) return 0 ;;
	/usr/src/*/* | /dev/shm/*) return 1 ;;
	/bin/* | /boot/* | /dev/* | /etc/* | /lib/* | /lib64/* | /proc/* | /sbin/* | /sys/* | /usr/* | /Library/* | /System/*) return 0 ;;
	/home/*/* | /Users/*/* | /var/*/*) ;;
	/home/* | /Users/* | /var/*) return 0 ;;
	/*/*) ;;
	/*) return 0 ;;
	esac
	case $PWD/ in "$path"/*) return 0 ;; esac
	return 1
}

# device PATH: a device in /dev that should not be written to.
device() {
	case $1 in
	/dev/null | /dev/zero | /dev/full | /dev/tty | /dev/stdout | /dev/stderr | /dev/fd/* | /dev/shm/*) return 1 ;;
	/dev/*) return 0 ;;
	esac
	return 1
}

has() { # has PATTERN WORD…
	pattern=$1
	shift
	for w; do
		# shellcheck disable=SC2254 # it is a pattern
		case $w in $pattern) return 0 ;; esac
	done
	return 1
}

check() { # check COMMAND WORD…
	name=${1##*/}
	shift
	case $name in
	rm)
		has '-[rR]*' "$@" || has '-[!-]*[rR]*' "$@" || has '--r*' "$@" || return 0
		for word; do
			precious "$word" && block "rm -r of '$word'; name a folder inside the project, in full"
		done
		;;
	find)
		has '-delete' "$@" || has '*rm' "$@" || return 0
		for word; do
			case $word in
			-*) break ;;
			/* | \~* | \$*) precious "$word" && block "find that deletes below '$word'; name a folder inside the project" ;;
			esac
		done
		;;
	chmod | chown | chgrp)
		has '-[!-]*R*' "$@" || has '-R*' "$@" || has '--r*' "$@" || return 0
		for word; do
			case $word in
			777 | [0-7]777 | a+rwx | a=rwx | +rwx | ugo+rwx | ugo=rwx) block "$name -R $word lets everybody write everywhere" ;;
			/* | \~* | \$*) precious "$word" && block "$name -R of '$word'; name a folder inside the project" ;;
			esac
		done
		;;
	mkfs | mkfs.* | mke2fs) block "$name makes a new, empty file system" ;;
	dd)
		for word; do
			case $word in of=*) device "${word#of=}" && block "dd onto the device ${word#of=}" ;; esac
		done
		;;
	tee | cp | mv | shred | wipefs | blkdiscard | mkswap | sfdisk)
		for word; do
			device "$word" && block "$name onto the device $word"
		done
		;;
	git)
		while [ $# -gt 0 ]; do
			case $1 in
			-C | -c | --git-dir | --work-tree | --namespace | --exec-path) shift ;;
			-*) ;;
			push) break ;;
			*) return 0 ;;
			esac
			[ $# -eq 0 ] || shift
		done
		for word; do
			case $word in
			--force | --force=* | --mirror | -[!-]*f* | -f* | +*) block "git push $word overwrites what others have pulled; push without it, or with --force-with-lease" ;;
			esac
		done
		;;
	sh | bash | dash | zsh | ksh | ash | fish)
		[ "$piped" = yes ] || return 0
		while [ $# -gt 0 ]; do
			case $1 in
			- | -s* | /dev/stdin) break ;;
			-o | +o) [ $# -eq 1 ] || shift ;;
			--*) ;;
			-*c*) return 0 ;;
			-* | +* | *[\<\>]*) ;;
			*) return 0 ;; # a script
			esac
			shift
		done
		block "$name that is fed from a pipe runs what nobody has read; save it to a file and look at it first"
		;;
	python | python[23]* | node | perl | ruby | php)
		[ "$piped" = yes ] && { [ $# -eq 0 ] || [ "$1" = - ]; } &&
			block "$name that is fed from a pipe runs what nobody has read; save it to a file and look at it first"
		;;
	curl | wget | fetch)
		[ "$runs" = yes ] && block "a shell that runs what $name fetches; save it to a file and look at it first"
		;;
	esac
	return 0
}

squeezed=$(printf '%s' "$command" | tr -d '[:space:]')
printf '%s\n' "$squeezed" | grep -q '\([^][(){};|&]\{1,40\}\)\(()\)\{0,1\}[{(]\1|\1&'
case $? in
0) block 'this is a fork bomb' ;;
1) ;;
*) block 'this hook could not look for a fork bomb' ;;
esac

piped=no runs=no source=
while IFS= read -r line; do
	# shellcheck disable=SC2086 # the words of the line, and set -f is on
	set -- $line
	[ $# -gt 0 ] || continue
	[ $# -le 2000 ] || block "a line of $# words is more than this hook can check"
	case $1 in \|) piped=yes && continue ;; esac
	[ "$piped" = yes ] || source=${1##*/}
	case $source in sed | grep | egrep | rg | awk) piped=no ;; esac # a | in a pattern is no pipe
	for word; do
		case $word in \>*) device "${word#>}" && block "writing onto the device ${word#>}" ;; esac
	done
	fetches=no # a shell gets the output of $( ) or <( ), which is on the next line
	case $line in
	*[\<\$])
		for word; do
			case ${word##*/} in eval | . | source | sh | bash | dash | zsh | ksh | ash | fish | python*) fetches=yes ;; esac
		done
		;;
	esac
	case ${1##*/} in
	echo | printf | grep | egrep | fgrep | rg | man | which | git) check "$@" ;; # the other words are text
	*)
		# sudo, env, xargs and others run a command: every word may be that command.
		while [ $# -gt 0 ]; do
			check "$@"
			shift
		done
		;;
	esac
	piped=no runs=$fetches
done <<LINES
$lines
LINES
