package dialects

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/gokernel"
	"github.com/puremetal/puremetal/internal/test/dialects/gokernels"
	"github.com/puremetal/puremetal/internal/test/exectest"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
	"github.com/puremetal/puremetal/simd"
)

// translateGo translates the kernels of a file, none of which may be refused.
func translateGo(t testing.TB, text string) *gokernel.Result {
	t.Helper()
	r, err := gokernel.Translate(context.Background(), fstest.MapFS{
		"go.mod": {Data: []byte("module example\n")}, "k.go": {Data: []byte("package k\n\n" + text)}}, ".",
		gokernel.Options{})
	require.NoError(t, err, "%s", r.Text)
	require.Empty(t, r.Refused, "%s", text)
	return r
}

// simdTypes are all vectors of package simd that have methods, under their names.
func simdTypes() map[string]reflect.Type {
	m := map[string]reflect.Type{}
	add := func(name string, list ...any) {
		for i, v := range list {
			m[fmt.Sprint(name, i+2)] = reflect.TypeOf(v)
		}
	}
	add("Float", simd.Float2{}, simd.Float3{}, simd.Float4{})
	add("Bool", simd.Bool2{}, simd.Bool3{}, simd.Bool4{})
	add("Char", simd.Char2{}, simd.Char3{}, simd.Char4{})
	add("UChar", simd.UChar2{}, simd.UChar3{}, simd.UChar4{})
	add("Short", simd.Short2{}, simd.Short3{}, simd.Short4{})
	add("UShort", simd.UShort2{}, simd.UShort3{}, simd.UShort4{})
	add("Int", simd.Int2{}, simd.Int3{}, simd.Int4{})
	add("UInt", simd.UInt2{}, simd.UInt3{}, simd.UInt4{})
	add("Long", simd.Long2{}, simd.Long3{}, simd.Long4{})
	add("ULong", simd.ULong2{}, simd.ULong3{}, simd.ULong4{})
	add("Half", simd.Half2{}, simd.Half3{}, simd.Half4{})
	add("BFloat", simd.BFloat2{}, simd.BFloat3{}, simd.BFloat4{})
	return m
}

// goTypeName returns a type as a program writes it.
func goTypeName(t reflect.Type) string {
	// A type argument is named with the whole path of its package; kernels know halves as simd's.
	return strings.NewReplacer("github.com/puremetal/puremetal/simd/float16.", "simd.", "float16.", "simd.",
		"github.com/puremetal/puremetal/", "").Replace(t.String())
}

// randomNumbers fills a number, or all numbers of a vector.
func randomNumbers(r *rand.Rand, v reflect.Value) {
	small := func(of func(float32) uint64) uint64 {
		if r.IntN(4) == 0 {
			return r.Uint64() & 0xffff
		}
		return of(r.Float32()*8 - 4)
	}
	switch {
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Name != "_" {
				randomNumbers(r, v.Field(i))
			}
		}
	case v.Type() == reflect.TypeOf(simd.Half(0)):
		v.SetUint(small(func(f float32) uint64 { return uint64(simd.HalfOf(f)) }))
	case v.Type() == reflect.TypeOf(simd.BFloat16(0)):
		v.SetUint(small(func(f float32) uint64 { return uint64(simd.BFloat16Of(f)) }))
	case v.Kind() == reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case v.Kind() == reflect.Float32:
		list := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 1e-40, 3e38, float32(math.Inf(1)),
			float32(math.Inf(-1)), float32(math.NaN())}
		f := r.Float32()*8 - 4
		if i := r.IntN(4 * len(list)); i < len(list) {
			f = list[i]
		}
		v.SetFloat(float64(f))
	default:
		bits := r.Uint64() >> r.IntN(64)
		switch r.IntN(8) {
		case 0:
			bits = 1 << (v.Type().Bits() - 1)
		case 1:
			bits = math.MaxUint64
		}
		v.Set(reflect.ValueOf(bits).Convert(v.Type()))
	}
}

