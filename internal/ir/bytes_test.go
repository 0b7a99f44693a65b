package ir

import (
	"reflect"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestBytes compares Func.Bytes with the bytes actually allocated while building the function.
func TestBytes(t *testing.T) {
	m := &Module{}
	small := m.NewFunc("small")
	assert.Zero(t, small.Bytes())
	f := m.NewFunc("large")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	b := NewBuilder(f)
	x := b.Int(TI32, 1)
	for range 500 {
		in := b.If(b.Op(OpEq, x, x), TI32)
		b.In(in.Regions[0], func() { b.Yield(b.Op(OpAdd, x, x)) })
		b.In(in.Regions[1], func() { b.Yield(x) })
		loop := b.Loop([]*Value{x, x}, TI32, TI32)
		b.In(loop.Regions[0], func() { b.Break(loop, loop.Regions[0].Params...) })
		x = loop.Results[0]
		f.Inlined = append(f.Inlined, Inline{Func: "callee"})
	}
	b.Return()
	runtime.ReadMemStats(&after)
	allocated := int64(after.TotalAlloc - before.TotalAlloc)
	assert.InEpsilon(t, allocated, f.Bytes(), 0.3, "%d allocated, %d said", allocated, f.Bytes())
	assert.Zero(t, small.Bytes())
}

func TestBytesOfTypes(t *testing.T) {
	assert.EqualValues(t, instrBytes, reflect.TypeFor[Instr]().Size()+2*refBytes)
	assert.EqualValues(t, valueBytes, reflect.TypeFor[Value]().Size())
	assert.EqualValues(t, refBytes, reflect.TypeFor[*Value]().Size())
	assert.EqualValues(t, regionBytes, reflect.TypeFor[Region]().Size()+2*refBytes)
	assert.EqualValues(t, inlineBytes, reflect.TypeFor[Inline]().Size())
}
