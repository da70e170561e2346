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

func ExampleVariable() {
	fmt.Println(secret.Variable("GITHUB_TOKEN"), secret.Variable("TOKEN_FILE"), secret.Variable("PATH"))
	// Output: true false false
}

func ExampleMask() {
	fmt.Println(secret.Mask("curl -u me:hunter2 https://example.com/?token=x&page=2"))
	fmt.Println(secret.Mask(`{"command": "sshpass -p hunter2 ssh h", "password": 5}`))
	// Output:
	// curl -u me:[redacted] https://example.com/?token=[redacted]&page=2
	// {"command": "sshpass -p [redacted] ssh h", "password": "[redacted]"}
}

func ExampleMaskMessage() {
	fmt.Println(secret.Mask("token: no such file"))
	fmt.Println(secret.MaskMessage("token: no such file"))
	// Output:
	// token: [redacted] such file
	// token: no such file
}

func ExampleMaskForJudgement() {
	fmt.Println(secret.Mask(`TOKEN="a; rm -rf /" sh x`))
	fmt.Println(secret.MaskForJudgement(`TOKEN="a; rm -rf /" sh x`))
	// Output:
	// TOKEN="[redacted]" sh x
	// TOKEN="[redacted]; rm -rf /" sh x
}
