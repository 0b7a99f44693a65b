package exectest

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/exec/ref"
	"github.com/puremetal/puremetal/internal/exec/vm"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/fuzztest"
)

// races notes whether two threads touch the same bytes and one of them writes, or threads touch threadgroup memory at all: random programs do not take care, and what they then give is open.
type races struct {
	hook.None
	by    map[uint64]int // by byte: 1 + the only thread that touched it, or -1
	wrote map[uint64]bool
	found bool
}

func (r *races) touch(a *hook.Access, writes bool) {
	if a.Space == ir.Thread {
		return
	}
	for l := range a.Lanes.All {
		thread := 1 + a.Group.Position[0]*1024 + a.First + l
		for i := range uint64(a.Size) {
			at := a.Addrs[l] + i
			if old := r.by[at]; old == 0 {
				r.by[at] = thread
			} else if old != thread {
				r.by[at] = -1
			}
			r.wrote[at] = r.wrote[at] || writes
			r.found = r.found || r.wrote[at] && r.by[at] < 0
		}
	}
}

func (r *races) Load(a *hook.Access)   { r.touch(a, false) }
func (r *races) Store(a *hook.Access)  { r.touch(a, true) }
func (r *races) Atomic(a *hook.Access) { r.touch(a, true) }

// TestRandomPrograms: random programs, compiled, leave the same on both engines: with one thread, and with many where they do not race.
func TestRandomPrograms(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	kernels, many := 0, 0
	for range 300 {
		data := make([]byte, 100+rng.IntN(700))
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		m, diags := msl.Compile(context.Background(), msl.Source{Name: "random.metal", Text: fuzztest.Program(data)}, msl.Options{NoWarnings: true})
		if failed(diags) {
			continue
		}
		for _, f := range m.IR.Funcs {
			for _, threads := range []int{1, 40} {
				l := ref.Launch{Grid: [3]int{threads}, Group: [3]int{32}, Fuel: 1 << 16, Buffers: map[int]ref.Buffer{}, Constants: map[int][]byte{}}
				for _, c := range f.Constants {
					l.Constants[c.Index] = []byte{byte(rng.IntN(3)), 0, 0, 0, 0, 0, 0, 0}
				}
				for slot := range 4 {
					b := make([]byte, 32*8)
					for i := range b {
						b[i] = byte(rng.Uint32())
					}
					l.Buffers[slot], l.Buffers[slot+16] = ref.Buffer{Data: b}, ref.Buffer{Data: append([]byte(nil), b...)}
				}
				if threads > 1 {
					r := &races{by: map[uint64]int{}, wrote: map[uint64]bool{}}
					c := copied(&l)
					e := vm.NewEngine(1)
					err := e.Run(context.Background(), vm.NewKernelWith(f, vm.KernelOptions{Hook: r}), Launch(t, &c))
					e.Close()
					if err != nil || r.found {
						continue
					}
					many++
				}
				c := copied(&l)
				if err := ref.Run(context.Background(), f, c); errors.Is(err, ref.ErrFuel) {
					continue // a loop that never ends
				}
				kernels++
				Run(t, f, l)
			}
		}
	}
	assert.Greater(t, kernels, 100)
	assert.Greater(t, many, 3)
}

func failed(diags []diag.Diagnostic) bool {
	for _, d := range diags {
		if d.Severity == diag.Error {
			return true
		}
	}
	return false
}
