package re2_test

import (
	"fmt"

	"github.com/hookrun/hookrun/internal/re2"
)

func Example() {
	re, err := re2.Compile(`AKIA[0-9A-Z]{4}`)
	fmt.Println(re.Match("id=AKIA1234"), re.FindAll("AKIA1234 and AKIAZZZZ", -1), err)
	_, err = re2.Compile(`(AKIA`)
	fmt.Println(err)
	// Output:
	// true [[0 8] [13 21]] <nil>
	// a ( that is never closed: "(AKIA" at character 1
}
