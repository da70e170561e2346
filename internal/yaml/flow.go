package yaml

// single reads a value that is no collection of lines: a scalar, an alias, or a collection in brackets. found says that it has
// properties; flow that it stands in brackets itself.
func (p *parser) single(v *Value, tag string, found bool, indent int, flow bool, depth int) *Value {
	at := p.at
	switch c := p.peek(); {
	case c == '[':
		v.Kind = List
		p.flowList(v, depth)
		p.tagged(v, tag)
	case c == '{':
		v.Kind = Map
		p.flowMap(v, depth)
		p.tagged(v, tag)
	case c == '"', c == '\'':
		p.scalar(v, tag, p.quoted(), false)
	case c == '*':
		p.at++
		name := p.name()
		known := p.anchors[name]
		switch {
		case found:
			p.fail(at, "an alias can have neither an anchor nor a tag")
		case known == nil:
			p.fail(at, "the alias *%s has no anchor before it", brief(name))
		case known.open:
			p.fail(at, "the alias *%s stands within what it stands for", brief(name))
		}
		p.separated(flow)
		return known
	case !p.plainBegins(p.at, flow):
		p.noValue()
	default:
		p.scalar(v, tag, p.plain(indent, flow), true)
	}
	v.open = false
	return v
}

// noValue is the fault of a character that no value begins with.
func (p *parser) noValue() {
	switch c := p.peek(); {
	case p.dash():
		p.fail(p.at, "a list item where none may stand; begin the list in a line of its own")
	case c == '?':
		p.fail(p.at, "a ? where none may stand; complex keys are not read, a text needs quotes")
	case c == ':':
		p.fail(p.at, "a colon without a key before it")
	case c == ',' || c == ']' || c == '}':
		p.fail(p.at, "found %c where a value belongs; a text that begins with it needs quotes", c)
	case c == '&' || c == '!':
		p.fail(p.at, "an anchor or a tag where none may stand; write both in one line, once")
	default:
		p.fail(p.at, "a text cannot begin with %c; put it in quotes", c)
	}
}

// name reads what follows & or *.
func (p *parser) name() string {
	from := p.at
	for ; ; p.at++ {
		switch c := p.peek(); {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-':
			continue
		}
		break
	}
	if p.at == from {
		p.fail(from, "a name of letters, digits, - and _ must follow & and *; a text that begins so needs quotes")
	}
	return p.doc[from:p.at]
}

// separated sees to it that an anchor, alias or tag ends here: what libyaml and PyYAML allow in their names differs.
func (p *parser) separated(flow bool) {
	if c := p.peek(); !p.blank(p.at) && !(flow && (c == ',' || c == ']' || c == '}')) {
		p.fail(p.at, "a blank must stand behind an anchor, an alias or a tag; a text that begins with & * or ! needs quotes")
	}
}

// properties reads an anchor and a tag, in either order.
func (p *parser) properties(v *Value, flow bool) (tag string, found bool) {
	anchored := false
	for {
		at := p.at
		c := p.peek()
		switch {
		case c == '&' && !anchored:
			p.at++
			if p.anchors == nil {
				p.anchors = map[string]*Value{}
			}
			p.anchors[p.name()] = v // before its value: an alias within would be endless
			anchored = true
		case c == '!' && tag == "":
			for p.at++; p.tagByte(); p.at++ {
			}
			tag = p.doc[at:p.at]
		default:
			return tag, found
		}
		p.separated(flow && c == '&') // a comma is part of a tag to some
		found = true
		p.blanks()
	}
}

func (p *parser) tagByte() bool {
	switch c := p.peek(); {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return true
	case c == '!':
		return p.doc[p.at-1] == '!' && (p.at < 2 || p.doc[p.at-2] != '!') // !!int; other handles need a directive
	case c == '_', c == '-', c == '.', c == '/', c == ':':
		return true
	}
	return false
}

// flowGap reads what may stand between the parts of a collection in brackets, which were opened at an offset.
func (p *parser) flowGap(opened int) byte {
	p.gap()
	if p.end() {
		p.fail(opened, "this %c has no end", p.doc[opened])
	}
	if p.anyMarker() {
		p.fail(p.at, "the document ends within brackets")
	}
	return p.doc[p.at]
}

// flowValue reads a value in brackets, null if there is none before the next comma or bracket.
func (p *parser) flowValue(opened, depth int) *Value {
	v := p.value(p.at, depth)
	tag, found := p.properties(v, true)
	if c := p.flowGap(opened); found && (c == ',' || c == ']' || c == '}' || c == ':') {
		if c == ':' { // readers differ on keys of nothing
			p.noValue()
		}
		p.scalar(v, tag, "", true)
		return v
	}
	return p.single(v, tag, found, -1, true, depth)
}

// flowKey says whether what was read from an offset is a key, and reads the colon. A key stands in one line.
func (p *parser) flowKey(from, line int) bool {
	if p.line != line {
		return false
	}
	p.blanks()
	if p.peek() != ':' {
		return false
	}
	p.keyLength(from, p.at)
	p.at++
	return true
}

// flowMember reads what stands behind the colon.
func (p *parser) flowMember(opened, depth int) *Value {
	if c := p.flowGap(opened); c == ',' || c == ']' || c == '}' {
		v := p.value(p.at, depth)
		v.open = false
		return v
	}
	return p.flowValue(opened, depth)
}

// flowNext reads the comma between two entries, or the bracket at the end, before which a comma may stand.
func (p *parser) flowNext(opened int, bracket byte) {
	switch c := p.flowGap(opened); c {
	case ',':
		p.at++
		p.flowGap(opened)
	case bracket:
	case ':':
		p.fail(p.at, "a colon where none may stand; a key is one word in one line, a text with a colon needs quotes")
	default:
		p.fail(p.at, "a comma or %c belongs here; the %c is still open", bracket, p.doc[opened])
	}
}

func (p *parser) flowList(v *Value, depth int) {
	opened := p.at
	p.at++
	for p.flowGap(opened) != ']' {
		at, line := p.at, p.line
		p.locate(at)
		began := p.known
		item := p.flowValue(opened, depth+1)
		if p.flowKey(at, line) { // [a: b] is a list of one mapping
			pair := &Value{Kind: Map, Line: began.line, Column: began.column}
			m := mapping{into: pair}
			p.member(&m, at, item, p.flowMember(opened, depth+2))
			p.merge(&m)
			item = pair
		}
		v.Items = append(v.Items, item)
		p.flowNext(opened, ']')
	}
	p.at++
}

func (p *parser) flowMap(v *Value, depth int) {
	opened := p.at
	p.at++
	m := mapping{into: v}
	for p.flowGap(opened) != '}' {
		at, line := p.at, p.line
		key := p.flowValue(opened, depth+1)
		var value *Value
		if p.flowKey(at, line) {
			value = p.flowMember(opened, depth+1)
		} else {
			value = p.value(p.at, depth+1)
			value.open = false
		}
		p.member(&m, at, key, value)
		p.flowNext(opened, '}')
	}
	p.at++
	p.merge(&m)
}
