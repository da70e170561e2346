//go:build linux

package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/form"
	"github.com/hookrun/hookrun/protocol"
)

// limit is how many characters of context one hook of Claude Code's form may add.
const limit = 10_000

// tells is a hook whose answer adds this text. It stands in a file: a command line holds less.
func (b *bench) tells(name, text string) hook {
	b.Helper()
	answer, err := json.Marshal(hook{"hookSpecificOutput": hook{"hookEventName": "PreToolUse",
		"additionalContext": text}})
	require.NoError(b, err)
	require.NoError(b, os.WriteFile(b.Path(name), answer, 0o600))
	return command("cat '" + b.Path(name) + "'")
}

// temporary gives the hooks' texts a folder of their own to go to. ours is the one in it that hookrun makes.
func (b *bench) temporary() (tmp, ours string) {
	b.Helper()
	tmp = b.TempDir()
	b.Setenv("TMPDIR", tmp)
	return tmp, filepath.Join(tmp, fmt.Sprintf("hookrun-%d", os.Getuid()))
}

// below lists the regular files below a folder.
func below(t *testing.T, dir string) (files []string) {
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			files = append(files, path)
		}
		return err
	}))
	return files
}

func permissions(t *testing.T, path string) os.FileMode {
	info, err := os.Lstat(path)
	require.NoError(t, err)
	return info.Mode()
}

func TestLongContextGoesIntoAFile(t *testing.T) {
	b := newBench(t)
	_, ours := b.temporary()
	text := "the beginning\n" + strings.Repeat("x", limit) + "\nthe end"
	o := b.ask(b.claude("PreToolUse", b.tells("a", text), command(says(adds("short")))))
	require.Equal(t, protocol.Continue, o.Decision)
	require.Empty(t, o.Warnings)
	require.Len(t, o.Texts, 2)
	long := o.Texts[0]
	require.True(t, long.Truncated)
	require.Equal(t, ours, filepath.Dir(long.File))
	require.Contains(t, long.Content, " "+long.File+" ")
	require.Contains(t, long.Content, "9.8 KB")
	require.Contains(t, long.Content, "\n"+text[:2048]+"\n")
	require.NotContains(t, long.Content, "the end")
	require.Less(t, len(long.Content), 2048+300+len(long.File))
	whole, err := os.ReadFile(long.File)
	require.NoError(t, err)
	require.Equal(t, text, string(whole))
	require.EqualValues(t, 0o600, permissions(t, long.File))
	require.EqualValues(t, os.ModeDir|0o700, permissions(t, ours))
	require.Equal(t, protocol.Text{Hook: o.Hooks[1].Name, Content: "short", Display: "[INJECTION] short"}, o.Texts[1])

	// The folder is used again, and no file is.
	again := b.ask(b.claude("PreToolUse", b.tells("a", text)))
	require.Equal(t, ours, filepath.Dir(again.Texts[0].File))
	require.NotEqual(t, long.File, again.Texts[0].File)
	require.Len(t, below(t, ours), 2)
}

// Contexts of a day ago go when the next one is saved, and nothing else does.
func TestOldContextsAreRemoved(t *testing.T) {
	b := newBench(t)
	tmp, ours := b.temporary()
	text := strings.Repeat("x", limit+1)
	save := func() string { return b.ask(b.claude("PreToolUse", b.tells("a", text))).Texts[0].File }
	old, young := save(), save()
	other := filepath.Join(ours, "notes.txt")
	require.NoError(t, os.WriteFile(other, nil, 0o600))
	yesterday := time.Now().Add(-25 * time.Hour)
	for _, path := range []string{old, other} {
		require.NoError(t, os.Chtimes(path, yesterday, yesterday))
	}
	last := save()
	require.ElementsMatch(t, []string{young, last, other}, below(t, ours))

	// Where the folder is not private, each context has one of its own, which goes with it.
	require.NoError(t, os.Chmod(ours, 0o755))
	spare := save()
	require.NotEqual(t, ours, filepath.Dir(spare))
	for _, path := range []string{spare, filepath.Dir(spare)} {
		require.NoError(t, os.Chtimes(path, yesterday, yesterday))
	}
	save()
	require.NoDirExists(t, filepath.Dir(spare))
	require.Len(t, below(t, tmp), 4)
}

