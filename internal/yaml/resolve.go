package yaml

import (
	"math"
	"strconv"
	"strings"
)

// scalar fills in a value: a text in quotes is a string, a plain one what it looks like, a tag decides if it fits.
func (p *parser) scalar(v *Value, tag, text string, plain bool) {
	v.open, v.Text = false, text
	switch v.Kind = String; tag {
	case "":
		if plain {
			v.resolve()
		}
	case "!", "!!int", "!!float", "!!bool", "!!null": // "5" may be a number, if a tag says so
		v.resolve()
	}
	switch tag {
	case "":
	case "!":
		if v.Kind != String || v.merge || !plain { // a string to libyaml, and what it looks like to PyYAML
			v.Kind, v.merge = Other, false
		}
	case "!!str":
	case "!!int":
		if v.Kind != Number || strings.ContainsAny(text, ".") || !strings.HasPrefix(text, "0x") && strings.ContainsAny(text, "eE") {
			v.Kind = Other
		}
	case "!!float":
		if n, err := strconv.ParseFloat(text, 64); err != nil || v.Kind != Number || n != v.Number {
			v.Kind = Other // 017 is 17 then, but not to all
		}
	case "!!bool":
		if v.Kind != Bool {
			v.Kind = Other
		}
	case "!!null":
		if v.Kind != Null {
			v.Kind = Other
		}
	default:
		v.Kind = Other
	}
}

// tagged applies a tag to a collection.
func (p *parser) tagged(v *Value, tag string) {
	switch {
	case tag == "", tag == "!", tag == "!!seq" && v.Kind == List, tag == "!!map" && v.Kind == Map:
	default:
		v.Kind, v.Items, v.Members = Other, nil, nil
	}
}

// resolve says what a plain text stands for.
func (v *Value) resolve() {
	switch v.Text {
	case "", "~", "null", "Null", "NULL":
		v.Kind = Null
		return
	case "true", "True", "TRUE":
		v.Kind, v.Text = Bool, "true"
		return
	case "false", "False", "FALSE":
		v.Kind, v.Text = Bool, "false"
		return
	case "<<":
		v.merge = true
		return
	}
	if n, ok := number(v.Text); ok {
		v.Kind, v.Number = Number, n
	}
}

// number reads 12, -1.5e3, 0x1f, 0b11, 017, 1_000, .inf, .nan.
func number(text string) (float64, bool) {
	switch text {
	case ".nan", ".NaN", ".NAN":
		return math.NaN(), true
	case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF":
		return math.Inf(1), true
	case "-.inf", "-.Inf", "-.INF":
		return math.Inf(-1), true
	}
	switch c := text[0]; {
	case c == '.':
	case '0' <= c && c <= '9', c == '+', c == '-':
		text = strings.ReplaceAll(text, "_", "")
	default:
		return 0, false
	}
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		return float64(n), true
	}
	if n, err := strconv.ParseUint(text, 0, 64); err == nil {
		return float64(n), true
	}
	for i := range len(text) { // ParseFloat reads words and hexadecimal numbers also
		switch c := text[i]; {
		case '0' <= c && c <= '9', c == '+', c == '-', c == '.', c == 'e', c == 'E':
		default:
			return 0, false
		}
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil
}
