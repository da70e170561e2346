package permission

import (
	"strings"
	"testing"
)

// BenchmarkPaths measures one rule for paths on calls that it is not for, their input read once for all rules.
func BenchmarkPaths(b *testing.B) {
	content := strings.Repeat(`x := f(\"a\")\n`, 500)
	for _, bench := range []struct {
		name, rule, tool string
		kind             Kind
		input            string
	}{
		{"write", "fs_write(secrets/**)", "fs_write", File, `{"file_path":"src/a.go","content":"` + content + `"}`},
		{"edit", "fs_edit(**/*.lock)", "fs_edit", File,
			`{"file_path":"/ws/src/a.go","old_string":"a","new_string":"b","replace_all":false}`},
		{"grep", "fs_grep(secrets/**)", "fs_grep", Folder,
			`{"pattern":"secret","path":"src","glob":"*.go","output_mode":"content","-n":true}`},
		{"glob", "fs_glob(secrets/**)", "fs_glob", Folder, `{"pattern":"src/**/*.go"}`},
	} {
		call := Call{Tool: bench.tool, Kind: bench.kind, Input: bench.input, Dir: "/ws", Root: "/ws", Home: "/h",
			Project: true}
		rule := Parse(bench.rule)
		b.Run(bench.name+"/first", func(b *testing.B) {
			for b.Loop() {
				rule.Match(call)
			}
		})
		once := call.WithCache()
		b.Run(bench.name+"/next", func(b *testing.B) {
			for b.Loop() {
				once.cache.work = 0
				rule.Match(once)
			}
		})
	}
}