// Characters are counted as JavaScript does: one that is not of the first 65,536 is two.
func TestLengthOfAContext(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		long bool
	}{
		"exactly as many":             {strings.Repeat("x", limit), false},
		"one more":                    {strings.Repeat("x", limit+1), true},
		"umlauts":                     {strings.Repeat("ü", limit), false},
		"umlauts, one more":           {strings.Repeat("ü", limit+1), true},
		"three bytes each":            {strings.Repeat("語", limit), false},
		"emoji":                       {strings.Repeat("😀", limit/2), false},
		"emoji, one more":             {strings.Repeat("😀", limit/2) + "x", true},
		"emoji, half as many and one": {strings.Repeat("😀", limit/2+1), true},
		"one emoji at the end":        {strings.Repeat("x", limit-1) + "😀", true},
		"white space counts":          {strings.Repeat("x", limit) + "\n", true},
		"half of one is one":          {strings.Repeat("�", limit), false},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			tmp, _ := b.temporary()
			o := b.ask(b.claude("PreToolUse", b.tells("a", c.text)))
			require.Len(t, o.Texts, 1)
			require.Equal(t, c.long, o.Texts[0].Truncated)
			require.Equal(t, c.long, o.Texts[0].File != "")
			if !c.long {
				require.Equal(t, c.text, o.Texts[0].Content)
				require.Empty(t, below(t, tmp))
				return
			}
			whole, err := os.ReadFile(o.Texts[0].File)
			require.NoError(t, err)
			require.Equal(t, c.text, string(whole))
		})
	}
}

// The preview may end in the middle of a character, of which then nothing is shown.
func TestPreviewIsWholeCharacters(t *testing.T) {
	for shift := range 4 {
		b := newBench(t)
		b.temporary()
		o := b.ask(b.claude("PreToolUse", b.tells("a", strings.Repeat("x", shift)+strings.Repeat("😀", limit))))
		line, err := json.Marshal(o.Texts[0].Content)
		require.NoError(t, err)
		require.NotContains(t, string(line), `\ufffd`)
		require.Contains(t, o.Texts[0].Content, "😀\n[…]")
	}
}

// The limit is that of one hook, not of all: each has its own file, in the order of the file.
func TestLimitIsThatOfOneHook(t *testing.T) {
	b := newBench(t)
	tmp, _ := b.temporary()
	half := strings.Repeat("y", limit*6/10)
	o := b.ask(b.claude("PreToolUse", b.tells("a", half), b.tells("b", half)))
	require.Equal(t, []string{half, half}, texts(o))
	require.Empty(t, below(t, tmp))

	var hooks []hook
	for i := range 10 {
		hooks = append(hooks, b.tells(fmt.Sprintf("n%d", i), fmt.Sprint(i)+strings.Repeat("z", limit)))
	}
	o = b.ask(b.claude("PreToolUse", hooks...))
	for i, in := range o.Texts {
		whole, err := os.ReadFile(in.File)
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint(i), string(whole[:1]))
	}
	require.Len(t, below(t, tmp), 10)
}

// Plain text is context too, at the events where it is.
func TestLongPlainTextGoesIntoAFile(t *testing.T) {
	b := newBench(t)
	b.temporary()
	c := dialect.Call{Event: protocol.PreExecute, Workspace: b.Dir, Prompt: "go"}
	o, err := b.with(engine.Options{}, b.claude("UserPromptSubmit", command("printf '%020000d\n' 0"),
		command("printf '%010000d\n' 0"))).Fire(context.Background(), c)
	require.NoError(t, err)
	require.True(t, o.Texts[0].Truncated)
	whole, err := os.ReadFile(o.Texts[0].File)
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("0", 20_000), string(whole))
	require.Equal(t, strings.Repeat("0", limit), o.Texts[1].Content)
}

