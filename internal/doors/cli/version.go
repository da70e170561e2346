package cli

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"github.com/tidwall/gjson"
	"golang.org/x/mod/semver"

	"github.com/hookrun/hookrun/internal/lib/files/regular"
)

var version = command{
	name:    "version",
	args:    "[FLAGS]",
	summary: "print the version",
	about: `Prints the version of hookrun, of the Go that built it, and the system it was built for.

--check compares this version with the version in a file or at an address: a text with a version as
1.2.3, or the JSON of GitHub's latest release. Without --check, hookrun contacts nobody.`,
	exits: []exitCode{{exitOK, "done; with --check, no version is newer"},
		{exitFailed, "with --check, a version is newer, or cannot be compared"}},
	example: `  hookrun version
  hookrun version --check https://api.github.com/repos/hookrun/hookrun/releases/latest`,
	setup: func(flags *pflag.FlagSet) func([]string, Streams) (int, error) {
		var output string
		place := flags.String("check", "", "say whether `FILE|URL` has a newer version")
		defineOutput(flags, &output, "text", "json")
		return func(args []string, std Streams) (exit int, err error) {
			if err := errors.Join(noArgs(args), checkOutput(flags)); err != nil {
				return 0, err
			}
			b := build{Version: installed(), Commit: stampedCommit, Date: stampedDate, Go: runtime.Version(),
				OS: runtime.GOOS, Arch: runtime.GOARCH}
			if flags.Changed("check") && *place == "" {
				return 0, errors.New("--check is empty; give it a file or an address")
			} else if *place != "" {
				if exit, err = b.compare(*place); err != nil {
					return 0, err
				}
			}
			return exit, writeAs(std, output, b, b.String)
		}
	},
}

// The version, the commit and the time of the commit, in a binary that tools/release.sh built.
var stampedVersion, stampedCommit, stampedDate string

// build is the output of version.
type build struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Date    string `json:"date,omitempty"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
	Latest  string `json:"latest,omitempty"` // the version found by --check
	Newer   *bool  `json:"newer,omitempty"`  // Latest is newer than Version
}

func (b *build) String() string {
	switch {
	case b.Newer != nil && *b.Newer:
		return fmt.Sprintf("%s is newer than this hookrun, %s\n", b.Latest, b.Version)
	case b.Newer != nil:
		return fmt.Sprintf("this hookrun, %s, is not older than %s\n", b.Version, b.Latest)
	case b.Commit != "":
		return fmt.Sprintf("hookrun %s (%.12s, %.10s) %s %s/%s\n", b.Version, b.Commit, b.Date, b.Go, b.OS, b.Arch)
	}
	return fmt.Sprintf("hookrun %s %s %s/%s\n", b.Version, b.Go, b.OS, b.Arch)
}

// compare compares the version with the version at a place.
func (b *build) compare(place string) (exit int, err error) {
	own := versionIn(b.Version)
	if own == "" {
		return 0, fmt.Errorf("this hookrun, %s, has no version to compare; install a release: docs/start/install.md",
			b.Version)
	}
	text, err := readPlace(place)
	if err != nil {
		return 0, fmt.Errorf("--check %s: %w", place, err)
	}
	if tag := gjson.Get(text, "tag_name"); gjson.Valid(text) && tag.Exists() {
		text = tag.String()
	}
	latest := versionIn(text)
	if latest == "" {
		return 0, fmt.Errorf("--check %s: no version there; give a text with one as 1.2.3, or the JSON of GitHub's "+
			"latest release", place)
	}
	newer := semver.Compare(latest, own) > 0
	b.Latest, b.Newer = latest[1:], &newer
	if newer {
		return exitFailed, nil
	}
	return exitOK, nil
}

// versionIn returns the first version of three numbers in a text, with v before it, or "".
func versionIn(text string) string {
	for _, word := range strings.Fields(text) {
		word = "v" + strings.TrimPrefix(word, "v")
		if semver.IsValid(word) && strings.Count(word, ".") >= 2 {
			return word
		}
	}
	return ""
}

// readPlace returns the beginning of a file, or of the answer from an address.
func readPlace(place string) (string, error) {
	var from io.ReadCloser
	if strings.HasPrefix(place, "https://") || strings.HasPrefix(place, "http://") {
		answer, err := (&http.Client{Timeout: time.Minute}).Get(place)
		if err != nil {
			return "", errors.Unwrap(err) // it has the address again
		}
		from = answer.Body
		defer from.Close()
		if answer.StatusCode != http.StatusOK {
			return "", errors.New("the server answers " + answer.Status)
		}
	} else {
		file, err := os.Open(place)
		if err != nil {
			return "", regular.UnwrapPath(err)
		}
		from = file
		defer from.Close()
	}
	text, err := io.ReadAll(io.LimitReader(from, 1<<20))
	return string(text), err
}

// installed returns the version of a release, or else of hookrun's module.
func installed() string {
	if stampedVersion != "" {
		return stampedVersion
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(unknown)"
}
