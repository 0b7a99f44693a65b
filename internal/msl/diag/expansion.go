package diag

import "slices"

// Expansion is one use of a macro.
type Expansion struct {
	Macro string // the name of the macro
	Def   Pos    // the name in the macro's definition; NoPos for a predefined macro
	At    Pos    // where it was used, which may itself be in an expansion

	root Pos // what At resolves to
}

// ExpansionID identifies an Expansion of a FileSet.
type ExpansionID int32

// expandedToken is the position of one token produced by a macro.
type expandedToken struct {
	spelled Pos
	id      ExpansionID // complemented if the token came from an argument
	root    Pos         // what it resolves to, cached because expansions may nest thousands deep
}

// NewExpansion records the use of a macro. ExpansionPos must then be called for each token it
// produces.
func (fs *FileSet) NewExpansion(macro string, def, at Pos) ExpansionID {
	fs.expansions = append(fs.expansions, Expansion{macro, def, at, fs.Resolve(at)})
	return ExpansionID(len(fs.expansions) - 1)
}

// ExpansionPos returns the position of a token produced by an expansion. spelled is where the token
// is written: in the macro's definition or, for a token of an argument, where the macro was used.
func (fs *FileSet) ExpansionPos(id ExpansionID, spelled Pos, argument bool) Pos {
	root := fs.expansions[id].root
	if argument {
		id, root = ^id, fs.Resolve(spelled)
	}
	fs.expanded = append(fs.expanded, expandedToken{spelled, id, root})
	return -Pos(len(fs.expanded))
}

// AddExpansion returns the position of a token, written at spelled, that a use of the macro at a
// place produces.
func (fs *FileSet) AddExpansion(macro string, at, spelled Pos) Pos {
	if n := len(fs.expansions); n > 0 && fs.expansions[n-1] == (Expansion{Macro: macro, At: at, root: fs.Resolve(at)}) {
		return fs.ExpansionPos(ExpansionID(n-1), spelled, false)
	}
	return fs.ExpansionPos(fs.NewExpansion(macro, NoPos, at), spelled, false)
}

// step goes through one expansion: it returns where the token is written, whether it came from an
// argument, and the expansion.
func (fs *FileSet) step(p Pos) (spelled Pos, argument bool, e *Expansion) {
	t := fs.expanded[-p-1]
	if t.id < 0 {
		return t.spelled, true, &fs.expansions[^t.id]
	}
	return t.spelled, false, &fs.expansions[t.id]
}

// Resolve returns the place in a file where a reader would look for p: p itself, the place where
// the outermost macro was used, or the argument of that use that the token came from.
func (fs *FileSet) Resolve(p Pos) Pos {
	if p < 0 {
		return fs.expanded[-p-1].root
	}
	return p
}

// Spelled returns the place in a file where the token at p is written. For a token from a macro's
// body, that is in the macro's definition.
func (fs *FileSet) Spelled(p Pos) Pos {
	for p < 0 {
		p, _, _ = fs.step(p)
	}
	return p
}

// ExpansionStep is one macro between a token and the text the user wrote.
type ExpansionStep struct {
	Macro string
	Pos   Pos // a place in a file: the token in the macro's definition, or the definition itself
}

// ExpansionSteps returns the macros that produced the token at p, innermost first. It is empty for
// text that is not from a macro.
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

// Range returns the part of one file that a diagnostic from pos to end covers, with macros
// resolved. If end is a token from a macro, the range ends after the name or number at the place
// end resolves to. If end is invalid or in another file, the range is one byte.
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

// wordLength returns the length in bytes of the name or number at the start of text.
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

// maxSteps is how many macros of a chain to show: half of them from each end.
const maxSteps = 10

// visibleSteps returns the macros to show to a reader: those defined in the source text, and only
// both ends of a long chain.
func (fs *FileSet) visibleSteps(p Pos) []ExpansionStep {
	steps := fs.ExpansionSteps(p)
	steps = slices.DeleteFunc(steps, func(s ExpansionStep) bool { return !s.Pos.IsValid() })
	if len(steps) > maxSteps {
		steps = slices.Delete(steps, maxSteps/2, len(steps)-maxSteps/2)
	}
	return steps
}

// Use returns the use of the outermost macro that made the token at p, and where it is in a file.
// It returns nil for a token that no macro made.
func (fs *FileSet) Use(p Pos) (use *Expansion, at Pos) {
	for p < 0 {
		_, _, use = fs.step(p)
		p = use.At
	}
	return use, p
}
