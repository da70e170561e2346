package programs

import (
	"strings"

	"github.com/hookrun/hookrun/internal/lib/lazy"
)

// Fact is a set of words of a row. The package comment explains the words.
type Fact uint64

// The words of rows, in the order of factNames.
const (
	Names Fact = 1 << iota
	Keeps
	Reads
	Checks
	Searches
	Script
	Filters
	Edits
	Writes
	Makes
	Replaces
	Deletes
	Recursive
	Whole
	Windows
	Copies
	Moves
	Links
	Finds
	MayShow
	MayWrite
	NoFile
	Uploads
	Plain
	InPlace
	Runs
	Language
	ForeignShell
	Group
	Modules
	Assigns
	Inline
	Mixed
	Dashed
	Loose
	OptionsUnknown
	Joins
	Shell
	Away
	More
	MayRun
	RunsText
	Remote
	API
	Decodes
	Unpacks
	Formats
	Erases
	Cluster
	Infra
	Containers
	Cloud
	Publishes
	Database
	Drops
	Rewrites
	Skips
	Lists
	Chooses
	Reveals
	Power
	Backups
	Privileged
)

const factNames = "names keeps reads checks searches script filters edits writes makes replaces deletes recursive " +
	"whole windows copies moves links finds may-show may-write no-file uploads plain in-place runs language " +
	"foreign-shell group modules assigns inline mixed dashed loose options-unknown joins shell away more may-run " +
	"runs-text remote api decodes unpacks formats erases cluster infra containers cloud publishes database drops " +
	"rewrites skips lists chooses reveals power backups privileged"

// factOf returns the fact of a word.
var factOf = lazy.Value[map[string]Fact]{Make: func() map[string]Fact {
	facts := map[string]Fact{}
	for i, name := range strings.Fields(factNames) {
		facts[name] = 1 << i
	}
	return facts
}}

// ofSubcommands are the facts of a program that the row of a subcommand may add.
const ofSubcommands = MayShow | Reads | Remote | API | Decodes | Erases | Cluster | Infra | Containers | Cloud |
	Publishes | Rewrites | Skips | Reveals | Drops | Power | Backups | Privileged
