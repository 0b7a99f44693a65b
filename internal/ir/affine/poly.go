package affine

import (
	"cmp"
	"slices"

	"github.com/puremetal/puremetal/internal/ir"
)

// AtomKind is the kind of an atom.
type AtomKind uint8

// The kinds of atoms.
const (
	Input    AtomKind = iota // component Lane of an input of the launch
	Counter                  // the number of times that a loop's region has begun before, since the loop was entered
	Shared                   // lane Lane of a value that is the same in the active lanes of a simdgroup
	Function                 // a function of another polynomial and a constant
)

// Func is the function of a Function atom. Of its operands, the second is a constant, which is
// positive except for Min and Max.
type Func uint8

// The functions. They are those on integers of unlimited size in two's complement.
const (
	Quotient  Func = iota // rounded down
	Remainder             // never negative
	And
	Or
	Xor
	Min
	Max
)

// Atom is an unknown of a polynomial.
type Atom struct {
	Kind  AtomKind
	Input ir.Input
	Lane  int
	Loop  *ir.Instr // of a Counter
	Value *ir.Value // of Shared
	Func  Func
	Arg   *Poly // of a Function
	By    int64 // the constant
	// id orders the atoms of a kernel.
	id int
	// depth is how deep functions are nested: 0 for the other atoms.
	depth int
}

// nesting limits the depth of functions, since the work on a polynomial grows with each.
const nesting = 3

// degree is the largest number of atoms in a product, and most the largest number of terms.
const (
	degree = 3
	most   = 32
)

// mono is a product of atoms in the order of their ids, nil at the end.
type mono [degree]*Atom

func (m mono) times(n mono) (mono, bool) {
	list := make([]*Atom, 0, 2*degree)
	for _, a := range slices.Concat(m[:], n[:]) {
		if a != nil {
			list = append(list, a)
		}
	}
	if len(list) > degree {
		return mono{}, false
	}
	slices.SortFunc(list, func(a, b *Atom) int { return cmp.Compare(a.id, b.id) })
	var out mono
	copy(out[:], list)
	return out, true
}

func (m mono) compare(n mono) int {
	for i := range m {
		a, b := 0, 0
		if m[i] != nil {
			a = m[i].id
		}
		if n[i] != nil {
			b = n[i].id
		}
		if c := cmp.Compare(a, b); c != 0 {
			return c
		}
	}
	return 0
}

// Term is a product of atoms and a factor.
type Term struct {
	atoms  mono
	Factor int64
}

// Atoms returns the atoms of the product: none for the constant term.
func (t *Term) Atoms() []*Atom {
	n := 0
	for n < degree && t.atoms[n] != nil {
		n++
	}
	return t.atoms[:n:n]
}

// Poly is a polynomial: a sum of terms with different products. Its arithmetic wraps at 64 bits.
type Poly struct {
	Terms []Term // sorted; no factor is 0
}

func constant(c int64) *Poly {
	if c == 0 {
		return &Poly{}
	}
	return &Poly{[]Term{{Factor: c}}}
}

func (a *Atom) poly() *Poly { return &Poly{[]Term{{atoms: mono{a}, Factor: 1}}} }

// Constant returns the value of a polynomial without atoms.
func (p *Poly) Constant() (int64, bool) {
	switch {
	case len(p.Terms) == 0:
		return 0, true
	case len(p.Terms) == 1 && p.Terms[0].atoms == mono{}:
		return p.Terms[0].Factor, true
	}
	return 0, false
}

// plus returns p + by*q, nil if it has too many terms.
func (p *Poly) plus(q *Poly, by int64) *Poly {
	out := make([]Term, 0, len(p.Terms)+len(q.Terms))
	i, j := 0, 0
	for i < len(p.Terms) || j < len(q.Terms) {
		c := -1
		switch {
		case i == len(p.Terms):
			c = 1
		case j < len(q.Terms):
			c = p.Terms[i].atoms.compare(q.Terms[j].atoms)
		}
		var t Term
		switch {
		case c < 0:
			t, i = p.Terms[i], i+1
		case c > 0:
			t, j = Term{q.Terms[j].atoms, by * q.Terms[j].Factor}, j+1
		default:
			t = Term{p.Terms[i].atoms, p.Terms[i].Factor + by*q.Terms[j].Factor}
			i, j = i+1, j+1
		}
		if t.Factor != 0 {
			out = append(out, t)
		}
	}
	if len(out) > most {
		return nil
	}
	return &Poly{out}
}

