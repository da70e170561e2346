#!/bin/sh
# Installs hookrun on Linux or macOS: sh install.sh [--version V] [--dir DIR]
#
#   curl -fsSL https://github.com/hookrun/hookrun/releases/latest/download/install.sh | sh
#
# It downloads the archive of this system, compares its sum with SHA256SUMS, and puts the program hookrun into DIR, by
# default ~/.local/bin (for root /usr/local/bin). Where gh is logged in, gh also verifies that the release workflow of
# hookrun built the archive. Nothing else is written. If anything goes wrong, DIR stays as it was.
#
# HOOKRUN_BASE_URL is the address of the releases, by default https://github.com/hookrun/hookrun/releases.

say() { echo "install.sh: $*" >&2; }
die() { say "$*"; exit 1; }

# fetch ADDRESS: downloads a file into the working folder. curl and wget take a proxy from https_proxy and http_proxy.
fetch() {
	to=$work/${1##*/} code=0
	if command -v curl >/dev/null; then
		case $1 in https:*) only='=https' ;; *) only='=http,https' ;; esac
		curl -fsSL --proto "$only" --proto-redir "$only" --retry 2 --connect-timeout 30 -o "$to" "$1" || code=$?
	else
		wget -q -t 2 -O "$to" "$1" || code=$?
	fi
	case $code in
	0) ;;
	3 | 23 | 153) die "cannot write $to: there is no room in $dir, or a limit on the size of files" ;;
	18) die "the download of $1 was cut; nothing was installed" ;;
	*) die "cannot download $1: $2; nothing was installed" ;;
	esac
}

# clean removes the temporary files, and the folders that this script has made if nothing was installed.
clean() {
	rm -rf "$work"
	while [ -n "$made" ] && rmdir "$dir" 2>/dev/null && [ "$dir" != "$made" ]; do dir=$(dirname "$dir"); done
}

# system prints the name of this system in the names of archives.
system() {
	os=$(uname -s) arch=$(uname -m)
	case $os in
	Linux) os=linux ;;
	Darwin) os=darwin ;;
	MINGW* | MSYS* | CYGWIN*)
		die "on Windows, run this in PowerShell: irm $base/latest/download/install.ps1 | iex" ;;
	*) die "there is no hookrun for $os; docs/start/install.md says how to build one" ;;
	esac
	# A shell that Rosetta translates on an Apple processor calls the machine x86_64.
	[ "$os $arch" != "darwin x86_64" ] || [ "$(sysctl -n sysctl.proc_translated 2>/dev/null)" != 1 ] || arch=arm64
	case $arch in
	x86_64 | amd64) arch=amd64 ;;
	aarch64 | arm64) arch=arm64 ;;
	armv7* | armv8l) arch=armv7 ;;
	esac
	case ${os}_$arch in
	linux_amd64 | linux_arm64 | linux_armv7 | linux_riscv64 | darwin_amd64 | darwin_arm64) echo "${os}_$arch" ;;
	*) die "there is no hookrun for $os on $arch; docs/start/install.md says how to build one" ;;
	esac
}

# attest verifies that the release workflow built a file, where gh is there and logged in.
attest() {
	command -v gh >/dev/null || return 0
	if ! GH_HOST=github.com gh attestation verify --help >/dev/null 2>&1 ||
		! gh auth status --hostname github.com >/dev/null 2>&1; then
		say "gh cannot verify the attestation: it is too old, or not logged in; the sum is right"
		return 0
	fi
	GH_HOST=github.com gh attestation verify "$1" --repo hookrun/hookrun >/dev/null ||
		die "gh finds no attestation that hookrun's release workflow built ${1##*/}; nothing was installed"
}

main() {
	set -eu
	base=${HOOKRUN_BASE_URL:-https://github.com/hookrun/hookrun/releases} base=${base%/}
	version='' dir=''
	while [ $# -gt 0 ]; do
		case $1 in
		--version | --dir) [ -n "${2:-}" ] || die "$1 needs a value" ;;
		*) die "unknown argument $1; usage: sh install.sh [--version V] [--dir DIR]" ;;
		esac
		case $1 in --version) version=${2#v} ;; *) dir=$2 ;; esac
		shift 2
	done
	case $version in *[!0-9A-Za-z.+-]*) die "$version is no version; give one as 1.0.0" ;; esac
	if [ -z "$dir" ]; then
		if [ "$(id -u)" = 0 ]; then dir=/usr/local/bin; else dir=${HOME:?}/.local/bin; fi
	fi

	command -v curl >/dev/null || command -v wget >/dev/null || die "curl or wget is needed; install one of them"
	command -v tar >/dev/null || die "tar is needed; install it"
	if command -v sha256sum >/dev/null; then sum=sha256sum
	elif command -v shasum >/dev/null; then sum="shasum -a 256"
	else die "sha256sum or shasum is needed; install one of them"
	fi
	system=$(system)

	case $dir in /*) ;; *) dir=$PWD/$dir ;; esac
	[ ! -d "$dir/hookrun" ] || die "$dir/hookrun is a folder; choose another place with --dir"
	made='' # the highest folder that this script makes
	if [ ! -d "$dir" ]; then
		made=$dir
		while [ ! -d "$(dirname "$made")" ]; do made=$(dirname "$made"); done
		mkdir -p "$dir" || die "cannot make the folder $dir; choose another with --dir"
	fi
	# The temporary files are in DIR, so that the last step is a rename in one file system.
	work=$(mktemp -d "$dir/.hookrun-install.XXXXXX") || die "cannot write to $dir; choose another folder with --dir"
	trap clean EXIT
	trap 'exit 129' HUP; trap 'exit 130' INT; trap 'exit 143' TERM

	if [ -n "$version" ]; then from=$base/download/v$version; else from=$base/latest/download; fi
	fetch "$from/SHA256SUMS" "is there a network, and such a version?"
	line=$(grep "  hookrun_[^ /]*_$system\.tar\.gz\$" "$work/SHA256SUMS" | head -n 1)
	[ -n "$line" ] || die "$from/SHA256SUMS has no archive for $system"
	archive=${line#*  }
	found=${archive#hookrun_} found=${found%"_$system.tar.gz"}
	[ -z "$version" ] || [ "$found" = "$version" ] || die "$from has version $found, not $version"
	fetch "$base/download/v$found/$archive" "is there a network?"
	is=$($sum <"$work/$archive")
	[ "${is%% *}" = "${line%% *}" ] ||
		die "the sum of $archive is not that of SHA256SUMS: the download was cut or changed; nothing was installed"
	attest "$work/$archive"
	tar -xzf "$work/$archive" -C "$work" hookrun || die "cannot unpack $archive in $dir; is there room?"
	chmod 755 "$work/hookrun"
	"$work/hookrun" version >"$work/says" || die "the hookrun of $archive does not run here; nothing was installed"
	mv -f "$work/hookrun" "$dir/hookrun" || die "cannot replace $dir/hookrun"
	made=''
	echo "$(cat "$work/says") is installed: $dir/hookrun"
	case :$PATH: in *:"$dir":*) ;; *) say "$dir is not in your PATH; add it, as in: export PATH=\"$dir:\$PATH\"" ;; esac
}

main "$@"
