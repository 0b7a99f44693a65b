package stress

import (
	"context"
	"os"
	"sync"
	"testing"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal"
	"github.com/puremetal/puremetal/internal/test/settle"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMain makes four software devices, on which kernels that spin are given up soon.
func TestMain(m *testing.M) {
	for name, value := range map[string]string{
		"PUREMETAL_DRIVER": "software", "PUREMETAL_SOFTWARE_DEVICES": "4", "PUREMETAL_SOFTWARE_FUEL": "16777216",
		"PUREMETAL_SOFTWARE_EVENT_TIMEOUT": "10m",
	} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

const source = `#include <metal_stdlib>
using namespace metal;
kernel void number(device uint* x [[buffer(0)]], constant uint& k [[buffer(1)]], uint i [[thread_position_in_grid]]) { x[i] = i + k; }
kernel void plus(device uint* x [[buffer(0)]], constant uint& k [[buffer(1)]], uint i [[thread_position_in_grid]]) { x[i] += k; }
kernel void twice(device uint* x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i] *= 2; }
kernel void carry(device uint* x [[buffer(0)]], device const uint* y [[buffer(1)]], uint i [[thread_position_in_grid]]) { x[i] += y[i]; }
kernel void hits(device atomic_uint* n [[buffer(0)]]) { atomic_fetch_add_explicit(n, 1u, memory_order_relaxed); }
kernel void spin(device volatile uint* x [[buffer(0)]]) { while (x[0] == 0) { x[1] = x[1] + 1; } }
`

// failure is an error that ends a goroutine of a test.
type failure struct{ err error }

// must returns v, or ends the goroutine with the error.
func must[T any](v T, err error) T {
	do(err)
	return v
}

// do ends the goroutine with the first error, if there is one.
func do(errs ...error) {
	for _, err := range errs {
		if err != nil {
			panic(failure{err})
		}
	}
}

// together runs f on n goroutines, each in an autorelease pool of its own; errors that must and do
// meet fail the test.
func together(t *testing.T, n int, f func(i int)) {
	t.Helper()
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			defer func() {
				switch p := recover().(type) {
				case nil:
				case failure:
					t.Errorf("goroutine %d: %v", i, p.err)
				default:
					panic(p)
				}
			}()
			objc.Pool(func() { f(i) })
		})
	}
	wg.Wait()
}

// machine is a device with its kernels.
type machine struct {
	mtl.Device
	library mtl.Library
	kernels map[string]mtl.ComputePipelineState
	hits    mtl.Buffer // a word that all add to
}

// names lists the kernels of source.
func names() []string { return []string{"number", "plus", "twice", "carry", "hits", "spin"} }

func newMachine(d mtl.Device) *machine {
	m := &machine{Device: d, kernels: map[string]mtl.ComputePipelineState{}}
	m.library = must(d.NewLibrary(source, mtl.CompileOptions{}))
	for _, name := range names() {
		f := must(m.library.NewFunction(name))
		p := must(mtl.NewComputePipelineDescriptor())
		p.SetComputeFunction(f)
		p.SetSupportIndirectCommandBuffers(true)
		state, _, err := d.NewComputePipelineStateWithDescriptor(p, 0)
		do(err)
		m.kernels[name] = state
		p.Release()
		f.Release()
	}
	m.hits = must(d.NewBuffer(4, mtl.ResourceStorageModeShared))
	return m
}

func (m *machine) release() {
	m.hits.Release()
	for _, k := range m.kernels {
		k.Release()
	}
	m.library.Release()
}

// inject has the device fail on demand.
func (m *machine) inject(f softmetal.Faults) {
	do(softmetal.Inject(softmetal.Opened(), objcsoft.ID(m.ID()), f))
}

// devices returns the four devices. When the test ends, and all its goroutines have, nothing may be
// left: no fault, no object, no memory.
func devices(t *testing.T) []mtl.Device {
	t.Helper()
	_, err := objc.CurrentDriver()
	require.NoError(t, err)
	ds, err := mtl.Devices()
	require.NoError(t, err)
	require.Len(t, ds, 4)
	objc.Release(objc.NewString("warm"))
	nothing := leaks(ds)
	t.Cleanup(objc.OnFault(func(f *objc.Fault) { t.Errorf("fault: %v", f) }))
	t.Cleanup(func() {
		nothing(t)
		mtl.ReleaseAll(ds)
	})
	return ds
}

// leaks returns what finds, later, whether there is more than now.
func leaks(ds []mtl.Device) func(t *testing.T) {
	before := objc.LiveObjects()
	return func(t *testing.T) {
		t.Helper()
		// A block goes with the goroutine that called it, which may be a moment behind.
		if !settle.AtMost(t, "live objects", before, objc.LiveObjects) {
			t.Log(objc.Leaks())
		}
		for i, d := range ds {
			u, err := softmetal.UsageOf(softmetal.Opened(), objcsoft.ID(d.ID()))
			require.NoError(t, err)
			assert.Zero(t, u, "device %d", i)
		}
	}
}

// run commits and waits.
func run(b mtl.CommandBuffer) error {
	do(b.Commit())
	return b.Wait(context.Background())
}

// line is a size of one dimension.
func line(n int) mtl.Size { return mtl.Size{Width: uint(n), Height: 1, Depth: 1} }

// word is a number as kernels read it.
func word(n uint32) []byte { return []byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)} }
