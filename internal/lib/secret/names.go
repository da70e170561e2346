package secret

import "strings"

// Kind is the kind of a name: how secret the value is.
type Kind int

const (
	Plain   Kind = iota
	Counted      // numbers are counts, as in max_tokens; texts are secrets
	Secret
	Header // a secret up to the end of the line, as in HTTP
)

// longestName is how many bytes at the end of a name are checked.
const longestName = 128

// Name returns the kind of a name of a value. It does not matter how words are joined: api_key, API-KEY, apiKey,
// apikey.
func Name(name string) Kind {
	k, last, _ := wordsOf(name)
	if k < Secret && isVariableOfKey(name) {
		k = Secret
	}
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 && isSource(name[dot+1:]) {
		return Plain // auth.ts is about secrets but holds none
	}
	if k == Plain || describes(last) {
		return Plain
	}
	return k
}

// Variable reports whether the value of an environment variable is a secret, by the name of the variable.
func Variable(name string) bool { return Name(name) >= Secret && !isWorkingDir(name, "/") }

// isVariableOfKey reports whether a name is the name of a variable such as STRIPE_KEY.
func isVariableOfKey(name string) bool {
	before, isKey := strings.CutSuffix(name, "_KEY")
	if !isKey || before == "" || strings.ContainsFunc(before, func(r rune) bool { return 'a' <= r && r <= 'z' }) {
		return false
	}
	switch before[strings.LastIndexByte(before, '_')+1:] {
	case "PUBLIC", "PRIMARY", "FOREIGN", "PARTITION", "SORT", "CACHE", "IDEMPOTENCY", "HOST":
		return false
	}
	return true
}

// wordsOf returns the kind that the words of a name have together, the last word, and whether any word is secret.
func wordsOf(name string) (k Kind, last string, isAbout bool) {
	name = name[max(0, len(name)-longestName):]
	lower, count := inLowerCase(name), 0
	for i := 0; i < len(name); {
		if !letter(name[i]) {
			i++
			continue
		}
		begin := i
		for i++; i < len(name) && letter(name[i]) && !beginsWord(name, i); i++ {
		}
		k = max(k, wordKind(last, lower[begin:i]))
		last, count = lower[begin:i], count+1
	}
	isAbout = k >= Secret
	switch {
	case count == 1 && (last == "pass" || last == "pw"): // often not a password, but a count of tests
		k = Counted
	case k == Plain && last == "jwt":
		k = Secret
	case k > Plain && (last == "authorization" || strings.TrimSuffix(last, "s") == "cookie"):
		k = Header
	}
	return k, last, isAbout
}

// inLowerCase is strings.ToLower for the letters of ASCII, so no offset changes.
func inLowerCase(name string) string {
	if !strings.ContainsFunc(name, func(r rune) bool { return 'A' <= r && r <= 'Z' }) {
		return name
	}
	lower := []byte(name)
	for i, c := range lower {
		if capital(c) {
			lower[i] = c + 'a' - 'A'
		}
	}
	return string(lower)
}

// beginsWord reports whether a capital begins a word. In a run of capitals only the last before a small letter does:
// githubToken, APIKey.
func beginsWord(name string, i int) bool {
	return capital(name[i]) &&
		(!capital(name[i-1]) || i+1 < len(name) && letter(name[i+1]) && !capital(name[i+1]))
}

func capital(c byte) bool { return 'A' <= c && c <= 'Z' }

// letter counts all bytes outside ASCII as letters.
func letter(c byte) bool { return capital(c) || 'a' <= c && c <= 'z' || c >= 0x80 }

// wordKind returns the kind of a name with a word, after another one.
func wordKind(before, word string) Kind {
	switch single := strings.TrimSuffix(word, "s"); {
	case strings.HasSuffix(word, "tokens"):
		return Counted
	case isSecretWord(single), endsInSecret(single),
		single == "key" && isOfKeys(before), (word == "pass" || word == "pw") && before != "",
		before == "pass" && (word == "word" || word == "phrase"), before == "amz" && word == "signature",
		before == "seed" && word == "phrase":
		return Secret
	}
	return Plain
}

// isSecretWord reports whether a word makes a name the name of a secret. The words have no plural s, like the words of
// the functions below.
func isSecretWord(word string) bool {
	switch word {
	case "auth", "bearer", "cred", "mnemonic", "otp", "passcode", "totp":
		return true
	}
	return false
}

// endsInSecret is isSecretWord for the end of a word, because words are often glued together: githubtoken, PGPASSWORD,
// setcookie. No other word ends like these.
func endsInSecret(word string) bool {
	if word == "" {
		return false
	}
	ends := ""
	switch word[len(word)-1] { // few words end like a secret
	case 'd':
		ends = "password passwd pwd"
	case 't':
		ends = "secret"
	case 'n':
		ends = "token authorization"
	case 'e':
		ends = "passphrase cookie"
	case 'l':
		ends = "credential"
	case 's':
		ends = "keypass storepass"
	case 'y':
		ends = "apikey accesskey privatekey secretkey sessionkey accountkey authkey licensekey"
	}
	for ends != "" {
		end, rest, _ := strings.Cut(ends, " ")
		if strings.HasSuffix(word, end) {
			return true
		}
		ends = rest
	}
	return false
}

// isOfKeys reports whether a key is secret, by the word before "key". A public, primary or foreign key is not.
func isOfKeys(word string) bool {
	switch word {
	case "access", "account", "anthropic", "api", "app", "client", "crypto", "decryption", "deploy", "encryption",
		"fernet", "hmac", "jwt", "license", "master", "openai", "private", "secret", "session", "shared", "signing",
		"ssh", "stripe", "webhook":
		return true
	}
	return false
}

// isSource reports whether an extension is of a source file. Another file, such as password.txt, may contain a secret.
func isSource(extension string) bool {
	switch extension {
	case "c", "cc", "cpp", "cs", "css", "go", "h", "hpp", "html", "java", "js", "jsx", "kt", "md", "mjs", "php",
		"proto", "py", "rb", "rs", "scss", "sh", "sql", "svelte", "swift", "ts", "tsx", "vue":
		return true
	}
	return false
}

// describes reports whether a last word makes a name describe a secret, not contain it: token_count, secretName,
// password_file.
func describes(word string) bool {
	switch word {
	case "at", "budget", "count", "counts", "dir", "domain", "enabled", "endpoint", "expiration", "expires", "expiry",
		"field", "file", "format", "header", "host", "ids", "in", "index", "jar", "kind", "len", "length", "limit",
		"method", "mode", "name", "names", "path", "policy", "provider", "ref", "region", "required", "scope",
		"scopes", "size", "sock", "source", "status", "ttl", "type", "types", "uri", "url", "usage", "used", "user",
		"username", "version":
		return true
	}
	return false
}

// isWorkingDir reports whether the name and value are a shell's working directory. Databases use PWD for a password.
func isWorkingDir(name, value string) bool {
	isName := strings.EqualFold(name, "pwd") || strings.EqualFold(name, "oldpwd")
	return isName && strings.HasPrefix(strings.TrimLeft(value, `\"'`), "/")
}
