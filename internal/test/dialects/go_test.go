package dialects

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"path"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec/message"
	"github.com/puremetal/puremetal/internal/gokernel"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/test/dialects/gokernels"
	"github.com/puremetal/puremetal/internal/test/exectest"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
	"github.com/puremetal/puremetal/kernel"
	"github.com/puremetal/puremetal/simd"
)

// goKernels is the translation of package gokernels.
var goKernels = sync.OnceValues(func() (*gokernel.Result, error) {
	return gokernel.Translate(context.Background(), os.DirFS("../../.."), "internal/test/dialects/gokernels",
		gokernel.Options{})
})

// runGo runs a kernel by package kernel and on the device, with the same arguments, and compares
// what it wrote. It returns the arguments as it left them.
func runGo(t testing.TB, f any, g grid, args ...any) []any {
	t.Helper()
	r, err := goKernels()
	require.NoError(t, err)
	require.Empty(t, r.Refused)
	name := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	name = strings.TrimPrefix(path.Ext(name), ".")
	var k *gokernel.Kernel
	for _, x := range r.Kernels {
		if x.Name == name {
			k = x
		}
	}
	require.NotNil(t, k, "no kernel %s", name)
	l := testlaunch.Launch{Grid: g.global, Group: g.group, Buffers: map[int]testlaunch.Buffer{},
		ThreadgroupMemory: map[int]int{}, Textures: map[int]*testlaunch.Texture{},
		Samplers: map[int]ir.SamplerState{}, Fuel: 1 << 33}
	in := []reflect.Value{{}}
	next := 0
	slots, images := map[int]int{}, map[int]*kernel.Image{}
	for _, a := range k.Args {
		switch a.Kind {
		case "buffer":
			v := reflect.ValueOf(args[next])
			copied := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			reflect.Copy(copied, v)
			l.Buffers[a.Index] = testlaunch.Buffer{Data: append([]byte{}, memory(v)...)}
			slots[a.Index] = len(in)
			in = append(in, copied)
			next++
		case "texture":
			of := args[next].(*testlaunch.Texture)
			l.Textures[a.Index] = of.Clone()
			m, err := kernel.NewImage(of.Clone().Levels[0], of.Width, of.Height, of.Format)
			require.NoError(t, err)
			v := reflect.New(reflect.TypeOf(f).In(len(in))).Elem()
			v.FieldByName("Image").Set(reflect.ValueOf(m))
			images[a.Index] = m
			in = append(in, v)
			next++
		case "length":
			l.Buffers[a.Index] = testlaunch.Buffer{Data: binary.LittleEndian.AppendUint32(nil, uint32(in[len(in)-1].Len()))}
		default:
			v := reflect.New(reflect.TypeOf(args[next])).Elem()
			v.Set(reflect.ValueOf(args[next]))
			l.Buffers[a.Index] = testlaunch.Buffer{Data: encode(t, args[next])}
			in = append(in, v)
			next++
		}
	}
	exectest.Run(t, r.Module.IR.Func(k.As), l)
	fn := reflect.ValueOf(f)
	index := func(v [3]int) kernel.Index { return kernel.Index{X: uint32(v[0]), Y: uint32(v[1]), Z: uint32(v[2])} }
	require.NoError(t, kernel.Run(index(g.global), index(g.group), func(th *kernel.Thread) {
		own := append([]reflect.Value{}, in...)
		own[0] = reflect.ValueOf(th)
		fn.Call(own)
	}))
	var out []any
	for slot, i := range slots {
		want, have := memory(in[i]), l.Buffers[slot].Data
		if in[i].Type().Elem().Kind() == reflect.Float32 { // the bits of a NaN are the device's own
			for k := 0; k < len(want); k += 4 {
				w := math.Float32frombits(binary.LittleEndian.Uint32(want[k:]))
				h := math.Float32frombits(binary.LittleEndian.Uint32(have[k:]))
				if w != w && h != h {
					copy(have[k:k+4], want[k:k+4])
				}
			}
		}
		if !bytes.Equal(want, have) {
			size := int(in[i].Type().Elem().Size())
			for k := 0; k < len(want); k += size {
				require.Equal(t, want[k:k+size], have[k:k+size], "element %d of argument %d of %s", k/size, i, name)
			}
		}
	}
	for slot, m := range images {
		require.Equal(t, m.Bytes(), l.Textures[slot].Levels[0], "texture %d of %s, %s", slot, name, m.Format())
	}
	for _, v := range in[1:] {
		out = append(out, v.Interface())
	}
	return out
}

