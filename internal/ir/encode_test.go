package ir_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/test/irtest"
)

// header is the length of an encoded module before the part covered by its checksum.
const header = irtest.EncodedHeader

func sealed(data []byte) []byte { return irtest.Sealed(data) }

// roundTrip encodes a module, decodes it and compares the result.
func roundTrip(t testing.TB, m *ir.Module) []byte {
	t.Helper()
	data, err := m.Encode()
	require.NoError(t, err)
	again, err := ir.Decode(data)
	require.NoError(t, err)
	require.Equal(t, m.String(), again.String())
	require.Equal(t, m.Globals, again.Globals)
	for i, f := range m.Funcs {
		g := again.Funcs[i]
		require.Equal(t, [][]ir.Arg{f.Args}, [][]ir.Arg{g.Args})
		require.Equal(t, f.Attributes, g.Attributes)
	}
	twice, err := again.Encode()
	require.NoError(t, err)
	require.Equal(t, data, twice)
	return data
}

// texts are the modules in testdata.
func texts(t testing.TB) (all []*ir.Module) {
	files, err := filepath.Glob("../../testdata/ir/*.ir")
	require.NoError(t, err)
	more, err := filepath.Glob("../../testdata/msl/lower/*.ir")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	require.NotEmpty(t, more)
	for _, f := range append(files, more...) {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		m, err := ir.Parse(string(text))
		require.NoError(t, err)
		all = append(all, m)
	}
	return all
}

// TestEncode: decoding gives the encoded module, whatever operations and regions it has.
func TestEncode(t *testing.T) {
	ops := map[ir.Op]bool{}
	each := func(m *ir.Module) {
		roundTrip(t, m)
		for _, f := range m.Funcs {
			f.Body.Walk(func(in *ir.Instr) bool {
				ops[in.Op] = true
				return true
			})
		}
	}
	for _, m := range texts(t) {
		each(m)
	}
	for seed := range uint64(200) {
		each(irtest.Kernel(rand.New(rand.NewPCG(seed, 11)), irtest.Config{Size: 100, Approx: true, Constants: 4, Pieces: 20,
			Held: true}))
	}
	assert.Greater(t, len(ops), 200, "operations that were met")
	roundTrip(t, &ir.Module{})
}

// small is a module with everything except code.
func small() *ir.Module {
	m := &ir.Module{Files: []string{"a.metal"}, Globals: []*ir.Global{{Name: "g", Align: 4, Data: []byte{1, 2, 3}}},
		Visible: []ir.VisibleFunction{{Name: "n::f", Type: "float(int)"}},
		Logs:    []ir.Log{{Subsystem: "s\xff", Category: "c"}}}
	f := m.NewFunc("k")
	f.Pos = ir.Loc{File: 1, Line: 70000, Col: 3}
	f.Args = []ir.Arg{{Kind: ir.ArgBuffer, Space: "device", Name: "x",
		Struct: &ir.Struct{Name: "S", Members: []ir.Member{{Name: "m", Offset: 4, Array: &ir.Array{Len: 3, Stride: 4}}}}}}
	f.Constants = []ir.FunctionConstant{{Name: "c", Index: 3, Type: "i32", Required: true}}
	f.Threadgroup = []ir.Memory{{Name: "t", Size: 12, Align: 4}}
	f.Samplers = []ir.SamplerState{{MagLinear: true, LODClamp: [2]float32{0.5, 3}}}
	f.Attributes = ir.Attributes{MaxTotalThreads: 64, RequiredThreads: [3]int{8, 2, 1}}
	f.Inlined = []ir.Inline{{Func: "g", At: ir.Loc{File: 1, Line: 5, Col: 1}}}
	b := ir.NewBuilder(f)
	b.SetLoc(ir.Loc{File: 1, Line: 4, Col: 9, Scope: 1})
	b.Op(ir.OpReturn)
	return m
}

func TestEncodeData(t *testing.T) {
	m := small()
	require.NoError(t, m.Verify())
	data := roundTrip(t, m)
	again, err := ir.Decode(data)
	require.NoError(t, err)
	f, g := m.Funcs[0], again.Funcs[0]
	assert.Equal(t, []any{f.Name, f.Pos, f.Args, f.Constants, f.Threadgroup, f.Samplers, f.Attributes, f.Inlined},
		[]any{g.Name, g.Pos, g.Args, g.Constants, g.Threadgroup, g.Samplers, g.Attributes, g.Inlined})
	assert.Equal(t, []any{m.Files, m.Visible, m.Logs}, []any{again.Files, again.Visible, again.Logs})
	assert.Same(t, again, g.Module)
}

