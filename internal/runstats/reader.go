package runstats

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/strictjson"
)

// maxDepth is encoding/json's own limit.
const maxDepth = 10_000

// valid reports whether a line is JSON. Package gjson knows no limit of depth. It is asked where no value can be too
// deep, since a log has millions of lines and encoding/json takes almost three times as long.
func valid(line []byte) bool {
	if bytes.Count(line, []byte("{"))+bytes.Count(line, []byte("[")) > maxDepth {
		return json.Valid(line)
	}
	return gjson.ValidBytes(line)
}

// reader reads values of a document that is valid. At one of another type than was asked for it fails, and so at the
// end of all it is enough to look at that.
type reader struct{ failed bool }

// members gives each member of an object.
func (in *reader) members(v gjson.Result, each func(key string, value gjson.Result)) {
	in.failed = in.failed || !v.IsObject()
	if !in.failed {
		v.ForEach(func(key, value gjson.Result) bool {
			each(key.Str, value)
			return !in.failed
		})
	}
}

// elements gives each element of an array, and returns it as it stands.
func (in *reader) elements(v gjson.Result, each func(gjson.Result)) string {
	in.failed = in.failed || !v.IsArray()
	if !in.failed {
		v.ForEach(func(_, value gjson.Result) bool {
			each(value)
			return !in.failed
		})
	}
	return v.Raw
}

// text returns a string as it stands, with its quotes.
func (in *reader) text(v gjson.Result) string {
	in.failed = in.failed || v.Type != gjson.String
	return v.Raw
}

func (in *reader) number(v gjson.Result) float64 {
	in.failed = in.failed || v.Type != gjson.Number || math.IsInf(v.Num, 0) // no float64 is as large
	return v.Num
}

func (in *reader) flag(v gjson.Result) bool {
	in.failed = in.failed || !v.IsBool()
	return v.Type == gjson.True
}

// inject reads an entry of inject, and returns the name of its hook.
func (in *reader) inject(v gjson.Result) (hook string) {
	in.members(v, func(key string, v gjson.Result) {
		if key == "hook" {
			hook = in.text(v)
		}
	})
	return hook
}

// report reads a report, which must say of which hook it is and what became of that.
func (in *reader) report(v gjson.Result) (r report) {
	in.members(v, func(key string, v gjson.Result) {
		switch key {
		case "name":
			r.name = in.text(v)
		case "source":
			r.source = in.text(v)
		case "status":
			r.status = in.text(v)
		case "duration_ms":
			r.duration = in.number(v)
		case "limit_ms":
			r.limit = in.number(v)
		case "stderr":
			r.stderr = in.text(v)
		}
	})
	in.failed = in.failed || r.name == "" || r.status == ""
	return r
}

// unquoted is what a string says, "" if there is none. It may be a part of the line.
func unquoted(raw string) string {
	if raw == "" {
		return ""
	}
	return strictjson.Text(raw)
}

// text is the same without the line, which may be long.
func text(raw string) string { return strings.Clone(unquoted(raw)) }
