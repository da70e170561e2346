// Command release makes the files of a release from binaries. tools/release.sh runs it:
//
//	go run ./tools/release archives BINARIES DIR    archives, SBOM, NOTES.md, recorded cases
//	go run ./tools/release sums DIR                 SHA256SUMS, and the files that name sums
//
// BINARIES has a folder for each system, as linux_amd64, with hookrun or hookrun.exe. The environment has VERSION,
// COMMIT and SOURCE_DATE_EPOCH, the time of the commit. The same binaries and values give the same bytes.
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

// A release is what the files of a release say about their origin.
type release struct {
	version string
	commit  string
	time    time.Time
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return fmt.Errorf("SOURCE_DATE_EPOCH is no time in seconds; run tools/release.sh")
	}
	r := release{os.Getenv("VERSION"), os.Getenv("COMMIT"), time.Unix(seconds, 0).UTC()}
	if r.version == "" || r.commit == "" {
		return fmt.Errorf("VERSION or COMMIT is missing; run tools/release.sh")
	}
	switch {
	case len(args) == 3 && args[0] == "archives":
		return r.archives(args[1], args[2])
	case len(args) == 2 && args[0] == "sums":
		return r.sums(args[1])
	}
	return fmt.Errorf("usage: go run ./tools/release archives BINARIES DIR, or sums DIR")
}
