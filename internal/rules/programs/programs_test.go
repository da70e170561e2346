package programs

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// eachRow calls see with the name and the words of each row.
func eachRow(see func(name, text string)) {
	for at := rowFrom(0); at < len(table); at = after(at) {
		see(rowAt(at))
	}
}

const lists = "operands line text idle loads saves replaces splits skips sends"

// TestRows: the rows are sorted, and have only words that the package explains.
func TestRows(t *testing.T) {
	before, rows := "", 0
	eachRow(func(name, text string) {
		rows++
		require.Less(t, before, name)
		before = name
		p, ok := Find(name)
		require.True(t, ok, name)
		require.NotEmpty(t, p.Name)
		require.LessOrEqual(t, strings.Count(text, "|"), 1, name)
		if strings.HasPrefix(text, " as ") {
			return
		}
		for field := range strings.FieldsSeq(p.words) {
			if list, _, ok := strings.Cut(field, "="); ok && !strings.ContainsAny(list, "?!") {
				require.True(t, In(lists, list), "%s: %s", name, field)
				continue
			}
			isNoFact := In("client statement binaries one-word parameters lints", field)
			require.True(t, isNoFact || factOf.Get()[wordOf(field)] != 0, "%s: %s", name, field)
		}
		for option := range strings.SplitSeq(p.List("idle")+","+p.List("line"), ",") {
			known := option == "" || len(option) == 1 && strings.Contains(p.Short, option) || In(p.Long, option) ||
				In(p.Long, option+":")
			require.True(t, known || p.Is(Language) || p.Short+p.Long == "", "%s %s", name, option)
		}
		if group, _, ok := strings.Cut(name, " "); ok && p.Is(Runs) {
			of, ok := Find(group)
			require.True(t, ok && of.Is(Group), name)
		}
	})
	require.GreaterOrEqual(t, rows, 434)
	require.Equal(t, []Fact{Names, Runs, Drops}, []Fact{factOf.Get()["names"], factOf.Get()["runs"],
		factOf.Get()["drops"]}, "the constants and factNames are in one order")
	for _, name := range []string{"", "#", "zz", "a", "~", "git3", "docker ", "-x"} {
		p, ok := Find(name)
		require.False(t, ok, name)
		require.Equal(t, []any{Maybe, Maybe, false}, []any{p.Shows(nil), p.Changes(nil), p.Does(Remote, nil)})
	}
	for name, row := range map[string]string{
		"python3.12": "python", "perl5.36-x86_64-linux-gnu": "perl", "fakeroot-tcp": "fakeroot", "vim.tiny": "ex",
	} {
		p, ok := Find(name)
		require.True(t, ok && p.Name == row, name)
	}
	for _, name := range []string{"x86_64-linux-gnu-gcc-12", "python3-x-linux-gnu-config", "head5", "-linux-gnu"} {
		_, ok := Find(name)
		require.False(t, ok, name)
	}
	require.Zero(t, testing.AllocsPerRun(10, func() { Find("python3.12"); Find("git") }))
}

func args(line string) (all []Word) {
	for text := range strings.FieldsSeq(line) {
		all = append(all, Word{Text: text, Computed: text == "$X"})
	}
	return all
}

func TestDoes(t *testing.T) {
	for _, c := range []struct {
		effect, line string
		want         bool
	}{
		{"publishes", "docker push x", true},
		{"publishes", "docker --context x push y", true},
		{"publishes", "podman buildx build . --push", true},
		{"publishes", "docker buildx build .", false},
		{"publishes", "yarn workspace a npm publish", true},
		{"publishes", "cargo +nightly publish", true},
		{"publishes", "cargo publish -n", false},
		{"publishes", "mvn deploy:deploy", true},
		{"formats", "wipefs -fa /dev/sda", true},
		{"formats", "wipefs /dev/sda", false},
		{"formats", "fdisk -l", false},
		{"formats", "fdisk /dev/sda", true},
		{"containers", "docker-compose down --vol", true},
		{"containers", "docker-compose down", false},
		{"cloud", "gcloud compute instances delete x", true},
		{"cloud", "gcloud x --name delete", false},
		{"cloud", "heroku apps:destroy:now", true},
		{"runs-text", "tar xf a --to-command=sh", true},
		{"runs-text", "tar xf $X", true},
		{"runs-text", "tar xf a", false},
		{"decodes", "openssl enc -d", true},
		{"remote", "openssl s_client", true},
		{"remote", "unknown x", false},
	} {
		name, line, _ := strings.Cut(c.line, " ")
		p, _ := Find(name)
		require.Equal(t, c.want, p.Does(factOf.Get()[c.effect], args(line)), "%s %s", c.effect, c.line)
	}
}

func TestShowsAndChanges(t *testing.T) {
	for line, want := range map[string][2]Answer{
		"cat a":             {Yes, No},
		"eza a":             {No, No},
		"b2sum a":           {No, No},
		"rm a":              {No, Yes},
		"sort a":            {Yes, No},
		"sort -ro b a":      {Yes, Maybe},
		"docker x":          {No, Maybe},
		"shellcheck a":      {Maybe, No},
		"vim a":             {Yes, Yes},
		"sed p a":           {Yes, Maybe},
		"npm-of-somebody a": {Maybe, Maybe},
		"xxd a b":           {Yes, Maybe},
	} {
		name, line, _ := strings.Cut(line, " ")
		p, _ := Find(name)
		require.Equal(t, want, [2]Answer{p.Shows(args(line)), p.Changes(args(line))}, name+" "+line)
	}
}

func TestOptions(t *testing.T) {
	p, _ := Find("xargs")
	all, rest, ok := p.Options(args("-0n1 x"))
	require.True(t, ok)
	require.Equal(t, []Option{{Name: "0"}, {Name: "n", Value: Word{Text: "1"}}}, all)
	require.Equal(t, args("x"), rest)
	all, rest, ok = p.Options(args("--max-args 1 x"))
	require.Equal(t, []any{[]Option{{Name: "max-args", Value: Word{Text: "1"}}}, args("x"), true}, []any{all, rest, ok})
	_, _, ok = p.Options(args("--max 1"))
	require.False(t, ok, "ambiguous")
	_, _, ok = p.Options(args("-Z"))
	require.False(t, ok)
	all, rest, ok = p.Options(args("-n"))
	require.True(t, ok && all == nil && rest == nil, "the value is missing")
}
