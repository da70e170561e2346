#!/bin/sh
# Builds a release into DIR (by default dist): tools/release.sh [--dirty] [--only SYSTEM,SYSTEM] [DIR]
#
# DIR gets an archive for each system, the packages, the recorded cases, an SBOM, SHA256SUMS, and NOTES.md, the text of
# the release's page. The version is the newest heading of CHANGELOG.md. The same commit and the same Go give the same
# bytes, in each folder and on each machine.
#
# --dirty builds what is not committed, for tests. --only builds the archives of some systems, without packages.
set -eu
cd "$(dirname "$0")/.."

die() { echo "release.sh: $*" >&2; exit 1; }

all=linux_amd64,linux_arm64,linux_armv7,linux_riscv64,darwin_amd64,darwin_arm64,windows_amd64,windows_arm64
systems=$all dirty='' dist=dist
while [ $# -gt 0 ]; do
	case $1 in
	--dirty) dirty=yes ;;
	--only) [ $# -gt 1 ] || die "--only needs systems, as --only linux_amd64"; systems=$2; shift ;;
	-*) die "unknown option $1" ;;
	*) dist=$1 ;;
	esac
	shift
done

VERSION=$(sed -n 's/^## \([0-9][0-9]*\.[0-9][0-9]*\.[0-9][0-9]*[^ ]*\)$/\1/p' CHANGELOG.md | head -n 1)
[ -n "$VERSION" ] || die "CHANGELOG.md has no heading as ## 1.0.0"
COMMIT=$(git rev-parse HEAD)
SOURCE_DATE_EPOCH=$(git show -s --format=%ct HEAD)
date=$(TZ=UTC git show -s --format=%cd --date=format-local:%Y-%m-%dT%H:%M:%SZ HEAD)
if [ -n "$(git status --porcelain)" ]; then
	[ -n "$dirty" ] || die "commit or stash what git status shows: a release is of one commit"
	COMMIT=$COMMIT-dirty
fi
export VERSION COMMIT SOURCE_DATE_EPOCH

mkdir -p "$dist"
dist=$(cd "$dist" && pwd)
rm -f "$dist"/hookrun[_-]* "$dist"/conformance_* "$dist"/hookrun.rb "$dist"/hookrun.json "$dist"/SHA256SUMS "$dist"/NOTES.md \
	"$dist"/install.sh "$dist"/install.ps1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

export CGO_ENABLED=0 GOFLAGS='' GOAMD64=v1 GOARM64=v8.0 GORISCV64=rva20u64 GOEXPERIMENT='' GOFIPS140=off
cli=github.com/hookrun/hookrun/internal/doors/cli
stamps="-X $cli.stampedVersion=$VERSION -X $cli.stampedCommit=$COMMIT -X $cli.stampedDate=$date"
for system in $(echo "$systems" | tr , ' '); do
	case ,$all, in *,"$system",*) ;; *) die "$system is not one of $all" ;; esac
	os=${system%_*} arch=${system#*_} arm='' end=''
	case $arch in armv7) arch=arm arm=7 ;; esac
	case $os in windows) end=.exe ;; esac
	GOOS=$os GOARCH=$arch GOARM=$arm go build -trimpath -buildvcs=false -ldflags="-s -w -buildid= $stamps" \
		-o "$work/$system/hookrun$end" .
	echo "built $system"
done
go run ./tools/release archives "$work" "$dist"
cp install.sh install.ps1 "$dist"

if [ "$systems" = "$all" ]; then
	tools/packages/system.sh "$dist"
	[ ! -e tools/packages/wheels.py ] || python3 tools/packages/wheels.py "$dist"
	[ ! -e tools/packages/npm.mjs ] || node tools/packages/npm.mjs "$dist"
fi
go run ./tools/release sums "$dist"
echo "hookrun $VERSION is in $dist"
