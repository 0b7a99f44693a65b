package mtl

import (
	"testing"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/test/bindtest"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/require"
)

// boundBenchObject returns an object whose methods do nothing, so that benchmarks measure the call
// itself.
func boundBenchObject(tb testing.TB, methods ...*objc.Method) objc.ID {
	tb.Helper()
	r := bindtest.NewRecorder(tb, &bindings)
	name := bindtest.Prefix + "Bench" + methods[0].Selector
	class := r.Runtime().Class(name)
	if class == nil {
		spec := objcsoft.ClassSpec{Name: name}
		for _, m := range methods {
			spec.Methods = append(spec.Methods,
				objcsoft.MethodSpec{Sel: m.Selector, Enc: m.Encoding, Imp: func(c *objcsoft.Call) {
					c.Return(uintptr(len(c.Args)) + 42)
				}})
		}
		var err error
		class, err = r.Runtime().Register(spec)
		require.NoError(tb, err)
	}
	id := objc.ID(r.Runtime().NewObject(class, nil))
	tb.Cleanup(func() { r.Release(id) })
	return id
}

// boundBenchCalls are a getter and a setter of each shape that encoders send often.
func boundBenchCalls(tb testing.TB) map[string]func() {
	length := &zmethods[mBufferLength]
	set := &zmethods[mComputeCommandEncoderSetBuffer]
	dispatch := &zmethods[mComputeCommandEncoderDispatchThreadgroups]
	buffer := BufferFrom(boundBenchObject(tb, length))
	encoder := objc.ID(boundBenchObject(tb, set, dispatch))
	grid, group := Size{1, 2, 3}, Size{4, 5, 6}
	return map[string]func(){
		"Getter":    func() { _ = buffer.Length() },
		"SetBuffer": func() { set.Call(encoder, buffer.Word(), 256, 3) },
		"Dispatch": func() {
			dispatch.Call(encoder, uintptr(grid.Width), uintptr(grid.Height), uintptr(grid.Depth), uintptr(group.Width),
				uintptr(group.Height), uintptr(group.Depth))
		},
	}
}

// BenchmarkBound measures generated calls on the software driver. The setters are spelled out as
// the generator writes them, since the methods of those names check their arguments first.
func BenchmarkBound(b *testing.B) {
	for name, call := range boundBenchCalls(b) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				call()
			}
		})
	}
}

// TestBoundAllocations: a bound call allocates nothing.
func TestBoundAllocations(t *testing.T) {
	if boundRace {
		t.Skip("with the race detector, pools forget what they hold")
	}
	for name, call := range boundBenchCalls(t) {
		if n := testing.AllocsPerRun(1000, call); n != 0 {
			t.Errorf("%s: %v allocations, want none", name, n)
		}
	}
}
