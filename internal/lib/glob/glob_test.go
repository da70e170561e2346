package glob_test

import (
	"fmt"

	"github.com/hookrun/hookrun/internal/lib/glob"
)

func Example() {
	fmt.Println(glob.New("mcp__*").Match("mcp__a/b"), glob.New("[!a]b").Match("ab"),
		glob.New("Write").Match("write"))
	fmt.Println(glob.NewList("Write | Edit").Match("Edit"), glob.NewList("|").Match(""))
	// Output:
	// true false false
	// true false
}
