package pack

var secrets = Pack{
	Name: "secrets", Version: 1, Summary: "no reading of keys and of files with secrets, no key in a text",
	Rules: []Rule{
		{
			Name: "no-reading-of-secrets", Blocks: "a read of a file with secrets",
			Why:     "A file that an agent reads goes to the model and into logs, and can be taken from there.",
			Instead: "Read the example file, check by grep -q that a name is there, or ask for the value you need.",
			Limits: "Files that scripts and programs read by themselves, as docker compose config does; programs " +
				"that print what they keep, such as gh auth token; files with other names, such as " +
				"terraform.tfvars and .yarnrc.yml; an archive or a copy of a whole folder; a search in a " +
				"folder of more than 5,000 files, and in its folders .git, node_modules, vendor and .venv; names " +
				"that a program filters, as in cat $(ls -a | grep env); a file that an earlier call has " +
				"copied to another name in a way that nobody saw; unzip -p, git diff without a path, and kubectl " +
				"create secret --dry-run.",
			Find: readSecret,
		},
		{
			Name: "no-environment-dump", Blocks: "a command that prints the whole environment",
			Why:     "The environment has keys and tokens.",
			Instead: "Print the one variable that you need, as printenv PATH does.",
			Limits:  "Programs that print it by themselves, and programs that get it in other words.",
			Find:    environmentDump,
		},
		{
			Name: "no-keys-in-text", Blocks: "a key or a token in the arguments of a tool",
			Why:     "Arguments are in the conversation, in logs and in the history of the shell.",
			Instead: "Name a variable of the environment in its place.",
			Limits:  "Passwords and keys without a known beginning, and a key in pieces or in base64.",
			Find:    keyInText,
		},
	},
}
