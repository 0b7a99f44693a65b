package check

// symTable maps names to the symbols of a scope. Most scopes have few, for which a list is cheaper
// than a map.
type symTable struct {
	list   []*sym
	byName map[string]*sym // of all, once there are many
}

// of returns the symbol of a name, or nil.
func (t *symTable) of(name string) *sym {
	if t.byName != nil {
		return t.byName[name]
	}
	for _, y := range t.list {
		if y.name == name {
			return y
		}
	}
	return nil
}

// add adds a symbol whose name is new.
func (t *symTable) add(y *sym) {
	const few = 8
	t.list = append(t.list, y)
	switch {
	case t.byName != nil:
		t.byName[y.name] = y
	case len(t.list) > few:
		t.byName = make(map[string]*sym, 2*len(t.list))
		for _, y := range t.list {
			t.byName[y.name] = y
		}
	}
}

func (t *symTable) empty() bool { return len(t.list) == 0 }

// all calls f for each symbol in insertion order until f returns false.
func (t *symTable) all(f func(*sym) bool) {
	for _, y := range t.list {
		if !f(y) {
			return
		}
	}
}
