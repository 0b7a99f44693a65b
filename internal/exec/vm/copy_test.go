package vm

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/ref"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// TestCopies: copies and clears of a few bytes, and of many more than exist, between all spaces,
// with addresses inside objects, at their ends and around the end of the offset range; some
// overlap.
func TestCopies(t *testing.T) {
	e := exec.NewEngine(1)
	defer e.Close()
	const size = 600
	for _, n := range []int64{0, 1, 7, 100, 300, 1 << 32} {
		for _, to := range []int64{0, 3, 590, 600, -5, -1 << 31, 1 << 39} {
			for _, from := range []int64{0, 10, 599, -300, 1 << 31, clearing} {
				if n == 1<<32 && (to > 600 || to < -5) { // the oracle would take forever
					continue
				}
				m := &ir.Module{}
				f := m.NewFunc("copies")
				f.Args = []ir.Arg{{Kind: ir.ArgBuffer}, {Kind: ir.ArgBuffer, Index: 1}, {Kind: ir.ArgBuffer, Index: 2}}
				b := ir.NewBuilder(f)
				out, in := b.Arg(0, ir.PointerTo(ir.Device)), b.Arg(1, ir.PointerTo(ir.Device))
				own := b.Alloca(size, "own")
				copyTo := func(at, source *ir.Value) {
					if from == clearing {
						b.OpImm(ir.OpClear, ir.TVoid, n, b.Field(at, to))
						return
					}
					b.OpImm(ir.OpCopy, ir.TVoid, n, b.Field(at, to), b.Field(source, from))
				}
				b.OpImm(ir.OpCopy, ir.TVoid, size, own, in)
				copyTo(own, in)
				copyTo(out, own)
				copyTo(out, out)
				copyTo(own, own)
				b.OpImm(ir.OpCopy, ir.TVoid, size, b.Field(out, size), own)
				b.Return()
				require.NoError(t, m.Verify())
				want := noise(2 * size)
				g := copiesLimited(m, 3*size) // the oracle goes byte by byte
				require.NoError(t, testlaunch.Launch{Grid: [3]int{1},
					Buffers: map[int]testlaunch.Buffer{0: {Data: want}, 1: {Data: noise(size + 1)}}}.Run(context.Background(),
					g.Funcs[0], ref.Run))
				have := noise(2 * size)
				sp := &exec.Space{}
				sp.Set(1, exec.Object{Data: have})
				sp.Set(2, exec.Object{Data: noise(size + 1)})
				require.NoError(t, e.Run(context.Background(), exec.NewKernel(f, exec.Options{Backend: Backend{}}),
					&exec.Launch{Grid: [3]int{1}, Space: sp, Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0)}}))
				if string(want) != string(have) {
					t.Errorf("%d bytes from %d to %d: something else than the oracle's", n, from, to)
				}
			}
		}
	}
}

const clearing = 1 << 50

// copiesLimited returns a module whose copies have at most that many bytes.
func copiesLimited(m *ir.Module, most int64) *ir.Module {
	c := *m
	f := m.Funcs[0].Clone()
	c.Funcs, f.Module = []*ir.Func{f}, &c
	f.Body.Walk(func(in *ir.Instr) bool {
		if in.Op == ir.OpCopy || in.Op == ir.OpClear {
			in.Imm = min(in.Imm, most)
		}
		return true
	})
	return &c
}
