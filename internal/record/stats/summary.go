// Package stats reads run logs: statistics of each hook, the last calls, and new calls as they are logged.
//
//	log, err := stats.Open("run.log")
//	…
//	defer log.Close()
//	summary, err := log.Summary(stats.Filter{})
//	fmt.Println(summary.Hooks[0].Name, summary.Hooks[0].P95)
//
// Guarantees: a log may be written to, rotated and truncated at any time; only whole lines count. An unreadable line
// changes only the count of unreadable lines. Memory grows with the number of different hooks, not with the number of
// lines.
//
// Not guaranteed: percentiles are wrong by up to 1 %. Lines, and so the results, are in the order in which the calls
// ended.
package stats

// Summary is the summary of a log, as `hookrun log --output json` prints it.
type Summary struct {
	Version    int          `json:"version"` // 1
	Files      []string     `json:"files"`   // oldest first
	Lines      int          `json:"lines"`
	Unreadable int          `json:"unreadable"`
	Missed     int          `json:"missed,omitempty"` // calls and heartbeats that could not be written
	Calls      int          `json:"calls"`            // calls admitted by the filter; all fields below count only these
	Errors     int          `json:"errors"`
	From       string       `json:"from,omitempty"`
	To         string       `json:"to,omitempty"`
	Columns    Columns      `json:"columns"` // each call counts in one column
	Decisions  Decisions    `json:"decisions"`
	Stopped    int          `json:"stopped"`
	Hooks      []Hook       `json:"hooks"` // in the order of their first call
	NeverFired []NeverFired `json:"never_fired"`
	Blocks     []Block      `json:"blocks"` // the last blocks, oldest first
}

// Columns count the calls by result. The sum is the number of calls.
type Columns struct {
	Continue  int `json:"continue"`  // continued, without problems
	Rewritten int `json:"rewritten"` // continued, with another input or output
	Failed    int `json:"failed"`    // continued although a hook failed, or an answer did not count (a warning says so)
	Ask       int `json:"ask"`
	Defer     int `json:"defer"`
	Block     int `json:"block"`
	Stop      int `json:"stop"`  // the loop was ended, with any decision
	Error     int `json:"error"` // no verdict
}

// Decisions count the calls by decision, including calls that ended the loop.
type Decisions struct {
	Continue int `json:"continue"`
	Block    int `json:"block"`
	Ask      int `json:"ask"`
	Defer    int `json:"defer"`
}

// Hook is the statistics of one hook. Durations are in milliseconds, and only of calls in which the hook ran to its end
// or its timeout.
//
// Each call that the hook matched counts once in OK to Other, so these fields add up to Matched. A failure has
// precedence: a hook that failed and injected a text counts as Failed only. An answer that did not count, as a warning
// says, counts as Failed too. After that a rewrite has precedence over a text.
type Hook struct {
	Name      string   `json:"name"`
	File      string   `json:"file"`
	Events    []string `json:"events"`
	Matched   int      `json:"matched"`
	OK        int      `json:"ok"`                 // without an answer
	Blocked   int      `json:"blocked"`            // answered block
	Asked     int      `json:"asked,omitempty"`    // answered ask or defer
	Observed  int      `json:"observed,omitempty"` // would have blocked, but only observes or a person approved
	Injected  int      `json:"injected"`
	Rewrote   int      `json:"rewrote,omitempty"`
	Failed    int      `json:"failed"`
	TimedOut  int      `json:"timed_out"`
	Unstarted int      `json:"unstarted"`
	Skipped   int      `json:"skipped"`
	Async     int      `json:"async"`
	Other     int      `json:"other,omitempty"` // a status of a later version
	Late      int      `json:"late,omitempty"`  // texts that came with a later call than the matched call
	P50       float64  `json:"p50_ms"`
	P95       float64  `json:"p95_ms"`
	Max       float64  `json:"max_ms"`
	Limit     float64  `json:"limit_ms,omitempty"` // of the last call with a limit
	Near      int      `json:"near_timeouts"`      // took 80 % of the limit or more
	Last      string   `json:"last"`

	sources map[string]bool // with line numbers, if the log does not have the whole name
}

// NeverFired is a configured hook that no call has run.
type NeverFired struct {
	Name   string   `json:"name"`
	Source string   `json:"source"`
	Events []string `json:"events"`
}

// Block is a call that did not continue.
type Block struct {
	Time     string `json:"time"`
	Event    string `json:"event"`
	Tool     string `json:"tool,omitempty"`
	About    string `json:"about,omitempty"` // the arguments or the prompt
	Hook     string `json:"hook,omitempty"`
	Cause    string `json:"cause,omitempty"`
	Reason   string `json:"reason,omitempty"`
	Decision string `json:"decision"`
	Session  string `json:"session_id,omitempty"`
}

// Summary reads the whole log.
func (l *Log) Summary(f Filter) (*Summary, error) {
	t := newTally(f)
	if _, err := eachLineOf(l.parts, t.line); err != nil {
		return nil, err
	}
	s := t.summary()
	s.Files = l.Files()
	return s, nil
}
