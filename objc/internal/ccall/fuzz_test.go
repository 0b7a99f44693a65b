//go:build (darwin || linux) && (amd64 || arm64)

package ccall

import (
	"testing"

	"github.com/puremetal/puremetal/internal/typeenc"
)

// FuzzPlan asserts that every signature either is refused or gets a plan whose
// operations stay inside the arguments and the frame, and whose arguments do
// not overlap.
func FuzzPlan(f *testing.F) {
	for _, c := range placements {
		f.Add(c.enc)
	}
	f.Add("v[0{E=}]{?=[268435456{E=}]}")
	f.Add("v{?=[3b4]}")
	f.Fuzz(func(t *testing.T, enc string) {
		sig, err := typeenc.ParseFunction(enc)
		if err != nil {
			return
		}
		for _, arch := range []string{"amd64", "arm64"} {
			if p, err := NewPlanFor(arch, sig); err == nil {
				checkPlan(t, p)
			}
		}
	})
}

func checkPlan(t *testing.T, p *Plan) {
	args := p.argWords - p.head
	for _, op := range p.ops {
		n := 1
		if op.kind == opCopy {
			n = int(op.n)
		}
		inArgs := int(op.src)+n <= args
		if op.kind == opAddr {
			inArgs = int(op.src) < p.size
		}
		if !inArgs || int(op.dst)+n > p.size || op.dst < frameX8 {
			t.Fatalf("%s %q: operation %+v outside %d argument words and a frame of %d", p.arch, p.sig.Encoding, op, args,
				p.size)
		}
	}
	for _, op := range p.rets {
		if int(op.src) >= p.size || int(op.dst) >= p.retWords {
			t.Fatalf("%s %q: operation %+v outside the frame or the result", p.arch, p.sig.Encoding, op)
		}
	}
	if p.result+p.retWords > p.size || p.size%2 != 0 {
		t.Fatalf("%s %q: result at %d of %d words in a frame of %d", p.arch, p.sig.Encoding, p.result, p.retWords, p.size)
	}
	type place struct {
		kind  LocKind
		index int
	}
	taken := map[place]bool{}
	if p.layout.ret.Indirect {
		taken[place{p.layout.ret.Locs[0].Kind, 0}] = true
	}
	for i, a := range p.layout.args {
		for _, l := range a.Locs {
			n := 1
			if l.Kind == OnStack {
				n = l.Size
			}
			for b := range n {
				at := place{l.Kind, l.Index + b}
				if taken[at] {
					t.Fatalf("%s %q: argument %d overlaps another in %s", p.arch, p.sig.Encoding, i, p.ArgString(i))
				}
				taken[at] = true
			}
			if l.Kind == OnStack && l.Index+l.Size > p.layout.stackBytes {
				t.Fatalf("%s %q: argument %d lies outside the stack", p.arch, p.sig.Encoding, i)
			}
		}
	}
}
