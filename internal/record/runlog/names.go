package runlog

import (
	"slices"
	"strings"
)

// kind is the kind of a name: how secret the value is.
type kind int

const (
	plain   kind = iota
	counted      // numbers are counts, as in max_tokens; texts are secrets
	secret
	header // a secret up to the end of the line, as in HTTP
)

// longestName is how many bytes at the end of a name are checked.
const longestName = 128

// nameKind returns the kind of a name. It does not matter how words are joined: api_key, API-KEY, apiKey, apikey.
func nameKind(name string) kind {
	name = name[max(0, len(name)-longestName):]
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 && slices.Contains(sourceFiles, name[dot+1:]) {
		return plain // auth.ts is about secrets but holds none
	}
	spaced := make([]byte, 0, 2*longestName) // in lower case, with spaces between the words
	for i := range len(name) {
		switch c := name[i]; {
		case !letter(c):
			spaced = append(spaced, ' ')
		case capital(c):
			// A capital begins a word. In a run of capitals only the last before a small letter does: githubToken,
			// APIKey.
			if i > 0 && (!capital(name[i-1]) || i+1 < len(name) && letter(name[i+1]) && !capital(name[i+1])) {
				spaced = append(spaced, ' ')
			}
			spaced = append(spaced, c+'a'-'A')
		default:
			spaced = append(spaced, c)
		}
	}
	return wordsKind(strings.FieldsFunc(string(spaced), func(r rune) bool { return r == ' ' }))
}

func capital(c byte) bool { return 'A' <= c && c <= 'Z' }

// letter counts all bytes outside ASCII as letters.
func letter(c byte) bool { return capital(c) || 'a' <= c && c <= 'z' || c >= 0x80 }

// wordsKind returns the kind of a name with these words.
func wordsKind(words []string) (k kind) {
	before, last := "", ""
	for _, word := range words {
		before, last = last, word
		single := strings.TrimSuffix(word, "s")
		switch {
		case strings.HasSuffix(word, "tokens"):
			k = max(k, counted)
		case slices.Contains(secretWords, single),
			slices.ContainsFunc(secretEnds, func(end string) bool { return strings.HasSuffix(single, end) }),
			single == "key" && slices.Contains(secretKeys, before), (word == "pass" || word == "pw") && before != "",
			before == "pass" && (word == "word" || word == "phrase"), before == "amz" && word == "signature":
			k = secret
		}
	}
	switch {
	case len(words) == 1 && (last == "pass" || last == "pw"): // often not a password, but a count of tests
		return counted
	case k == plain && last == "jwt":
		return secret
	case k == plain || slices.Contains(describing, last):
		return plain
	case last == "authorization", strings.TrimSuffix(last, "s") == "cookie":
		return header
	}
	return k
}

var (
	// secretWords make a name the name of a secret. They are listed without a plural s, like the words below.
	secretWords = []string{"auth", "bearer", "cred", "passcode"}
	// secretEnds do the same at the end of a word, because words are often glued together: githubtoken, PGPASSWORD,
	// setcookie. No other word ends like these.
	secretEnds = []string{
		"password", "passwd", "passphrase", "pwd", "secret", "token", "credential", "authorization",
		"cookie", "apikey", "accesskey", "privatekey", "secretkey", "sessionkey",
	}
	// secretKeys are the words before "key" in the names of secrets. A public, primary or foreign key is no secret.
	secretKeys = []string{
		"api", "access", "account", "app", "client", "deploy", "encryption", "fernet", "hmac", "jwt",
		"license", "master", "private", "secret", "session", "signing", "ssh",
	}
	// sourceFiles are the extensions of source files. Another file, such as password.txt, may contain a secret.
	sourceFiles = []string{
		"c", "cc", "cpp", "cs", "css", "go", "h", "hpp", "html", "java", "js", "jsx", "kt", "md", "mjs",
		"php", "proto", "py", "rb", "rs", "scss", "sh", "sql", "svelte", "swift", "ts", "tsx", "vue",
	}
	// describing are the last words of names that describe a secret but do not contain it: token_count, secretName,
	// password_file.
	describing = []string{
		"at", "budget", "count", "counts", "dir", "domain", "enabled", "endpoint", "expiration", "expires",
		"expiry", "field", "file", "format", "header", "host", "ids", "in", "index", "jar", "kind", "len",
		"length", "limit", "method", "mode", "name", "names", "path", "policy", "provider", "ref", "region",
		"required", "scope", "scopes", "size", "source", "status", "ttl", "type", "types", "uri", "url",
		"usage", "used", "user", "username", "version",
	}
)

// isWorkingDir reports whether the name and value are a shell's working directory. Databases use PWD for a password.
func isWorkingDir(name, value string) bool {
	isName := strings.EqualFold(name, "pwd") || strings.EqualFold(name, "oldpwd")
	return isName && strings.HasPrefix(strings.TrimLeft(value, `\"'`), "/")
}
