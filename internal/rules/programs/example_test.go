package programs_test

import (
	"fmt"

	"github.com/hookrun/hookrun/internal/rules/programs"
)

func ExampleFind() {
	p, known := programs.Find("podman") // as docker
	push := []programs.Word{{Text: "buildx"}, {Text: "build"}, {Text: "."}, {Text: "--push"}}
	fmt.Println(known, p.Name, p.Does(programs.Publishes, push))
	p, known = programs.Find("somebodys-program")
	fmt.Println(known, p.Shows(nil) == programs.Maybe, p.Changes(nil) == programs.Maybe)
	// Output:
	// true docker true
	// false true true
}
