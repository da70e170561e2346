// Package programs says what programs do with their arguments: the one table of all rules and of trust.
//
//	p, known := programs.Find("docker")
//	p.Does("publishes", args)           // `docker push`, `docker buildx build --push`
//	p.Shows(args) == programs.No        // prints no contents of the files in its operands
//	options, rest, known := p.Options(args)
//
// programs.txt has a row for each program, sorted by name: the name, a bar, words that say what the program does, a
// bar, and its options: the one-letter ones as getopt takes them (or a -), then the others, with a colon for an option
// with a value. (An option whose value is optional has no colon: only --name=value gives one.) A name of several words
// is a subcommand. A row goes on in lines that begin with a tab. A row may have options only, and no words.
//
// What the program does with its operands:
//
//	names     knows their names, sizes, modes or sums; shows and changes no contents
//	keeps     uses them and shows nothing, as ssh-add a key; may change them
//	reads     shows their contents
//	checks    reads them, and may show a part, as a linter
//	searches  shows matching lines; the first operand is the pattern
//	script    the first operand is a program text, the others are read
//	filters   reads the first, writes the second
//	edits     shows and changes them
//	writes    changes them, or their modes (makes: new folders; replaces: the old contents are lost)
//	deletes   deletes them (whole: with all in a folder, without an option for that)
//	copies    reads all but the last and writes the last; moves, links: likewise
//	finds     has a language of its own for files, as find
//	as NAME   all as NAME does
//
// May-show and may-write add what is not sure. Plain: it runs none of its operands, and no file of a project can make
// it run code; lints: likewise for a linter or a formatter, which only reads and writes the files that it is given.
//
// How a program runs another command from its arguments:
//
//	runs      it does; language: it runs a text in another language, or a script
//	group     the next word is a subcommand, which has a row of its own if it runs something
//	assigns   NAME=value may precede the command; operands=N other words do
//	line=     options whose value is a shell line (parameters: it gets further arguments)
//	text=     options whose value is a text in the language; inline: the first operand is
//	idle=     options with which it runs nothing
//	mixed     options may follow operands; without operands=, no operand is a command
//	dashed    the command follows a --, if there is one
//	loose     the other words before the command are not known; options-unknown: no option is
//	joins     the words of the command are joined to a shell line
//	shell     without a command it runs a shell on stdin
//	away      it runs in a container, on another machine or in another environment; a line often computes the name of
//	          that, so a computed word before the command counts as one word
//	one-word  a computed word in quotes before the command counts as one word, such as the file of a lock
//	replaces= options with the text that further arguments replace; more: without the text they follow the command
//	splits=   options whose value is split to words; skips=: words that mean nothing before the command
//	may-run   it may run a line from its arguments in a way not known here; runs-text: and these arguments say so
//
// Effects: remote (prints or saves what comes from the network), sends= (options whose value is a file to send),
// decodes, unpacks, formats and erases (devices), cluster, infra, containers, cloud (what of these it deletes),
// publishes. An effect, reads, and a may- word can have a condition: `formats?-a,--all` needs one of the arguments in
// the list, `reads!-noout` none. In the list, -x is a letter, perhaps in a bundle; --long is an option, perhaps
// abbreviated; @word is an operand; =word is an exact argument; word* and *word* have more text; $ is an argument that
// the shell computes.
//
// Guarantees: a program in no row gets the safe answer of each question. The table costs nothing until Find is called,
// and Find allocates nothing. Non-guarantee: the table says what a program does by its documentation, not which
// program a name in PATH leads to.
package programs