// sameNumbers reports whether values are equal, where all NaNs are.
func sameNumbers(a, b reflect.Value) bool {
	isNaN := func(v reflect.Value) bool {
		switch x := v.Interface().(type) {
		case simd.Half:
			f := x.Float32()
			return f != f
		case simd.BFloat16:
			f := x.Float32()
			return f != f
		case float32:
			return x != x
		}
		return false
	}
	if a.Kind() == reflect.Struct {
		for i := range a.NumField() {
			if a.Type().Field(i).Name != "_" && !sameNumbers(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	}
	if isNaN(a) && isNaN(b) {
		return true
	}
	if a.Kind() == reflect.Float32 {
		return math.Float32bits(float32(a.Float())) == math.Float32bits(float32(b.Float()))
	}
	return a.Interface() == b.Interface()
}

// quotientOrZero is the method of a vector, but a quotient by 0 is 0, as kernels have it.
func quotientOrZero(args []reflect.Value) reflect.Value {
	out := reflect.New(args[0].Type()).Elem()
	for i := range out.NumField() {
		x, y := args[0].Field(i), args[1].Field(i)
		switch {
		case !out.Field(i).CanSet(), y.IsZero():
		case x.CanInt():
			out.Field(i).SetInt(x.Int() / y.Int()) // wraps in the width
		default:
			out.Field(i).SetUint(x.Uint() / y.Uint())
		}
	}
	return out
}

// Every method of every vector of package simd is translated, and has the CPU's values. Swizzles
// are tested of one type of each family.
func TestGoVectorMethods(t *testing.T) {
	const n, group = 64, 32
	random := rand.New(rand.NewPCG(5, 6))
	var text strings.Builder
	text.WriteString("import (\n\"github.com/puremetal/puremetal/kernel\"\n" +
		"\"github.com/puremetal/puremetal/simd\"\n)\n")
	type part struct {
		vector, result reflect.Type
		methods        []reflect.Method
	}
	parts := map[string]*part{}
	all := simdTypes()
	var names []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		typ := all[name]
		for i := range typ.NumMethod() {
			m := typ.Method(i)
			swizzle := strings.Trim(m.Name, "XYZW") == ""
			if swizzle && !slices.Contains([]string{"Float", "Half", "Short", "Bool"}, name[:len(name)-1]) {
				continue
			}
			word := strings.NewReplacer("simd.", "", "[", "_", "]", "", ".", "_")
			key := name + "_" + word.Replace(goTypeName(m.Type.Out(0)))
			if parts[key] == nil {
				parts[key] = &part{vector: typ, result: m.Type.Out(0)}
				names = append(names, key)
			}
			parts[key].methods = append(parts[key].methods, m)
		}
	}
	for _, key := range names {
		p := parts[key]
		scalar := goTypeName(p.vector.Field(0).Type)
		vector := goTypeName(p.vector)
		fmt.Fprintf(&text, "//puremetal:kernel\nfunc %s(t *kernel.Thread, a, b []%s, s []%s, out []%s) {\n"+
			"i := int(t.Global.X)\nv, w := a[i], b[i]\n", key, vector, scalar, goTypeName(p.result))
		for k, m := range p.methods {
			arg := ""
			if m.Type.NumIn() == 2 {
				if arg = "w"; m.Name == "Scale" {
					arg = "s[i]"
				}
			}
			fmt.Fprintf(&text, "out[%d*i+%d] = v.%s(%s)\n", len(p.methods), k, m.Name, arg)
		}
		text.WriteString("_, _ = v, w\n}\n")
	}
	r := translateGo(t, text.String())
	for _, k := range r.Kernels {
		p := parts[k.Name]
		list := func(typ reflect.Type, n int) reflect.Value {
			v := reflect.MakeSlice(reflect.SliceOf(typ), n, n)
			for i := range n {
				randomNumbers(random, v.Index(i))
			}
			return v
		}
		a, b, s := list(p.vector, n), list(p.vector, n), list(p.vector.Field(0).Type, n)
		out := list(p.result, n*len(p.methods))
		l := testlaunch.Launch{Grid: [3]int{n, 1, 1}, Group: [3]int{group, 1, 1}, Buffers: map[int]testlaunch.Buffer{},
			Fuel: 1 << 33}
		for i, v := range []reflect.Value{a, b, s, out} {
			l.Buffers[2*i] = testlaunch.Buffer{Data: memory(v)}
			l.Buffers[2*i+1] = testlaunch.Buffer{Data: binary.LittleEndian.AppendUint32(nil, uint32(v.Len()))}
		}
		exectest.Run(t, r.Module.IR.Func(k.As), l)
		for i := range n {
			for j, m := range p.methods {
				args := []reflect.Value{a.Index(i)}
				if m.Name == "Scale" {
					args = append(args, s.Index(i))
				} else if m.Type.NumIn() == 2 {
					args = append(args, b.Index(i))
				}
				want := reflect.Value{}
				if scalar := p.vector.Field(0).Type; m.Name == "Div" && scalar.PkgPath() == "" &&
					scalar.Kind() != reflect.Float32 {
					want = quotientOrZero(args)
				} else {
					want = m.Func.Call(args)[0]
				}
				have := out.Index(i*len(p.methods) + j)
				require.True(t, sameNumbers(want, have), "%s.%s(%v): have %v, want %v", k.Name, m.Name, args, have, want)
			}
		}
	}
}

func TestGoVectors(t *testing.T) {
	const n = 32
	random := rand.New(rand.NewPCG(7, 8))
	numbers := func(list any) any {
		v := reflect.ValueOf(list)
		for i := range v.Len() {
			v.Index(i).Set(randomFinite(random, v.Index(i).Type()))
		}
		return list
	}
	t.Run("Methods", func(t *testing.T) {
		rays, x := gokernels.Rays(n)
		numbers(rays)
		numbers(x)
		runGo(t, gokernels.VectorMethods, line(n, 16), rays, x, make([]float32, 12*n))
	})
	t.Run("Halves", func(t *testing.T) {
		const n = 1 << 11
		h, b, f := make([]simd.Half, n), make([]simd.BFloat16, n), make([]float32, n)
		v := make([]simd.Half4, n)
		for i := range h {
			// NaNs have the device's bits: of those, only ones that a conversion does not change.
			h[i], b[i] = simd.Half(i<<5|random.IntN(32)), simd.BFloat16(random.Uint32())
			f[i] = math.Float32frombits(random.Uint32())
			if x := h[i].Float32(); x != x {
				h[i] = 0x7e00
			}
			if x := b[i].Float32(); x != x {
				b[i] = 0x3f80
			}
			if x := f[i]; x != x {
				f[i] = 1
			}
			v[i] = simd.Half4{X: simd.Half(i & 0x3fff), Y: 0x3c00, Z: simd.Half(i >> 4), W: 0xbc00}
			v[i] = v[i].Min(simd.Half4{X: 0x5000, Y: 0x5000, Z: 0x5000, W: 0x5000})
		}
		out := runGo(t, gokernels.Halves, line(n, 64), h, b, f, gokernels.Smalls(n), make([]uint16, 8*n), v)
		require.NotEqual(t, make([]uint16, 8*n), out[4])
	})
}

// randomFinite returns a number, or a value whose parts are numbers, far from the limits.
func randomFinite(r *rand.Rand, t reflect.Type) reflect.Value {
	v := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if v.Field(i).CanSet() {
				v.Field(i).Set(randomFinite(r, t.Field(i).Type))
			}
		}
	case reflect.Array:
		for i := range t.Len() {
			v.Index(i).Set(randomFinite(r, t.Elem()))
		}
	case reflect.Float32:
		v.SetFloat(float64(r.Float32()*8 - 4))
	default:
		v.Set(reflect.ValueOf(r.Uint64() >> r.IntN(64)).Convert(t))
	}
	return v
}