func TestGoIntegers(t *testing.T) {
	const n = 64
	g := line(n, 32)
	run := func(kernel any, sample any) {
		typ := reflect.TypeOf(sample)
		random := rand.New(rand.NewPCG(1, 2))
		list := func(n int, fill bool) any {
			v := reflect.MakeSlice(reflect.SliceOf(typ), n, n)
			for i := range n {
				x := random.Uint64() >> (random.Uint64() % 64)
				if random.Uint64()%4 == 0 {
					x = -x
				}
				if random.Uint64()%16 == 0 {
					x = 1 << (8*typ.Size() - 1)
				}
				if random.Uint64()%16 == 0 {
					x = ^uint64(0)
				}
				if fill {
					v.Index(i).Set(reflect.ValueOf(x).Convert(typ))
				}
			}
			return v.Interface()
		}
		runGo(t, kernel, g, list(n, true), list(n, true), list(n*32, false))
	}
	run(gokernels.Int8s, int8(0))
	run(gokernels.Uint8s, uint8(0))
	run(gokernels.Int16s, int16(0))
	run(gokernels.Uint16s, uint16(0))
	run(gokernels.Int32s, int32(0))
	run(gokernels.Uint32s, uint32(0))
	run(gokernels.Int64s, int64(0))
	run(gokernels.Uint64s, uint64(0))
}

// ints are n numbers, many of them near the limits.
func ints[T int32 | int64 | uint64](n int) []T {
	random := rand.New(rand.NewPCG(3, 4))
	list := make([]T, n)
	for i := range list {
		list[i] = T(random.Uint64() >> (random.Uint64() % 64))
		if random.Uint64()%2 == 0 {
			list[i] = -list[i]
		}
	}
	return list
}

func TestGoRules(t *testing.T) {
	const n = 48
	small := make([]int32, n)
	for i := range small {
		small[i] = int32(i*37%101 - 50)
	}
	t.Run("Conversions", func(t *testing.T) {
		x := ints[int64](n)
		for i := range x { // float32 of what an int64 holds again
			x[i] >>= 2
		}
		runGo(t, gokernels.Conversions, line(n, 16), x, make([]int64, n*16))
	})
	t.Run("Bits", func(t *testing.T) { runGo(t, gokernels.Bits, line(n, 16), ints[uint64](n), make([]int64, n*32)) })
	t.Run("Proven", func(t *testing.T) {
		for _, w := range []int32{0, 1, 3, -2, math.MaxInt32} {
			runGo(t, gokernels.Proven, line(n, 32), w, small, make([]int32, n))
		}
		runGo(t, gokernels.Proven, line(n, 32), int32(2), ints[int32](n), make([]int32, n))
	})
	t.Run("Narrow", func(t *testing.T) {
		runGo(t, gokernels.Narrow, line(n, 32), small, make([]int32, n))
		runGo(t, gokernels.Narrow, line(n, 32), ints[int32](n), make([]int32, n))
	})
	t.Run("Control", func(t *testing.T) { runGo(t, gokernels.Control, line(n, 16), small, make([]int32, n)) })
	t.Run("Scopes", func(t *testing.T) { runGo(t, gokernels.Scopes, line(n, 16), small, make([]int32, n)) })
	t.Run("Order", func(t *testing.T) { runGo(t, gokernels.Order, line(n, 16), small, make([]int32, n*8)) })
	t.Run("Functions", func(t *testing.T) { runGo(t, gokernels.Functions, line(n, 16), small, make([]int32, n*8)) })
	t.Run("Iterators", func(t *testing.T) { runGo(t, gokernels.Iterators, line(n, 16), small, make([]int32, n*16)) })
	t.Run("Values", func(t *testing.T) { runGo(t, gokernels.Values, line(n, 16), small, make([]int32, n*16)) })
	t.Run("Indices", func(t *testing.T) {
		g := grid{global: [3]int{6, 4, 2}, group: [3]int{3, 2, 1}}
		runGo(t, gokernels.Indices, g, kernel.Index{X: 3, Y: 1, Z: 2}, kernel.Index{X: 10, Y: 9, Z: 8},
			gokernels.Cells(n), make([]kernel.Index, n), make([]uint32, n))
	})
	t.Run("Structures", func(t *testing.T) {
		runGo(t, gokernels.Structures, line(n, 16), gokernels.Particles(n), make([]float32, n))
	})
	t.Run("Generics", func(t *testing.T) { runGo(t, gokernels.Generics, line(n, 16), small, make([]float32, n)) })
	t.Run("Tables", func(t *testing.T) { runGo(t, gokernels.Tables, line(n, 16), make([]float32, n)) })
	t.Run("Vectors", func(t *testing.T) {
		x, y := make([]simd.Float4, n), make([]simd.Int3, n)
		for i := range x {
			x[i], y[i] = simd.Float4{X: float32(i), Y: 0.5}, simd.Int3{X: int32(i), Y: -7, Z: 2}
		}
		runGo(t, gokernels.Vectors, line(n, 16), x, y, make([]float32, n))
	})
	t.Run("Spaces", func(t *testing.T) { runGo(t, gokernels.Spaces, line(64, 32), ints[int32](64), make([]int32, 64)) })
}

