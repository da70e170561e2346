package runlog

import "strings"

// kind is what a name promises of its value.
type kind int

const (
	plain   kind = iota
	counted      // numbers are counts, as in max_tokens; texts are secrets
	secret
	header // a secret to the end of its line, as HTTP has it
)

// longestName is how much of a name counts: its end.
const longestName = 128

// named judges a name, however its words are joined: api_key, API-KEY, apiKey and apikey are one.
func named(name string) kind {
	name = name[max(0, len(name)-longestName):]
	if sourceFile(name[strings.LastIndexByte(name, '.')+1:]) && strings.Contains(name, ".") {
		return plain // auth.ts is about secrets, and has none
	}
	var words [2 * longestName]byte // in lower case, a space before each
	n := 0
	before := byte(0)
	for i := 0; i < len(name); i++ {
		c := name[i]
		if !letter(c) {
			before = 0
			continue
		}
		// A capital begins a word, but in a row of them only the one before a small letter: githubToken, APIKey.
		begins := capital(c) && (!capital(before) || i+1 < len(name) && letter(name[i+1]) && !capital(name[i+1]))
		if before == 0 || begins {
			words[n] = ' '
			n++
		}
		if before = c; capital(c) {
			c += 'a' - 'A'
		}
		words[n] = c
		n++
	}
	return judge(string(words[:n]))
}

func capital(c byte) bool { return 'A' <= c && c <= 'Z' }

// letter counts all that is not ASCII as one.
func letter(c byte) bool { return capital(c) || 'a' <= c && c <= 'z' || c >= 0x80 }

func judge(words string) (k kind) {
	last := ""
	for word := range strings.SplitSeq(words, " ") {
		if word == "" {
			continue
		}
		before := last
		last = word
		switch {
		case strings.HasSuffix(word, "tokens"):
			k = max(k, counted)
		case secretWord(strings.TrimSuffix(word, "s")), strings.TrimSuffix(word, "s") == "key" && keyOf(before),
			(word == "pass" || word == "pw") && before != "", before == "pass" && (word == "word" || word == "phrase"),
			before == "amz" && word == "signature":
			k = secret
		}
	}
	switch {
	case words == " pass", words == " pw": // as many as pass, or who may
		return counted
	case k == plain && last == "jwt":
		return secret
	case k == plain || describes(last):
		return plain
	case last == "authorization", strings.TrimSuffix(last, "s") == "cookie":
		return header
	}
	return k
}

// secretWord reports whether a word, without the s of a plural, makes any name one of a secret.
func secretWord(word string) bool {
	switch word {
	case "auth", "bearer", "cred", "passcode":
		return true
	}
	// Names are glued together, too: githubtoken, PGPASSWORD, setcookie. No other word ends like these.
	for _, end := range [...]string{"password", "passwd", "passphrase", "pwd", "secret", "token", "credential", "authorization",
		"cookie", "apikey", "accesskey", "privatekey", "secretkey", "sessionkey"} {
		if strings.HasSuffix(word, end) {
			return true
		}
	}
	return false
}

// keyOf reports whether a key of this kind is a secret. A public, primary or foreign one is not.
func keyOf(what string) bool {
	switch what {
	case "api", "access", "account", "app", "client", "deploy", "encryption", "fernet", "hmac", "jwt", "license", "master", "private",
		"secret", "session", "signing", "ssh":
		return true
	}
	return false
}

// sourceFile reports whether names of source files end so. What stands in others, as in password.txt, may be the secret itself.
func sourceFile(extension string) bool {
	switch extension {
	case "c", "cc", "cpp", "cs", "css", "go", "h", "hpp", "html", "java", "js", "jsx", "kt", "md", "mjs", "php", "proto", "py", "rb",
		"rs", "scss", "sh", "sql", "svelte", "swift", "ts", "tsx", "vue":
		return true
	}
	return false
}

// folder reports whether a value is that of the name under which a shell keeps its working directory. Databases call a password so.
func folder(name, value string) bool {
	return (strings.EqualFold(name, "pwd") || strings.EqualFold(name, "oldpwd")) && strings.HasPrefix(strings.TrimLeft(value, `\"'`), "/")
}

// describes reports whether a name that ends in this word is not of a secret but of something about it: token_count, secretName,
// password_file.
func describes(last string) bool {
	switch last {
	case "at", "budget", "count", "counts", "dir", "domain", "enabled", "endpoint", "expiration", "expires", "expiry", "field", "file",
		"format", "header", "host", "ids", "in", "index", "jar", "kind", "len", "length", "limit", "method", "mode", "name", "names",
		"path", "policy", "provider", "ref", "region", "required", "scope", "scopes", "size", "source", "status", "ttl", "type", "types",
		"uri", "url", "usage", "used", "user", "username", "version":
		return true
	}
	return false
}
