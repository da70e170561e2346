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
	s, top, there := d.style(), &d.tree, get(&d.tree, key)
	switch {
	case len(object(top).Members) == 0:
		d.tree.Value = parsed(s.write(file, "", true)).Value
	case there == nil:
		s.add(top, "", s.lines, list)
	case len(elements(there)) == 0:
		indent, lines := d.lineOf(key)
		there.Value = parsed(s.write(list.value(), indent, lines)).Value
	default:
		indent, lines := d.lineOf(key)
		s.add(there, indent, lines, list.inside...)
	}
	return d.String(), nil
}