func TestGoFloats(t *testing.T) {
	special := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 1.5, -2.5, 0.5, -0.5, 3, 1e-40, 1e38, 3e38, 16777217,
		float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 1e-3, 123456.7, -7.25, 2.5}
	var x, y []float32
	for _, a := range special {
		for _, b := range special {
			x, y = append(x, a), append(y, b)
		}
	}
	runGo(t, gokernels.Floats, line(len(x), 20), x, y, make([]float32, 32*len(x)))
}

// A grid barrier waits for all threads of the grid.
func TestGoGridBarrier(t *testing.T) {
	x := make([]uint32, 256)
	for i := range x {
		x[i] = uint32(i*i%97 + 1)
	}
	out := runGo(t, gokernels.Scan, line(len(x), 32), x, make([]uint32, 8))
	sum := uint32(0)
	for _, v := range x {
		sum += v
	}
	require.Equal(t, sum, out[0].([]uint32)[len(x)-1])
}

// Messages have the text of kernel.Printf.
func TestGoPrintf(t *testing.T) {
	r, err := goKernels()
	require.NoError(t, err)
	x := append(ints[int64](20), 0, 1, -1, 65, math.MinInt64, math.MaxInt32)
	f := []float32{0, float32(math.Copysign(0, -1)), 1, -1.5, 1e-40, 3e38, float32(math.Inf(1)), float32(math.Inf(-1)),
		float32(math.NaN()), 0.1, 123456789, 1e-5, 99999.95}
	for len(f) < len(x) {
		f = append(f, float32(len(f))*-0.37)
	}
	var want bytes.Buffer
	before := kernel.SetOutput(&want)
	err = kernel.Run(kernel.Index{X: uint32(len(x))}, kernel.Index{X: 1}, func(th *kernel.Thread) {
		gokernels.Prints(th, x, f)
	})
	kernel.SetOutput(before)
	require.NoError(t, err)
	length := binary.LittleEndian.AppendUint32(nil, uint32(len(x)))
	launch := testlaunch.Launch{Grid: [3]int{len(x), 1, 1}, Group: [3]int{1, 1, 1}, Fuel: 1 << 30,
		Buffers: map[int]testlaunch.Buffer{0: {Data: memory(reflect.ValueOf(x))}, 1: {Data: length},
			2: {Data: memory(reflect.ValueOf(f))}, 3: {Data: length}}}
	texts := make([]strings.Builder, len(x))
	launch.Log = func(m *message.Message) { texts[m.Group].WriteString(m.Text()) }
	require.NoError(t, exectest.Quick.Run(r.Module.IR.Func("Prints"), &launch))
	var have strings.Builder
	for i := range texts {
		have.WriteString(texts[i].String())
	}
	require.Equal(t, want.String(), have.String())
}
