package pack

var secrets = Pack{
	Name: "secrets", Version: 2, Summary: "no reading of keys and of files with secrets, no key in a text",
	Rules: []Rule{
		{
			Name: "no-reading-of-secrets", Blocks: "a read of a file with secrets",
			Find: readSecret, ReadsTexts: true,
		},
		{
			Name: "no-reading-of-envrc", Since: 2, Asks: true, Blocks: "a read of .envrc, which may have secrets",
			Find: readEnvrc, ReadsTexts: true,
		},
		{
			Name: "no-environment-dump", Blocks: "a command that prints the whole environment",
			Find: environmentDump, ReadsTexts: true,
		},
		{
			Name: "no-stored-secrets", Since: 2, Asks: true,
			Blocks: "a command that prints what a store of secrets keeps",
			Find:   storedSecret,
		},
		{
			Name: "no-keys-in-text", Blocks: "a key or a token in the arguments of a tool",
			Find: keyInText, ReadsTexts: true,
		},
	},
}
