// Package shellline takes shell lines apart, as bash, dash and zsh read them: the one reader of rules and of trust.
//
//	line := shellline.Split("cd x && timeout 5 rm -rf $D")
//	line.Commands                 // cd x; timeout 5 rm -rf $D
//	line.Unwrap(text, nil)        // and rm -rf $D, which timeout runs
//	shellline.Launch(words)       // the same for the words of one command
//	shellline.Parts(word.Source)  // for those who know the value of D
//
// Rules ask for commands that may run: Commands, Redirections, and what Unwrap finds behind launchers, shells and
// functions. Whoever follows a line as a shell does reads Commands, Alone and the loops of Blocks in the order of At.
//
// Guarantees: a command that a shell may run is in Commands, or an Opaque or a Hint says that hookrun cannot know; each
// line has a result, whatever its bytes are; a line of 128 KiB takes steps in proportion to its length.
// Non-guarantee: Unusual names constructs for a shell that reads as bash does; zsh may read others in its own way.
package shellline
