//go:build (darwin || linux) && (amd64 || arm64)

package ccall

import "github.com/puremetal/puremetal/internal/typeenc"

// The procedure call standard for the Arm 64-bit architecture (AAPCS64) with
// Apple's changes: an argument on the stack takes its natural size and
// alignment, and a 16-byte aligned struct may start in an odd register. The
// caller extends narrow integers to 32 bits, which words are anyway.

const (
	armInts   = 8
	armFloats = 8
)

// apple64 hands out registers and stack: AAPCS64's NGRN, NSRN and NSAA.
type apple64 struct {
	ints, floats, stack int
}

func layoutApple64(sig *typeenc.Signature) layout {
	var l layout
	var a apple64
	if sig.Ret.Kind != typeenc.Void {
		l.ret = apple64Result(&sig.Ret)
	}
	for i := range sig.Args {
		l.args = append(l.args, a.arg(&sig.Args[i]))
	}
	l.stackBytes = a.stack
	return l
}

// apple64Result places a result. What would be passed in registers is returned
// in the same ones; anything else is written through x8.
func apple64Result(t *typeenc.Type) Placement {
	var a apple64
	pl := a.arg(t)
	if pl.Indirect {
		pl.Locs = []Loc{{Kind: ResultPtr, Size: 8}}
	}
	return pl
}

func (a *apple64) arg(t *typeenc.Type) Placement {
	if base, n := homogeneous(t); n > 0 {
		return a.vectors(t, base, n)
	}
	if t.Size > 16 {
		pl := a.scalar(8)
		pl.Indirect = true
		return pl
	}
	if t.Kind == typeenc.Vector { // of less than 8 bytes
		return a.scalar(4)
	}
	if !t.IsAggregate() {
		return a.scalar(t.Size)
	}
	words := (t.Size + 7) / 8
	if a.ints+words > armInts {
		// It goes to the stack whole, and no later argument gets a register.
		a.ints = armInts
		return a.spill(words*8, max(8, t.Align))
	}
	var pl Placement
	for off := 0; off < t.Size; off += 8 {
		pl.Locs = append(pl.Locs, Loc{Kind: InInt, Index: a.ints, Size: min(8, t.Size-off), Offset: off})
		a.ints++
	}
	return pl
}

// vectors places a value of n equal floating-point or vector members.
func (a *apple64) vectors(t *typeenc.Type, base, n int) Placement {
	if a.floats+n > armFloats {
		a.floats = armFloats
		return a.spill(t.Size, t.Align)
	}
	var pl Placement
	for i := range n {
		pl.Locs = append(pl.Locs, Loc{Kind: InFloat, Index: a.floats, Size: base, Offset: i * base})
		a.floats++
	}
	return pl
}

func (a *apple64) scalar(size int) Placement {
	if a.ints >= armInts {
		return a.spill(size, size)
	}
	loc := Loc{Kind: InInt, Index: a.ints, Size: size}
	a.ints++
	return Placement{Locs: []Loc{loc}}
}

func (a *apple64) spill(size, align int) Placement {
	a.stack = roundUp(a.stack, align)
	loc := Loc{Kind: OnStack, Index: a.stack, Size: size}
	a.stack += size
	return Placement{Locs: []Loc{loc}}
}

// member identifies the member type of a homogeneous aggregate.
type member struct {
	size   int
	vector bool
}

// homogeneous recognizes what is passed in 1 to 4 vector registers: a float, a
// double, a short vector, or an aggregate of up to four of one of them. It
// returns the member's size and the number of members, 0 where it is none.
func homogeneous(t *typeenc.Type) (size, n int) {
	var m member
	n, ok := m.count(t)
	if !ok || n < 1 || n > 4 || n*m.size != t.Size {
		return 0, 0
	}
	return m.size, n
}

// count returns the number of members in t, which must all be of one type:
// the first that is met.
func (m *member) count(t *typeenc.Type) (n int, ok bool) {
	switch t.Kind {
	case typeenc.Float, typeenc.Double, typeenc.Vector:
		this := member{t.Size, t.Kind == typeenc.Vector}
		if this.vector && t.Size < 8 {
			return 0, false
		}
		if m.size == 0 {
			*m = this
		}
		return 1, *m == this
	case typeenc.Array:
		n, ok = m.count(t.Elem)
		return min(n, 5) * min(t.Len, 5), ok // over 4 is as good as any
	case typeenc.Struct, typeenc.Union:
		for i := range t.Fields {
			k, ok := m.count(&t.Fields[i])
			if !ok {
				return 0, false
			}
			if t.Kind == typeenc.Union {
				n = max(n, k)
			} else {
				n += k
			}
		}
		return n, true
	}
	return 0, false
}
