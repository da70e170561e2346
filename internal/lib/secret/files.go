package secret

import (
	"path"
	"strings"
)

// File reports whether a path with slashes is a file of secrets, judged by the names of the file and its folders.
func File(file string) bool {
	file = strings.ToLower(strings.TrimRight(file, "/"))
	base := withoutBackup(file[strings.LastIndexByte(file, '/')+1:])
	if base == "" {
		return false
	}
	switch base {
	case ".npmrc", ".pypirc", ".netrc", "_netrc", ".pgpass", ".my.cnf", ".git-credentials", ".dockercfg", ".s3cfg",
		".boto", ".htpasswd", ".vault-token", ".terraformrc", ".secrets", ".credentials.json", ".claude.json",
		"oauth_creds.json", "credentials.json", "application_default_credentials.json", "kubeconfig",
		"kubeconfig.yaml", "kubeconfig.yml", "rclone.conf", "secring.gpg", "login.keychain-db", ".ssh", ".gnupg":
		return true
	}
	return isEnvFile(base) || isKeyFile(base) || inSecretFolder("/"+file, base)
}

// Asks reports whether a path is a file that may have secrets, or only settings that a project commits: a person is
// asked about the .envrc of direnv. File does not count the file.
func Asks(file string) bool { return withoutBackup(strings.ToLower(path.Base(file))) == ".envrc" }

// IsKey reports whether a path is a key, a store of keys or a cluster's configuration by the end of the name alone,
// such as a.key, a.pem and kubeconfig: most programs use such a file, and do not show it. The words section.key and
// export kubeconfig look the same.
func IsKey(file string) bool {
	base := withoutBackup(strings.ToLower(path.Base(file)))
	switch path.Ext(base) {
	case ".key", ".pem", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk", ".kubeconfig":
		return true
	}
	return strings.HasPrefix(base, "kubeconfig") || strings.HasPrefix(base, "id_") && path.Ext(base) == ""
}

// InSecretFolder reports whether the folder of a path makes the file a secret, whatever the file's name is.
func InSecretFolder(file string) bool {
	file = strings.ToLower(file)
	return inSecretFolder("/"+file, path.Base(file))
}

// withoutBackup returns the name of the original of a backup or of a compressed file.
func withoutBackup(base string) string {
	for {
		before := base
		base = strings.TrimRight(base, "~")
		switch end := path.Ext(base); end {
		case ".bak", ".old", ".orig", ".backup", ".save", ".swp", ".swo", ".copy", ".disabled", ".gz", ".bz2", ".xz",
			".zst":
			base = strings.TrimSuffix(base, end)
		}
		if base == before {
			return base
		}
	}
}

// isEnvFile reports whether a name is .env or similar, except for examples and encrypted files.
func isEnvFile(base string) bool {
	switch base {
	case ".env":
		return true
	case ".env.test", ".env.testing", ".env.development": // projects commit these, and write secrets to .env.test.local
		return false
	case "process.env", "import.meta.env", "deno.env", "bun.env": // an expression in code
		return false
	}
	rest, ok := strings.CutPrefix(base, ".env")
	if ok && strings.IndexByte(".-_", rest[0]) >= 0 || strings.HasSuffix(base, ".env") {
		return !hasToken(base, "example examples sample template tpl tmpl dist default defaults schema spec stub demo "+
			"vault enc gpg age ts md py go")
	}
	return false
}

// isKeyFile reports whether a name is a private key, a key store or a Terraform state.
func isKeyFile(base string) bool {
	switch end := path.Ext(base); end {
	case ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk", ".pem":
		const certificates = " cert certs certificate certificates chain fullchain ca cacert crt csr dhparam dhparams"
		public := "public pub"
		if end == ".pem" {
			public += certificates
		}
		return !hasToken(base, public) || hasToken(strings.TrimSuffix(base, end), "key private priv privkey") &&
			!hasToken(base, "public pub")
	case ".tfstate", ".kubeconfig":
		return true
	case ".json":
		return strings.HasPrefix(base, "client_secret") || strings.HasPrefix(base, "service-account") ||
			strings.HasPrefix(base, "service_account") || strings.HasPrefix(base, "serviceaccount")
	case ".pub", ".go", ".py", ".ts", ".js", ".md", ".sh", ".rb", ".rs":
		return false
	}
	for _, kind := range [...]string{"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"} {
		rest, ok := strings.CutPrefix(base, kind)
		if ok && (rest == "" || strings.IndexByte("_-.", rest[0]) >= 0) {
			return true
		}
	}
	return strings.HasPrefix(base, "ssh_host_") && strings.HasSuffix(base, "_key")
}