// What is no context is not cut: the client shows it whole.
func TestReasonsAreNotCut(t *testing.T) {
	b := newBench(t)
	tmp, _ := b.temporary()
	long := strings.Repeat("r", 6*limit)
	o := b.ask(b.claude("PreToolUse", command("printf '%060000d' 0 | tr 0 r >&2; exit 2")))
	require.Equal(t, long, o.Reason)
	require.NoError(t, os.WriteFile(b.Path("deny"), []byte(decides("deny", long)), 0o600))
	require.NoError(t, os.WriteFile(b.Path("message"), []byte(`{"systemMessage":"`+long+`"}`), 0o600))
	o = b.ask(b.claude("PreToolUse", command("cat deny"), command("cat message")))
	require.Equal(t, long, o.Reason)
	require.Equal(t, []string{long}, o.SystemMessages)
	require.Empty(t, below(t, tmp))
}

func TestTenexContextIsNotCut(t *testing.T) {
	b := newBench(t)
	tmp, _ := b.temporary()
	require.NoError(t, os.WriteFile(b.Path("json"), []byte(adds(strings.Repeat("j", 3*limit))), 0o600))
	o := b.ask(b.config(sh("printf '%020000d' 0"), sh("cat json")),
		b.claude("PreToolUse", b.tells("a", strings.Repeat("c", limit+1))))
	require.Equal(t, strings.Repeat("0", 20_000), o.Texts[0].Content)
	require.Equal(t, strings.Repeat("j", 3*limit), o.Texts[1].Content)
	require.False(t, o.Texts[0].Truncated)
	require.True(t, o.Texts[2].Truncated)
	require.Len(t, below(t, tmp), 1)
}

// Where no file can be written the text is short all the same, and it is said that the rest is lost.
func TestNoPlaceForALongContext(t *testing.T) {
	text := "the beginning" + strings.Repeat("x", 2*limit)
	lost := func(t *testing.T, b *bench, o engine.Fired) {
		require.Equal(t, protocol.Continue, o.Decision)
		require.True(t, o.Texts[0].Truncated)
		require.Empty(t, o.Texts[0].File)
		require.Contains(t, o.Texts[0].Content, "the beginning")
		require.Less(t, len(o.Texts[0].Content), 3000)
		require.Len(t, o.Warnings, 1)
		require.Contains(t, o.Warnings[0], "19.5 KB of context, more than 10000 characters, and the rest is lost: ")
		require.Contains(t, o.Warnings[0], o.Hooks[0].Name)
	}
	t.Run("a file", func(t *testing.T) {
		b := newBench(t)
		h := b.tells("a", text)
		t.Setenv("TMPDIR", b.Path("a"))
		lost(t, b, b.ask(b.claude("PreToolUse", h)))
	})
	t.Run("not ours to write to", func(t *testing.T) {
		if os.Getuid() == 0 {
			t.Skip("root may write everywhere")
		}
		b := newBench(t)
		h := b.tells("a", text)
		tmp, _ := b.temporary()
		require.NoError(t, os.Chmod(tmp, 0o500))
		lost(t, b, b.ask(b.claude("PreToolUse", h)))
	})
}

