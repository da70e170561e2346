package document_test

import (
	"fmt"

	"github.com/hookrun/hookrun/internal/lib/strictjson/document"
)

func Example() {
	r := &document.Reader{File: "team.json", Text: `{
	"name": "guards",
	"members": ["ada", 7, "a\u0000"],
	"mode": "strct",
	"mebers": [],
	"x-note": "ours"
}`}
	top, ok := r.Parse(8, nil)
	if !ok {
		fmt.Println(r.Problems)
		return
	}
	fields := top.Fields("name", "members", "mode")
	if name := fields["name"]; name.Is("string") {
		fmt.Println("the team", name)
	}
	for member := range fields["members"].Elements("a list of names", `a name in "members"`) {
		if name, ok := member.ForProcess(); ok {
			fmt.Println(name, "is on line", r.At(member.Index).Line)
		}
	}
	fields["mode"].Is("strict|loose")
	r.Problems.Sort()
	fmt.Println(r.Problems)
	// Output:
	// the team guards
	// ada is on line 3
	// team.json:3:21: a name in "members" must be a string, not a number
	// team.json:3:24: a name in "members" has a NUL character, which no process can be given
	// team.json:4:10: "mode" must be "strict" or "loose", not "strct"; did you mean "strict"?
	// team.json:5:2: unknown key "mebers"; did you mean "members"?
}
