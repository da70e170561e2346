#!/bin/sh
# Makes a deb, an rpm and an apk of each hookrun_VERSION_linux_ARCH.tar.gz in DIR: tools/packages/system.sh DIR
#
# The packages have the binary, the man pages and the completion of the archive, and no scripts.
set -eu
NFPM=github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.1

[ $# -eq 1 ] || { echo "usage: tools/packages/system.sh DIR" >&2; exit 1; }
here=$(cd "$(dirname "$0")" && pwd)
dist=$(cd "$1" && pwd)
cd "$here"
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git show -s --format=%ct HEAD)} # the time of every file in a package
export SOURCE_DATE_EPOCH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$work" # outside of a module
GOOS='' GOARCH='' GOFLAGS='' CGO_ENABLED=0 go run -exec cp "$NFPM" "$work/nfpm" # unlike go install it keeps the program
found=''
for archive in "$dist"/hookrun_*_linux_*.tar.gz; do
	[ -e "$archive" ] || break
	found=yes
	name=$(basename "$archive" .tar.gz)
	VERSION=${name#hookrun_} VERSION=${VERSION%_linux_*}
	NFPM_ARCH=${name##*_}
	case $NFPM_ARCH in armv7) NFPM_ARCH=arm7 ;; esac
	export VERSION NFPM_ARCH
	mkdir "$work/$name"
	cd "$work/$name"
	tar -xzf "$archive"
	gzip -9n man/*.1
	for kind in deb rpm apk; do
		"$work/nfpm" package --config "$here/nfpm.yaml" --packager $kind --target "$dist/$name.$kind" >/dev/null
		echo "made $name.$kind"
	done
done
[ -n "$found" ] || { echo "system.sh: no hookrun_VERSION_linux_ARCH.tar.gz in $dist" >&2; exit 1; }
