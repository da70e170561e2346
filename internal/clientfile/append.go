package clientfile

// Object is an object that is to be written, its keys in this order.
type Object []Member

// Member is one of its keys, with the JSON text of its value.
type Member struct{ Key, Value string }

// AppendTo returns a JSON file without comments with objects behind the elements of the list that a key of it has. All that is there
// stays, and what is added is written as that is. "" is a file that is not there; a list that is not there is made.
func AppendTo(text, key string, objects []Object) (string, error) {
	list := &node{key: key, brackets: "[]"}
	for _, o := range objects {
		n := &node{brackets: "{}"}
		for _, m := range o {
			n.inside = append(n.inside, &node{key: m.Key, literal: m.Value})
		}
		list.inside = append(list.inside, n)
	}
	file := &node{brackets: "{}", inside: []*node{list}}
	if text == "" {
		return ownStyle.write(file, "", true) + "\n", nil
	}
	d, err := new(Client).parse(text, "")
	if err != nil {
		return "", err
	}
	s, top := d.style(), d.top()
	there, found := d.get(top, key)
	indent, lines := d.lineIndent(there.start)
	switch {
	case len(d.members(top)) == 0:
		return d.apply([]edit{{top.span, s.write(file, "", true)}}), nil
	case !found:
		return d.apply(d.add(s, top, s.lines, list)), nil
	case len(d.members(there.value)) == 0:
		list.key = ""
		return d.apply([]edit{{there.value.span, s.write(list, indent, lines)}}), nil
	}
	return d.apply(d.add(s, there.value, lines, list.inside...)), nil
}
