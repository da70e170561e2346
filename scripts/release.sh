#!/bin/sh
# Builds hookrun for six systems into DIR (by default dist), with SHA256SUMS, and the man pages: scripts/release.sh [DIR]
#
# Go stamps the version from git: the tag of a tagged commit (git tag v1.2.3), else v0.0.0 with its date and hash. So the
# same commit and the same Go give the same bytes, in whatever folder, and hookrun version says what they are.
set -eu
cd "$(dirname "$0")/.."
dist=${1:-dist}
if [ -n "$(git status --porcelain)" ]; then
	echo "release.sh: commit or stash what git status shows: a release is of one commit" >&2
	exit 1
fi
mkdir -p "$dist"
dist=$(cd "$dist" && pwd)
rm -rf "$dist"/hookrun-* "$dist/man" "$dist/SHA256SUMS"

export CGO_ENABLED=0 GOFLAGS= GOAMD64=v1 GOARM64=v8.0 GOEXPERIMENT=
for target in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64; do
	name=hookrun-${target%/*}-${target#*/}
	case $target in windows/*) name=$name.exe ;; esac
	GOOS=${target%/*} GOARCH=${target#*/} go build -trimpath -buildvcs=true -ldflags='-s -w -buildid=' -o "$dist/$name" .
	echo "$name"
done
go run ./scripts/man "$dist/man"

cd "$dist"
if command -v sha256sum >/dev/null; then sum=sha256sum; else sum='shasum -a 256'; fi
$sum hookrun-* man/* >SHA256SUMS
go version -m hookrun-linux-amd64 | awk '$1 == "mod" { print "version", $3; exit $3 == "(devel)" }' || {
	echo "release.sh: git told Go no version: run it in a clone, not in a worktree of one" >&2
	exit 1
}