// A folder that others could have made, or can look into, is no place for what hooks say.
func TestForeignFolderIsNotUsed(t *testing.T) {
	text := strings.Repeat("x", 2*limit)
	private := func(t *testing.T, b *bench, tmp, ours string) {
		o := b.ask(b.claude("PreToolUse", b.tells("a", text)))
		require.Empty(t, o.Warnings)
		file := o.Texts[0].File
		whole, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, text, string(whole))
		require.NotEqual(t, ours, filepath.Dir(file))
		require.Equal(t, tmp, filepath.Dir(filepath.Dir(file)))
		require.EqualValues(t, 0o600, permissions(t, file))
		require.EqualValues(t, os.ModeDir|0o700, permissions(t, filepath.Dir(file)))
		require.Equal(t, []string{file}, below(t, tmp))
	}
	for _, mode := range []os.FileMode{0o755, 0o750, 0o710, 0o770, 0o777, 0o701} {
		t.Run(mode.String(), func(t *testing.T) {
			b := newBench(t)
			tmp, ours := b.temporary()
			require.NoError(t, os.Mkdir(ours, 0o700))
			require.NoError(t, os.Chmod(ours, mode))
			private(t, b, tmp, ours)
			require.EqualValues(t, os.ModeDir|mode, permissions(t, ours), "nor is it changed")
		})
	}
	t.Run("a link", func(t *testing.T) {
		b := newBench(t)
		elsewhere := t.TempDir()
		require.NoError(t, os.Chmod(elsewhere, 0o700))
		tmp, ours := b.temporary()
		require.NoError(t, os.Symlink(elsewhere, ours))
		private(t, b, tmp, ours)
		require.Empty(t, below(t, elsewhere))
	})
	t.Run("of another user", func(t *testing.T) {
		if os.Getuid() != 0 {
			t.Skip("only root can give a folder away")
		}
		b := newBench(t)
		tmp, ours := b.temporary()
		require.NoError(t, os.Mkdir(ours, 0o700))
		require.NoError(t, os.Chown(ours, 65534, 65534))
		private(t, b, tmp, ours)
	})
	t.Run("in a relative folder for temporary files", func(t *testing.T) {
		b := newBench(t)
		tmp, ours := b.temporary()
		require.NoError(t, os.Mkdir(ours, 0o755))
		t.Chdir(filepath.Dir(tmp))
		t.Setenv("TMPDIR", filepath.Base(tmp))
		private(t, b, tmp, ours)
	})
	for name, make := range map[string]func(path string) error{
		"a file":         func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"a link to none": func(path string) error { return os.Symlink("nowhere", path) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			tmp, ours := b.temporary()
			require.NoError(t, make(ours))
			o := b.ask(b.claude("PreToolUse", b.tells("a", text)))
			require.NotEmpty(t, o.Texts[0].File, o.Warnings)
			require.Equal(t, tmp, filepath.Dir(filepath.Dir(o.Texts[0].File)))
		})
	}
}

// A long context beside a block is as short as any: the client shows both.
func TestLongContextBesideABlock(t *testing.T) {
	b := newBench(t)
	b.temporary()
	o := b.ask(b.claude("PreToolUse", b.tells("a", strings.Repeat("x", limit+1)), command("echo no >&2; exit 2")))
	require.Equal(t, protocol.Block, o.Decision)
	require.FileExists(t, o.Texts[0].File)
	line, err := form.JSON(o.Outcome)
	require.NoError(t, err)
	var printed struct{ Inject []protocol.Text }
	require.NoError(t, json.Unmarshal(line, &printed))
	require.Equal(t, o.Texts, printed.Inject)
}

// TestFitReason: what matters first stays, within the client's limit, and a file has the whole reason.
func TestFitReason(t *testing.T) {
	b := newBench(t)
	_, ours := b.temporary()
	const limit = 500
	hint := "\n" + dialect.ApproveHint + "abcdef"
	for _, reason := range []string{"", strings.Repeat("x", limit), strings.Repeat("ä", limit), "short" + hint} {
		require.Equal(t, reason, engine.FitReason(reason, limit))
	}
	long := "no pushing: " + strings.Repeat("ä", 2*limit)
	require.Equal(t, long, engine.FitReason(long, 0), "no limit is known")
	require.Empty(t, below(t, filepath.Dir(ours)))
	for i, reason := range []string{long, long + hint} {
		got := engine.FitReason(reason, limit)
		require.LessOrEqual(t, len(got), limit)
		require.True(t, strings.HasPrefix(got, "no pushing: ää"), got)
		require.Equal(t, i == 1, strings.HasSuffix(got, hint), got)
		_, rest, found := strings.Cut(got, "all of it is in ")
		require.True(t, found, got)
		path, _, _ := strings.Cut(rest, " ")
		whole, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, reason, string(whole))
	}
	b.Setenv("TMPDIR", b.Path("missing"))
	require.Contains(t, engine.FitReason(long, limit), "the rest is lost")
}