// TestDecodeWrong flips each bit and truncates at each length, with and without correcting the
// checksum.
func TestDecodeWrong(t *testing.T) {
	data, err := small().Encode()
	require.NoError(t, err)
	for i := range len(data) * 8 {
		bad := append([]byte(nil), data...)
		bad[i/8] ^= 1 << (i % 8)
		_, err := ir.Decode(bad)
		require.Error(t, err, "bit %d", i)
		if at := i / 8; at >= 4 && at < header-4 {
			require.ErrorIs(t, err, ir.ErrEncodedVersion)
		} else {
			require.ErrorIs(t, err, ir.ErrEncoded)
		}
		if i/8 >= header {
			if m, err := ir.Decode(sealed(bad)); err == nil {
				require.NoError(t, m.Verify())
			} else {
				require.ErrorIs(t, err, ir.ErrEncoded)
			}
		}
	}
	for n := range data {
		_, err := ir.Decode(data[:n])
		require.ErrorIs(t, err, ir.ErrEncoded, "%d bytes", n)
		if n >= header {
			_, err = ir.Decode(sealed(append([]byte(nil), data[:n]...)))
			require.ErrorIs(t, err, ir.ErrEncoded, "%d bytes", n)
		}
	}
	_, err = ir.Decode(sealed(append(append([]byte(nil), data...), 0)))
	require.ErrorContains(t, err, "too many")
}

// TestDecodeDemands: decoding rejects requirements that no device can meet, so that they cannot
// reach arithmetic that would overflow.
func TestDecodeDemands(t *testing.T) {
	for _, change := range []func(*ir.Func){
		func(f *ir.Func) { f.Threadgroup[0].Size = 1 << 50 },
		func(f *ir.Func) { f.Threadgroup[0].Size = -1 },
		func(f *ir.Func) { f.Attributes.ThreadgroupStatic = -1 },
		func(f *ir.Func) { f.Attributes.MaxTotalThreads = -1 },
		func(f *ir.Func) { f.Attributes.RequiredThreads[2] = 1 << 40 },
	} {
		m := small()
		change(m.Funcs[0])
		data, err := m.Encode()
		require.NoError(t, err)
		_, err = ir.Decode(data)
		require.ErrorIs(t, err, ir.ErrEncoded)
	}
}

// TestDecodeMemory: large counts in the input allocate no memory before the data is there, and
// small functions take little.
func TestDecodeMemory(t *testing.T) {
	allocated := func(data []byte) (n uint64, err error) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = ir.Decode(data)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc, err
	}
	const promised = 1 << 20
	empty, err := (&ir.Module{}).Encode()
	require.NoError(t, err)
	// strings, types, files, globals, visible functions, logs, functions
	data := append(empty[:header:header], 1, 1, 'k', 0, 0, 0, 0, 0, 1)
	data = append(data, 0, 0, 0, 0, 0, 2, '{', '}', 0) // name, place, reflection, inlined calls
	for range 200 {
		data = append(data, 0)                                // parameters
		data = binary.AppendUvarint(data, promised)           // instructions
		data = binary.AppendUvarint(data, uint64(ir.OpBlock)) // the first
		data = append(data, 0, 0, 0, 1)                       // fields, operands, results, regions
	}
	data = append(data, bytes.Repeat([]byte{0xff}, 2*promised)...)
	n, err := allocated(sealed(data))
	require.ErrorContains(t, err, "no number")
	assert.Less(t, n, uint64(8*len(data)), "bytes")

	const funcs = 1000
	m := &ir.Module{}
	for i := range funcs {
		ir.NewBuilder(m.NewFunc(strconv.Itoa(i))).Return()
	}
	data, err = m.Encode()
	require.NoError(t, err)
	n, err = allocated(data)
	require.NoError(t, err)
	assert.Less(t, n, uint64(funcs*4000), "bytes")
}

// TestEncodeWrong: invalid modules give errors, not panics.
func TestEncodeWrong(t *testing.T) {
	m := &ir.Module{}
	f := m.NewFunc("k")
	other := m.NewFunc("other")
	b := ir.NewBuilder(other)
	x := b.Const(ir.TI32, 1)
	f.Body.Instrs = []*ir.Instr{{Op: ir.OpNeg, Args: []*ir.Value{x}, Parent: f.Body}}
	_, err := m.Encode()
	require.ErrorContains(t, err, "not defined")
	f.Body.Instrs = []*ir.Instr{{Op: ir.OpBreak, Parent: f.Body}}
	_, err = m.Encode()
	require.ErrorContains(t, err, "target")
	f.Body = nil
	_, err = m.Encode()
	require.ErrorContains(t, err, "region")
}

func FuzzDecode(f *testing.F) {
	for _, m := range append(texts(f), small()) {
		data, err := m.Encode()
		require.NoError(f, err)
		f.Add(data[header:])
	}
	head, err := (&ir.Module{}).Encode()
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, body []byte) {
		m, err := ir.Decode(sealed(append(head[:header:header], body...)))
		if err != nil {
			require.ErrorIs(t, err, ir.ErrEncoded)
			return
		}
		data, err := m.Encode()
		require.NoError(t, err)
		again, err := ir.Decode(data)
		require.NoError(t, err)
		twice, err := again.Encode()
		require.NoError(t, err)
		require.Equal(t, data, twice)
		require.Equal(t, m.String(), again.String())
	})
}

func BenchmarkDecode(b *testing.B) {
	data, err := irtest.Kernel(rand.New(rand.NewPCG(1, 11)), irtest.Config{Size: 1000}).Encode()
	require.NoError(b, err)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ir.Decode(data); err != nil {
			b.Fatal(err)
		}
	}
}
