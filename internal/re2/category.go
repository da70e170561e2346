package re2

import (
	"slices"
	"strings"
	"unicode"

	"github.com/hookrun/hookrun/internal/spans"
)

// category returns the characters of a category or a script. Case, blanks, - and _ in its name do not count. closed: it
// stays as it is where case does not count.
func category(name string) (s spans.Set, closed, ok bool) {
	name = strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune("_- ", r):
			return -1
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		}
		return r
	}, name)
	switch name {
	case "any":
		return spans.Set{{Lo: 0, Hi: unicode.MaxRune}}, true, true
	case "ascii":
		return spans.Set{{Lo: 0, Hi: unicode.MaxASCII}}, false, true
	case "assigned":
		s, _, _ = category("unassigned")
		return s.Complement(unicode.MaxRune), true, true
	}
	i, ok := slices.BinarySearchFunc(categories[:], name, func(c namedTable, name string) int { return strings.Compare(c.name, name) })
	if !ok {
		return nil, false, false
	}
	var all []spans.Span
	add := func(lo, hi, stride rune) {
		if stride == 1 {
			all = append(all, spans.Span{Lo: lo, Hi: hi})
			return
		}
		for r := lo; r <= hi; r += stride {
			all = append(all, spans.Span{Lo: r, Hi: r})
		}
	}
	table := *categories[i].table
	for _, x := range table.R16 {
		add(rune(x.Lo), rune(x.Hi), rune(x.Stride))
	}
	for _, x := range table.R32 {
		add(rune(x.Lo), rune(x.Hi), rune(x.Stride))
	}
	return spans.Union(all), table == unicode.LC, true // it would have one mark more, but not for package regexp
}

type namedTable struct {
	name  string
	table **unicode.RangeTable // where it is: what it is would be looked up at every start
}

// categories are all categories, and the scripts that many people read, in order. The other scripts would make the program larger by
// 17 KB for the one who asks for Ugaritic.
var categories = [...]namedTable{
	{"arabic", &unicode.Arabic}, {"armenian", &unicode.Armenian}, {"bengali", &unicode.Bengali},
	{"bopomofo", &unicode.Bopomofo}, {"c", &unicode.C}, {"casedletter", &unicode.LC}, {"cc", &unicode.Cc}, {"cf", &unicode.Cf},
	{"closepunctuation", &unicode.Pe}, {"cn", &unicode.Cn}, {"cntrl", &unicode.Cc}, {"co", &unicode.Co},
	{"combiningmark", &unicode.M}, {"common", &unicode.Common}, {"connectorpunctuation", &unicode.Pc},
	{"control", &unicode.Cc}, {"cs", &unicode.Cs}, {"currencysymbol", &unicode.Sc}, {"cyrillic", &unicode.Cyrillic},
	{"dashpunctuation", &unicode.Pd}, {"decimalnumber", &unicode.Nd}, {"devanagari", &unicode.Devanagari},
	{"digit", &unicode.Nd}, {"enclosingmark", &unicode.Me}, {"ethiopic", &unicode.Ethiopic}, {"finalpunctuation", &unicode.Pf},
	{"format", &unicode.Cf}, {"georgian", &unicode.Georgian}, {"greek", &unicode.Greek}, {"han", &unicode.Han},
	{"hangul", &unicode.Hangul}, {"hebrew", &unicode.Hebrew}, {"hiragana", &unicode.Hiragana},
	{"inherited", &unicode.Inherited}, {"initialpunctuation", &unicode.Pi}, {"katakana", &unicode.Katakana}, {"l", &unicode.L},
	{"latin", &unicode.Latin}, {"lc", &unicode.LC}, {"letter", &unicode.L}, {"letternumber", &unicode.Nl},
	{"lineseparator", &unicode.Zl}, {"ll", &unicode.Ll}, {"lm", &unicode.Lm}, {"lo", &unicode.Lo},
	{"lowercaseletter", &unicode.Ll}, {"lt", &unicode.Lt}, {"lu", &unicode.Lu}, {"m", &unicode.M}, {"mark", &unicode.M},
	{"mathsymbol", &unicode.Sm}, {"mc", &unicode.Mc}, {"me", &unicode.Me}, {"mn", &unicode.Mn},
	{"modifierletter", &unicode.Lm}, {"modifiersymbol", &unicode.Sk}, {"mongolian", &unicode.Mongolian}, {"n", &unicode.N},
	{"nd", &unicode.Nd}, {"nl", &unicode.Nl}, {"no", &unicode.No}, {"nonspacingmark", &unicode.Mn}, {"number", &unicode.N},
	{"openpunctuation", &unicode.Ps}, {"other", &unicode.C}, {"otherletter", &unicode.Lo}, {"othernumber", &unicode.No},
	{"otherpunctuation", &unicode.Po}, {"othersymbol", &unicode.So}, {"p", &unicode.P}, {"paragraphseparator", &unicode.Zp},
	{"pc", &unicode.Pc}, {"pd", &unicode.Pd}, {"pe", &unicode.Pe}, {"pf", &unicode.Pf}, {"pi", &unicode.Pi},
	{"po", &unicode.Po}, {"privateuse", &unicode.Co}, {"ps", &unicode.Ps}, {"punct", &unicode.P}, {"punctuation", &unicode.P},
	{"s", &unicode.S}, {"sc", &unicode.Sc}, {"separator", &unicode.Z}, {"sk", &unicode.Sk}, {"sm", &unicode.Sm},
	{"so", &unicode.So}, {"spaceseparator", &unicode.Zs}, {"spacingmark", &unicode.Mc}, {"surrogate", &unicode.Cs},
	{"symbol", &unicode.S}, {"tamil", &unicode.Tamil}, {"thai", &unicode.Thai}, {"titlecaseletter", &unicode.Lt},
	{"unassigned", &unicode.Cn}, {"uppercaseletter", &unicode.Lu}, {"yi", &unicode.Yi}, {"z", &unicode.Z}, {"zl", &unicode.Zl},
	{"zp", &unicode.Zp}, {"zs", &unicode.Zs},
}
