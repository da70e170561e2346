// Package programs says what programs do with their arguments: the one table of all rules and of trust.
//
//	p, known := programs.Find("docker")
//	p.Does(Publishes, args)           // `docker push`, `docker buildx build --push`
//	p.Shows(args) == programs.No        // prints no contents of files
//	options, rest, known := p.Options(args)
//
// programs.txt has a row for each program, sorted by name: the name, a bar, words for what the program does, a
// bar, and the options: the one-letter ones as getopt takes them (or a -), then the others, with a colon for an option
// with a value. (An option whose value is optional has no colon: only --name=value gives one.) A name of several words
// is a subcommand. Lines with a tab at the start go on with a row. A row may have options only, and no words.
//
// A word for the operands says:
//
//	names     knows names, sizes, modes or sums; shows and changes no contents
//	keeps     uses the contents and shows nothing, as ssh-add a key; may change the file
//	reads     shows the contents
//	checks    reads the contents, and may show a part, as a linter
//	searches  shows matching lines; the first operand is the pattern
//	script    the first operand is a program text, the others are read
//	filters   reads the first, writes the second
//	edits     shows and changes the contents (in-place: if an option -i says so)
//	writes    changes contents or modes (makes: new folders; replaces: the old contents are lost)
//	deletes   deletes files (recursive: with all in a folder; whole: without an option for that; windows: as cmd does)
//	copies    reads all but the last and writes the last; moves, links: likewise
//	finds     has a language of its own for files, as fd
//	lists     prints the names of the files in the operands, or in the current folder
//	chooses   prints some lines of the input: those that a person or another list chooses, or a sum
//	as NAME   all as NAME does
//
// May-show and may-write add what is not sure. No-file: writes no file named in the line. Loads= has the options with a
// file to read, sends= the options with a file to send, saves= the options with a file or folder to write; uploads:
// operands with an @ or a < name files to send. Plain: runs none of the operands, and no file of a project can add
// code; lints: likewise, for a linter or a formatter, which only reads and writes the given files. Client: an agent.
//
// For a program that runs another command from the arguments:
//
//	runs      a command; language: a text in another language, or a script; foreign-shell: a line of another shell
//	group     the next word is a subcommand, which may have a row (modules: the word after python -m)
//	assigns   NAME=value may precede the command; operands=N other words do
//	line=     options whose value is a shell line (parameters: the line gets further arguments)
//	text=     options whose value is a text in the language; inline: the first operand is
//	idle=     options with which the program runs nothing
//	mixed     options may follow operands; without operands=, no operand is a command
//	dashed    the command follows a --, if there is one
//	loose     the other words before the command are not known; options-unknown: no option is
//	joins     the words of the command are joined to a shell line
//	shell     without a command, a shell reads stdin
//	away      the command runs in a container, on another machine or in another environment; a line often computes the
//	          name, so a computed word before the command counts as one word
//	one-word  a computed word in quotes before the command counts as one word, such as the file of a lock
//	replaces= options with the text that further arguments replace; more: without the text they follow the command
//	splits=   options whose value is split to words; skips=: words that mean nothing before the command
//	may-run   may run a line from the arguments in a way not known here; runs-text: and these arguments say so
//
// Effects are remote (prints or saves what comes from the network; api: what a method says), decodes, unpacks, formats
// and erases (devices), publishes, and what is deleted: cluster, infra, containers, cloud, backups, and what a database
// drops (statement: as a statement does; else a framework or a tool for migrations resets a database). Power: switches
// the machine off; privileged: a container with power over the machine. Binaries: the first operand may be a program.
// Of git: rewrites (history), and skips (checks, by the options of a condition or always). Reveals: prints a secret of
// a store.
//
// An effect, reads, and a may- word can have a condition: formats?-a,--all needs one of the arguments in the list,
// reads!-noout none. In the list, -x is a letter, perhaps in a bundle; --long is an option, perhaps abbreviated; @word
// is an operand; =word is an exact argument; word* and *word* have more text; $ is an argument computed by the shell; ~
// is the verb of a deletion in a cloud's command: rm, delete-db, apps:destroy. -x=word, --long=word have a value.
//
// Guarantees: a program in no row gets the safe answer of each question. The table costs nothing until the first Find,
// which notes where the rows begin; later ones allocate nothing. Non-guarantee: a row says what a program does by the
// documentation, not which program a name in PATH leads to.
package programs
