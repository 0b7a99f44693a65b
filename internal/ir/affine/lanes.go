package affine

import (
	"maps"

	"github.com/puremetal/puremetal/internal/ir"
)

// Width is the number of lanes of a simdgroup.
const Width = 32

// Lanes has the addresses of the lanes of a simdgroup, relative to an address that they share.
type Lanes struct {
	N        int          // lanes that exist
	Relative [Width]int64 // bytes, by lane
	// Unit divides the shared address' distance from the base. 0 means that the distance is 0: all of
	// the address is in Relative.
	Unit int64
	// Symbolic says that neighboring lanes are at distances which only the launch knows: factors
	// from memory or from the grid. Relative is then meaningless.
	Symbolic bool
}

// form is a polynomial over atoms that a simdgroup's lanes share, with a factor for each lane.
type form map[mono]*[Width]int64

// Lanes returns the addresses of simdgroup s of a full threadgroup of that shape. ok is false if
// they are unknown.
func (a *Address) Lanes(shape [3]int, s int) (l Lanes, ok bool) {
	f, ok := (&simdgroup{shape, s, map[*Atom]form{}}).poly(a.Offset)
	if !ok {
		return l, false
	}
	l.N = min(Width, shape[0]*shape[1]*shape[2]-s*Width)
	for m, x := range f {
		switch {
		case m == mono{}:
			l.Relative = *x
		case !same(x):
			l.Symbolic = true
		default:
			l.Unit = gcd(l.Unit, x[0])
		}
	}
	return l, true
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}

func same(x *[Width]int64) bool {
	for _, y := range x {
		if y != x[0] {
			return false
		}
	}
	return true
}

// each returns a form of known numbers.
func each(f func(lane int) int64) form {
	x := &[Width]int64{}
	for l := range x {
		x[l] = f(l)
	}
	return form{mono{}: x}
}

// simdgroup evaluates polynomials for the lanes of a simdgroup.
type simdgroup struct {
	shape [3]int
	s     int
	done  map[*Atom]form // nil if unknown
}

func (e *simdgroup) poly(p *Poly) (form, bool) {
	out := form{}
	for i := range p.Terms {
		f := each(func(int) int64 { return p.Terms[i].Factor })
		for _, a := range p.Terms[i].Atoms() {
			g, known := e.done[a]
			if !known {
				g, _ = e.atom(a)
				e.done[a] = g
			}
			if g == nil {
				return nil, false
			}
			var ok bool
			if f, ok = f.times(g); !ok {
				return nil, false
			}
		}
		for m, x := range f {
			out.add(m, x)
		}
	}
	return out, true
}

func (f form) add(m mono, x *[Width]int64) {
	y := f[m]
	if y == nil {
		y = &[Width]int64{}
		f[m] = y
	}
	zero := true
	for l := range y {
		y[l] += x[l]
		zero = zero && y[l] == 0
	}
	if zero {
		delete(f, m)
	}
}

func (f form) times(g form) (form, bool) {
	out := form{}
	for m, x := range f {
		for n, y := range g {
			p, ok := m.times(n)
			if !ok {
				return nil, false
			}
			var z [Width]int64
			for l := range z {
				z[l] = x[l] * y[l]
			}
			out.add(p, &z)
		}
	}
	return out, true
}

// atom returns an atom's values in the simdgroup.
func (e *simdgroup) atom(a *Atom) (form, bool) {
	shape, s := e.shape, e.s
	index := func(lane int) int64 { return int64(s*Width + lane) }
	position := func(lane int) int64 {
		i := s*Width + lane
		return int64([3]int{i % shape[0], i / shape[0] % shape[1], i / shape[0] / shape[1]}[a.Lane])
	}
	switch a.Kind {
	case Function:
		return e.function(a)
	case Input:
		switch a.Input {
		case ir.ThreadPositionInThreadgroup:
			return each(position), true
		case ir.ThreadPositionInGrid:
			f := each(position)
			var w [Width]int64
			for l := range w {
				w[l] = int64(shape[a.Lane])
			}
			f.add(mono{a}, &w) // as a factor of a form, the atom is the position of the threadgroup
			return f, true
		case ir.ThreadIndexInThreadgroup:
			return each(index), true
		case ir.ThreadIndexInSimdgroup:
			return each(func(lane int) int64 { return int64(lane) }), true
		case ir.ThreadIndexInQuadgroup:
			return each(func(lane int) int64 { return int64(lane % 4) }), true
		case ir.SimdgroupIndexInThreadgroup:
			return each(func(int) int64 { return int64(s) }), true
		case ir.QuadgroupIndexInThreadgroup:
			return each(func(lane int) int64 { return index(lane) / 4 }), true
		case ir.ThreadsPerThreadgroup, ir.DispatchThreadsPerThreadgroup:
			return each(func(int) int64 { return int64(shape[a.Lane]) }), true
		case ir.ThreadsPerSimdgroup, ir.ThreadExecutionWidth:
			return each(func(int) int64 { return Width }), true
		case ir.SimdgroupsPerThreadgroup, ir.DispatchSimdgroupsPerThreadgroup:
			n := (shape[0]*shape[1]*shape[2] + Width - 1) / Width
			return each(func(int) int64 { return int64(n) }), true
		}
	}
	one := &[Width]int64{}
	for l := range one {
		one[l] = 1
	}
	return form{mono{a}: one}, true
}

// function returns a function of values in a simdgroup. What lanes share must be a multiple of a
// number that makes the function of a sum a sum again. No number does for Min and Max.
func (e *simdgroup) function(a *Atom) (form, bool) {
	arg, ok := e.poly(a.Arg)
	if !ok {
		return nil, false
	}
	unit, limit := a.By, a.Func == Min || a.Func == Max
	if !limit && a.Func != Quotient && a.Func != Remainder {
		for unit = 1; unit <= a.By; unit *= 2 {
		}
	}
	known, splits, uniform := arg[mono{}], true, true
	for m, x := range arg {
		uniform = uniform && same(x)
		if m != (mono{}) {
			splits = splits && !limit && same(x) && x[0]%unit == 0
		}
	}
	switch {
	case !splits && uniform:
		one := &[Width]int64{}
		for l := range one {
			one[l] = 1
		}
		return form{mono{a}: one}, true
	case !splits:
		return nil, false
	case known == nil:
		known = &[Width]int64{}
	}
	out := form{}
	switch a.Func {
	case Quotient:
		for m, x := range arg {
			if m != (mono{}) {
				y := *x
				for l := range y {
					y[l] /= unit
				}
				out[m] = &y
			}
		}
	case Or, Xor:
		out = maps.Clone(arg)
	}
	delete(out, mono{})
	var y [Width]int64
	for l := range y {
		y[l] = a.Func.of(known[l], a.By)
	}
	out.add(mono{}, &y)
	return out, true
}
