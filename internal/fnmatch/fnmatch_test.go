package fnmatch_test

import (
	"fmt"

	"github.com/hookrun/hookrun/internal/fnmatch"
)

func Example() {
	fmt.Println(fnmatch.New("mcp__*").Match("mcp__a/b"), fnmatch.New("[!a]b").Match("ab"),
		fnmatch.New("Write").Match("write"))
	fmt.Println(fnmatch.NewList("Write | Edit").Match("Edit"), fnmatch.NewList("|").Match(""))
	// Output:
	// true false false
	// true false
}
