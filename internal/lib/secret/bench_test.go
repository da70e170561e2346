package secret

import (
	"encoding/base64"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
)

// BenchmarkMask masks 1 MB.
func BenchmarkMask(b *testing.B) {
	const size = 1 << 20
	fill := func(piece string) string { return strings.Repeat(piece, size/len(piece)) }
	bytes := make([]byte, size*3/4)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range bytes {
		bytes[i] = byte(r.Uint32())
	}
	code := "func main() { fmt.Println(\"hello\", os.Args[1:]); if err != nil { return fmt.Errorf(\"x: %w\", err) } }\n"
	object, _ := json.Marshal(map[string]any{"file_path": "/home/u/a.go", "content": fill(code)})
	list, _ := json.Marshal(map[string]any{"edits": strings.Split(fill("some words of a text, "), ",")})
	for name, text := range map[string]string{
		"JSON": string(object), "list": string(list), "names": fill("token="), "pairs": fill("token=abc "),
		"line": fill("a long line of words without an end "), "base64": base64.StdEncoding.EncodeToString(bytes),
		"letters": fill("s"), "code": fill(code), "begins": fill("sk-"), "keys": fill("ghp_a1B2c3D4e5F6g7H8i9J0 "),
		"urls": fill("https://example.com/a?b=c&d=e "), "capitals": fill("API_TOKEN_X="),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size)
			for b.Loop() {
				Mask(text)
			}
		})
	}
}
