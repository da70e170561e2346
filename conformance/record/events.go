//go:build linux

package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

var (
	quoted    = regexp.MustCompile("[\"'`]([A-Za-z][A-Za-z_]{3,39})[\"'`]")
	literal   = regexp.MustCompile(`hook_event_name["']?: ?[\w.$]*\(?["'](\w+)["']`)
	structure = regexp.MustCompile(`Wire|HookSpecific|HookEvent`) // in names of Codex's types
	camel     = regexp.MustCompile(`^[A-Za-z][a-z]+([A-Z][a-z]+)+$`)
)

const (
	apart   = 60 // bytes between two names of a list
	company = 3  // so many known names make a list of events
)

// unknownEvents are the unknown names in a client's own lists of events, beside known names. A list is a run of quoted
// names, such as an array or an enumeration, or of names directly behind each other, as in a compiled program.
// hook_event_name: "NAME" counts anywhere.
func unknownEvents(text []byte, known map[string]bool) map[string]bool {
	unknown := map[string]bool{}
	small := 0
	for name := range known {
		if unicode.IsLower(rune(name[0])) {
			small++
		}
	}
	add := func(name string) {
		if camel.MatchString(name) && !known[name] && (small > 0 || unicode.IsUpper(rune(name[0]))) {
			unknown[name] = true
		}
	}
	var list []string
	last := 0
	flush := func() {
		there := map[string]bool{}
		for _, name := range list {
			if known[name] {
				there[name] = true
			}
		}
		others := map[string]bool{}
		for _, name := range list {
			if !known[name] {
				others[name] = true
			}
		}
		if len(there) >= company && len(there) >= len(others) {
			for name := range others {
				add(name)
			}
		}
		list = nil
	}
	for _, at := range quoted.FindAllSubmatchIndex(text, -1) {
		if at[0]-last > apart {
			flush()
		}
		list, last = append(list, string(text[at[2]:at[3]])), at[1]
	}
	flush()
	for _, m := range literal.FindAllSubmatch(text, -1) {
		add(string(m[1]))
	}
	for _, run := range compact(text, known) {
		add(run)
	}
	return unknown
}

// compact are the names between known names in runs of letters, which a compiler laid together.
func compact(text []byte, known map[string]bool) (names []string) {
	sorted := slices.SortedFunc(maps.Keys(known), func(a, b string) int { return len(b) - len(a) })
	cut := regexp.MustCompile(strings.Join(sorted, "|"))
	for at := range runsOfLetters(text, 40) {
		run := string(at)
		if found := cut.FindAllString(run, -1); len(slices.Compact(slices.Sorted(slices.Values(found)))) < company {
			continue
		}
		parts := cut.Split(run, -1)
		for i, name := range parts {
			if 0 < i && i < len(parts)-1 && name != "" && !structure.MatchString(name) {
				names = append(names, name)
			}
		}
	}
	return names
}

func runsOfLetters(text []byte, least int) func(func([]byte) bool) {
	return func(yield func([]byte) bool) {
		start := -1
		for i, b := range append(text, 0) {
			switch letter := 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'; {
			case letter && start < 0:
				start = i
			case !letter && start >= 0:
				if i-start >= least && !yield(text[start:i]) {
					return
				}
				start = -1
			}
		}
	}
}

// eventsIn looks for unknown events in the files of packages: programs, scripts, types and schemas.
func eventsIn(dirs []string, known map[string]bool) (names []string, err error) {
	found := map[string]bool{}
	var probes [][]byte
	for name := range known {
		probes = append(probes, []byte(name))
	}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || strings.HasSuffix(path, ".map") {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			there := 0
			for _, probe := range probes {
				if there < company && bytes.Contains(text, probe) {
					there++
				}
			}
			if there == company {
				maps.Copy(found, unknownEvents(text, known))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}
