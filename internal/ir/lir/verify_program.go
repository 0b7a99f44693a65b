package lir

import "github.com/puremetal/puremetal/internal/ir"

// program checks properties of the whole program: the shape, its division into strips, and the
// memory of lanes.
func (v *verifier) program() {
	p := v.p
	threads := 1
	for _, n := range p.Shape {
		if n < 1 || n > ir.MaxThreads {
			v.errorf("threadgroups of %v threads", p.Shape)
			return
		}
		threads *= n
	}
	strips := 0
	if p.Lanes > 0 {
		strips = (threads + p.Lanes - 1) / p.Lanes
	}
	switch {
	case threads > ir.MaxThreads:
		v.errorf("threadgroups of %d threads", threads)
	case p.Lanes < 1 || p.Lanes > MaxLanes || p.Lanes > threads || p.Lanes < threads && p.Lanes%SimdWidth != 0:
		v.errorf("strips of %d lanes for %d threads", p.Lanes, threads)
	case p.Strips != strips:
		v.errorf("%d strips of %d lanes for %d threads", p.Strips, p.Lanes, threads)
	case len(p.Vars) > 0 && p.Vars[0] != (Var{Off: p.Vars[0].Off}):
		v.errorf("variable 0 is used")
	}
	if p.ThreadBytes < 0 || p.ThreadBytes > ir.MaxThreadBytes || p.ThreadBytes%4 != 0 {
		v.errorf("%d bytes of thread space", p.ThreadBytes)
	}
	if len(p.Allocas) != len(p.AllocaSizes) {
		v.errorf("%d variables in thread space of %d sizes", len(p.Allocas), len(p.AllocaSizes))
		return
	}
	for i, at := range p.Allocas {
		if n := p.AllocaSizes[i]; at < 0 || at%16 != 0 || n < 0 || at > p.ThreadBytes || n > p.ThreadBytes-at {
			v.errorf("variable %d of thread space has %d bytes from %d of %d on", i, n, at, p.ThreadBytes)
		}
	}
}

// frame checks the total size of a strip's variables, which is at most their sum.
func (v *verifier) frame() {
	p := v.p
	if p.Lanes < 1 || p.Lanes > MaxLanes {
		return
	}
	most := 0
	for i := range p.Vars {
		most += p.Vars[i].Bytes(p.Lanes) + ColumnAlign
	}
	if p.FrameBytes < 0 || p.FrameBytes > most || p.FrameBytes%ColumnAlign != 0 {
		v.errorf("a frame of %d bytes for %d variables", p.FrameBytes, len(p.Vars))
	}
}

// isElement reports whether variables may have elements of a kind.
func isElement(x *Var) bool {
	if x.Kind == ir.Matrix {
		return x.Elem == ir.F16 || x.Elem == ir.BF16 || x.Elem == ir.F32
	}
	return x.Kind.Bits() > 0
}