// inSecretFolder reports whether a file is secret because of its folder. file begins with a slash. In some folders only
// files of certain names have secrets, in others almost all.
func inSecretFolder(file, base string) bool {
	parent := path.Base(path.Dir(file))
	switch parent + "/" + base {
	case ".kube/config", ".docker/config.json", ".codex/auth.json", ".factory/auth.json", "opencode/auth.json",
		"cursor/auth.json", "composer/auth.json", ".composer/auth.json", "gh/hosts.yml", "gh/hosts.yaml", ".config/hub",
		"glab-cli/config.yml", "github-copilot/hosts.json", "github-copilot/apps.json", "goose/secrets.yaml",
		"amp/secrets.json", ".streamlit/secrets.toml", ".cargo/credentials", ".cargo/credentials.toml",
		".gem/credentials", ".m2/settings.xml", ".m2/settings-security.xml", ".aws/credentials", ".aws/config",
		".azure/accesstokens.json", ".azure/msal_token_cache.json", ".azure/msal_token_cache.bin",
		".azure/service_principal_entries.json", "etc/shadow", "etc/gshadow", "etc/shadow-", "etc/gshadow-":
		return true
	}
	for _, folder := range [...]string{"/.aws/sso/", "/.aws/cli/cache/", "/.gnupg/private-keys-v1.d/",
		"/.config/gcloud/",
		"/run/secrets/", "/etc/ssl/private/"} {
		if strings.Contains(file, folder) {
			return base != "active_config" && !strings.Contains(file, "/configurations/")
		}
	}
	return strings.Contains(file, "/.ssh/") && !strings.Contains(file, "/config.d/") &&
		!strings.HasSuffix(base, ".pub") && !strings.HasPrefix(base, "known_hosts") &&
		!strings.HasPrefix(base, "authorized_keys") && base != "config" && base != "environment" && base != "rc" &&
		base != "allowed_signers"
}

// hasToken reports whether a sequence of letters in a name is in a list.
func hasToken(name, list string) bool {
	for token := range strings.FieldsFuncSeq(name, func(r rune) bool { return r < 'a' || r > 'z' }) {
		for known := range strings.FieldsSeq(list) {
			if token == known {
				return true
			}
		}
	}
	return false
}

// Glob reports whether a glob seems to choose files of secrets. It does so if a known secret name matches a part
// with more than a star, such as .e*, or if every match is secret, such as *.pem.
func Glob(glob string) bool {
	if !strings.ContainsAny(glob, "*?[") {
		return File(glob)
	}
	folder, base := path.Split(strings.ReplaceAll(glob, "[!", "[^"))
	fixed := strings.IndexAny(base, "*?[")
	if fixed < 0 || len(strings.Trim(base, "*")) == 0 {
		return File(Filled(glob))
	}
	for _, name := range [...]string{".env", ".env.local", "id_rsa", "id_ed25519"} {
		if ok, _ := path.Match(base, name); ok && (fixed > 0 || len(strings.Trim(base, "*?[]")) > 2) {
			return true
		}
	}
	return File(Filled(folder) + Filled(base))
}

// Filled returns a glob with an x for each wildcard.
func Filled(glob string) string {
	var b strings.Builder
	for i := 0; i < len(glob); i++ {
		switch glob[i] {
		case '[':
			end := strings.IndexByte(glob[i:], ']')
			if end < 0 {
				return b.String() + glob[i:]
			}
			i += end
			b.WriteByte('x')
		case '*', '?':
			b.WriteByte('x')
		default:
			b.WriteByte(glob[i])
		}
	}
	return b.String()
}