// times returns p * q, nil if it has too many terms or factors.
func (p *Poly) times(q *Poly) *Poly {
	out := &Poly{}
	for _, a := range p.Terms {
		for _, b := range q.Terms {
			m, ok := a.atoms.times(b.atoms)
			if !ok {
				return nil
			}
			if out = out.plus(&Poly{[]Term{{m, 1}}}, a.Factor*b.Factor); out == nil {
				return nil
			}
		}
	}
	return out
}

func (p *Poly) equal(q *Poly) bool { return slices.Equal(p.Terms, q.Terms) }

// Value returns the value of a polynomial. atom gives those of inputs, counters and shared values.
func (p *Poly) Value(atom func(*Atom) int64) int64 {
	var sum int64
	for i := range p.Terms {
		x := p.Terms[i].Factor
		for _, a := range p.Terms[i].Atoms() {
			if a.Kind == Function {
				x *= a.Func.of(a.Arg.Value(atom), a.By)
			} else {
				x *= atom(a)
			}
		}
		sum += x
	}
	return sum
}

// of computes a function.
func (f Func) of(x, by int64) int64 {
	switch f {
	case And:
		return x & by
	case Or:
		return x | by
	case Xor:
		return x ^ by
	case Min:
		return min(x, by)
	case Max:
		return max(x, by)
	}
	rem := x % by
	if rem < 0 {
		rem += by
	}
	if f == Quotient {
		return (x - rem) / by
	}
	return rem
}

// unbounded is beyond every bound that matters.
const unbounded = int64(1) << 40

// bounds returns limits of a polynomial's values, at most unbounded in absolute value.
func (p *Poly) bounds() (low, high int64) {
	for i := range p.Terms {
		l, h := int64(1), int64(1)
		for _, a := range p.Terms[i].Atoms() {
			al, ah := a.bounds()
			l, h = product(l, h, al, ah)
		}
		f := p.Terms[i].Factor
		l, h = product(l, h, f, f)
		low, high = max(low+l, -unbounded), min(high+h, unbounded)
	}
	return low, high
}

func product(a, b, c, d int64) (low, high int64) {
	low, high = unbounded, -unbounded
	for _, x := range [4]float64{float64(a) * float64(c), float64(a) * float64(d), float64(b) * float64(c),
		float64(b) * float64(d)} {
		y := int64(max(min(x, float64(unbounded)), -float64(unbounded)))
		low, high = min(low, y), max(high, y)
	}
	return low, high
}

// bounds returns limits of an atom's values.
func (a *Atom) bounds() (low, high int64) {
	switch a.Kind {
	case Input:
		switch a.Input {
		case ir.ThreadPositionInThreadgroup, ir.ThreadIndexInThreadgroup:
			return 0, 1023
		case ir.ThreadIndexInSimdgroup, ir.SimdgroupIndexInThreadgroup:
			return 0, 31
		case ir.ThreadIndexInQuadgroup:
			return 0, 3
		case ir.QuadgroupIndexInThreadgroup:
			return 0, 255
		case ir.ThreadsPerThreadgroup, ir.DispatchThreadsPerThreadgroup:
			return 0, 1024
		case ir.ThreadsPerSimdgroup, ir.ThreadExecutionWidth:
			return 32, 32
		}
		return 0, 1<<31 - 1
	case Counter:
		return 0, unbounded
	case Function:
		switch a.Func {
		case Remainder:
			return 0, a.By - 1
		case And:
			return 0, a.By
		case Quotient:
			l, h := a.Arg.bounds()
			if l > -unbounded && h < unbounded {
				return Quotient.of(l, a.By), Quotient.of(h, a.By)
			}
		case Xor, Or:
			if l, h := a.Arg.bounds(); l >= 0 && h < unbounded {
				return 0, h + a.By
			}
		case Min, Max:
			l, h := a.Arg.bounds()
			return a.Func.of(l, a.By), a.Func.of(h, a.By)
		}
	}
	return -unbounded, unbounded
}
