package secret_test

import (
	"fmt"

	"github.com/hookrun/hookrun/internal/lib/secret"
)

func ExampleFile() {
	fmt.Println(secret.File("config/.env.local"), secret.File(".env.example"), secret.File("certs/ca.pem"))
	// Output: true false false
}

func ExampleGlob() {
	fmt.Println(secret.Glob("config/.e*"), secret.Glob("*.key"), secret.Glob("*.go"))
	// Output: true true false
}

func ExampleInText() {
	fmt.Println(secret.InText("git push https://ghp_Jx7Qm2Zt9Lw4Rk8Vn3Bc6Yd1Fs5@example.com"))
	fmt.Printf("%q\n", secret.InText("a token begins with ghp_ and twenty more characters"))
	// Output:
	// a text that begins with ghp_
	// ""
}
