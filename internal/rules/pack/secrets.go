package pack

var secrets = Pack{
	Name: "secrets", Version: 1, Summary: "no reading of keys and of files with secrets, no key in a text",
	Rules: []Rule{
		{
			Name: "no-reading-of-secrets", Blocks: "a read of a file with secrets",
			Find: readSecret, ReadsTexts: true,
		},
		{
			Name: "no-environment-dump", Blocks: "a command that prints the whole environment",
			Find: environmentDump, ReadsTexts: true,
		},
		{
			Name: "no-keys-in-text", Blocks: "a key or a token in the arguments of a tool",
			Find: keyInText, ReadsTexts: true,
		},
	},
}
