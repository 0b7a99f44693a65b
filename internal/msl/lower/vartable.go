package lower

import "github.com/puremetal/puremetal/internal/msl/typed"

// varTable finds the variables of a frame, by their numbers in the function where those are unique.
type varTable struct {
	byID []*variable
	more map[*typed.Var]*variable
}

func newVarTable(n int) varTable { return varTable{byID: make([]*variable, n)} }

// of returns the declared variable for v, or nil.
func (t *varTable) of(v *typed.Var) *variable {
	if i := v.ID; i >= 0 && i < len(t.byID) {
		if x := t.byID[i]; x != nil && x.of == v {
			return x
		}
	}
	return t.more[v]
}

func (t *varTable) set(v *typed.Var, x *variable) {
	x.of = v
	if i := v.ID; i >= 0 && i < len(t.byID) && (t.byID[i] == nil || t.byID[i].of == v) {
		t.byID[i] = x
		return
	}
	if t.more == nil {
		t.more = map[*typed.Var]*variable{}
	}
	t.more[v] = x
}
