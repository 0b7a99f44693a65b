package diag

import "slices"

// Expansion is one use of a macro.
type Expansion struct {
	Macro string // the name of the macro
	Def   Pos    // the name in the macro's definition; NoPos for a predefined macro
	At    Pos    // where it was used; the use may itself stand in an expansion

	root Pos // what At resolves to
}

// ExpansionID names an Expansion of a FileSet.
type ExpansionID int32

// expandedToken is the place of one token that a macro brought.
type expandedToken struct {
	spelled Pos
	id      ExpansionID // complemented when the token came as an argument
	root    Pos         // what it resolves to: expansions within expansions may be thousands deep
}

// NewExpansion records the use of a macro, to be followed by ExpansionPos for each token that it
// brings.
func (fs *FileSet) NewExpansion(macro string, def, at Pos) ExpansionID {
	fs.expansions = append(fs.expansions, Expansion{macro, def, at, fs.Resolve(at)})
	return ExpansionID(len(fs.expansions) - 1)
}

// ExpansionPos returns the position of a token that an expansion brought and that is written at
// spelled: in the macro's definition, or, when it came as an argument, where the macro was used.
func (fs *FileSet) ExpansionPos(id ExpansionID, spelled Pos, argument bool) Pos {
	root := fs.expansions[id].root
	if argument {
		id, root = ^id, fs.Resolve(spelled)
	}
	fs.expanded = append(fs.expanded, expandedToken{spelled, id, root})
	return -Pos(len(fs.expanded))
}

// AddExpansion returns the position of a token that the use of a macro at a place brought, and that
// is written at spelled.
func (fs *FileSet) AddExpansion(macro string, at, spelled Pos) Pos {
	if n := len(fs.expansions); n > 0 && fs.expansions[n-1] == (Expansion{Macro: macro, At: at, root: fs.Resolve(at)}) {
		return fs.ExpansionPos(ExpansionID(n-1), spelled, false)
	}
	return fs.ExpansionPos(fs.NewExpansion(macro, NoPos, at), spelled, false)
}

// step looks one expansion through: where the token is written, whether it came as an argument, and
// of which use.
func (fs *FileSet) step(p Pos) (spelled Pos, argument bool, e *Expansion) {
	t := fs.expanded[-p-1]
	if t.id < 0 {
		return t.spelled, true, &fs.expansions[^t.id]
	}
	return t.spelled, false, &fs.expansions[t.id]
}

// Resolve returns the place in a file that a reader would look for p: p itself, or where the
// outermost macro was used, or the argument of that use which the token came from.
func (fs *FileSet) Resolve(p Pos) Pos {
	if p < 0 {
		return fs.expanded[-p-1].root
	}
	return p
}

// Spelled returns the place in a file where the token at p is written, which for one that a macro
// brought lies in the macro's definition.
func (fs *FileSet) Spelled(p Pos) Pos {
	for p < 0 {
		p, _, _ = fs.step(p)
	}
	return p
}

// ExpansionStep is one macro on the way from a token to the text that the user wrote.
type ExpansionStep struct {
	Macro string
	Pos   Pos // a place in a file: the token in the macro's definition, or the definition itself
}

// ExpansionSteps returns the macros that brought the token at p, the innermost first. It is empty
// for text that no macro brought.
func (fs *FileSet) ExpansionSteps(p Pos) []ExpansionStep {
	var steps []ExpansionStep
	for p < 0 {
		spelled, argument, e := fs.step(p)
		if argument {
			steps = append(steps, ExpansionStep{e.Macro, e.Def})
			p = spelled
		} else {
			steps = append(steps, ExpansionStep{e.Macro, fs.Spelled(spelled)})
			p = e.At
		}
	}
	return steps
}

// Range returns the part of one file that a diagnostic from pos to end is about, macros resolved.
// The end of a token that a macro brought is that of the name or number which stands where it
// resolves to. Where end says nothing, or lies elsewhere, it is one byte.
func (fs *FileSet) Range(pos, end Pos) (start, stop Pos) {
	start, stop = fs.Resolve(pos), fs.Resolve(end)
	f := fs.File(start)
	if f == nil {
		return start, start + 1
	}
	if end < 0 && f.Contains(stop) {
		stop += Pos(wordLength(f.Text[f.Offset(stop):]))
	}
	if !f.Contains(stop) || stop < start+1 {
		stop = start + 1
	}
	return start, stop
}

// wordLength returns the bytes of the name or number that a text begins with.
func wordLength(text string) int {
	for i := range len(text) {
		switch c := text[i]; {
		case c == '_', c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
		default:
			return i
		}
	}
	return len(text)
}

// maxSteps is how many macros of a chain are worth showing: half of them from either end.
const maxSteps = 10

// visibleSteps returns the macros that a reader is shown: those that text defines, and of a long
// chain both ends.
func (fs *FileSet) visibleSteps(p Pos) []ExpansionStep {
	steps := fs.ExpansionSteps(p)
	steps = slices.DeleteFunc(steps, func(s ExpansionStep) bool { return !s.Pos.IsValid() })
	if len(steps) > maxSteps {
		steps = slices.Delete(steps, maxSteps/2, len(steps)-maxSteps/2)
	}
	return steps
}
