// Package runstats reads run logs: what became of each hook, the last calls, and what happens while it happens.
//
//	log, err := runstats.Open("run.log")
//	…
//	defer log.Close()
//	summary, err := log.Summary(runstats.Filter{})
//	fmt.Println(summary.Hooks[0].Name, summary.Hooks[0].P95)
//
// Guarantees: a log may be written to, rotated and truncated at any time; only whole lines count. A line that cannot be
// read is counted as such and changes nothing else, whatever is in it. Memory grows with the number of different hooks,
// not with that of lines.
//
// Non-guarantees: percentiles are wrong by up to 1 %. Lines stand in the order in which their calls ended, and so do
// the results.
package runstats

// Summary is what a log amounts to, as `hookrun log --output json` prints it.
type Summary struct {
	Version    int          `json:"version"` // 1
	Files      []string     `json:"files"`   // oldest first
	Lines      int          `json:"lines"`
	Unreadable int          `json:"unreadable"`
	Calls      int          `json:"calls"` // that the filter admits; all that follows is about them
	Errors     int          `json:"errors"`
	From       string       `json:"from,omitempty"`
	To         string       `json:"to,omitempty"`
	Columns    Columns      `json:"columns"` // each call is in one of them
	Decisions  Decisions    `json:"decisions"`
	Stopped    int          `json:"stopped"`
	Hooks      []Hook       `json:"hooks"` // in the order of their first call
	NeverFired []NeverFired `json:"never_fired"`
	Blocks     []Block      `json:"blocks"` // the last ones, oldest first
}

// Columns are how many calls ended in which way. Their sum is the number of calls.
type Columns struct {
	Continue  int `json:"continue"`  // it went on, and all hooks did their work
	Rewritten int `json:"rewritten"` // the same, with another input or output
	// it went on although a hook failed, or a warning says that something did not count
	Failed int `json:"failed"`
	Ask    int `json:"ask"`
	Defer  int `json:"defer"`
	Block  int `json:"block"`
	Stop   int `json:"stop"`  // the loop was ended, whatever was decided about the call
	Error  int `json:"error"` // there is no verdict
}

// Decisions are how many calls came to each, also those that ended the loop.
type Decisions struct {
	Continue int `json:"continue"`
	Block    int `json:"block"`
	Ask      int `json:"ask"`
	Defer    int `json:"defer"`
}

// Hook is what became of one hook. Durations are in milliseconds, and those of calls in which it ran to its end or
// timeout.
//
// Each call that it matched is in one of the counts from OK to Other, so these add up to Matched. A failure comes
// first: who failed and injected is in Failed alone, and so is who said something that did not count, as a warning
// says. Of what went well a rewrite comes before a text.
type Hook struct {
	Name      string   `json:"name"`
	File      string   `json:"file"`
	Events    []string `json:"events"`
	Matched   int      `json:"matched"`
	OK        int      `json:"ok"`              // it had nothing to say
	Blocked   int      `json:"blocked"`         // it said block
	Asked     int      `json:"asked,omitempty"` // it said ask or defer
	Injected  int      `json:"injected"`
	Rewrote   int      `json:"rewrote,omitempty"`
	Failed    int      `json:"failed"`
	TimedOut  int      `json:"timed_out"`
	Unstarted int      `json:"unstarted"`
	Skipped   int      `json:"skipped"`
	Async     int      `json:"async"`
	Other     int      `json:"other,omitempty"` // a status of a later version
	Late      int      `json:"late,omitempty"`  // texts that came with a later call than the one that it matched
	P50       float64  `json:"p50_ms"`
	P95       float64  `json:"p95_ms"`
	Max       float64  `json:"max_ms"`
	Limit     float64  `json:"limit_ms,omitempty"` // of the last call that had one
	Near      int      `json:"near_timeouts"`      // it took 80 % of its limit or more
	Last      string   `json:"last"`

	sources map[string]bool // with their lines, if the log does not have the whole name
}

// NeverFired is a hook of the configuration that is in no call.
type NeverFired struct {
	Name   string   `json:"name"`
	Source string   `json:"source"`
	Events []string `json:"events"`
}

// Block is a call that did not go on.
type Block struct {
	Time     string `json:"time"`
	Event    string `json:"event"`
	Tool     string `json:"tool,omitempty"`
	Hook     string `json:"hook,omitempty"`
	Cause    string `json:"cause,omitempty"`
	Reason   string `json:"reason,omitempty"`
	Decision string `json:"decision"`
	Session  string `json:"session_id,omitempty"`
}

// Summary reads all of the log.
func (l *Log) Summary(f Filter) (*Summary, error) {
	t := newTally(f)
	if _, err := eachLineOf(l.parts, t.line); err != nil {
		return nil, err
	}
	s := t.summary()
	s.Files = l.Files()
	return s, nil
}
