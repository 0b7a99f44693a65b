package tensor_test

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/compute/tensor"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// blockFormats returns the formats of GGUF files whose rows are blocks.
func blockFormats() (list []tensor.Format) {
	for f := tensor.PackedF32; f < tensor.I2_S; f++ {
		list = append(list, f)
	}
	return list
}

// sameBits fails the test unless elements are equal bit by bit; one NaN is like another.
func sameBits(t *testing.T, want, got []float32, what string) bool {
	t.Helper()
	if !assert.Len(t, got, len(want), what) {
		return false
	}
	for i, w := range want {
		if math.Float32bits(w) != math.Float32bits(got[i]) && (w == w || got[i] == got[i]) {
			return assert.Fail(t, "an element differs", "%s, element %d: %g (%#x), want %g (%#x)", what, i, got[i],
				math.Float32bits(got[i]), w, math.Float32bits(w))
		}
	}
	return true
}

func data32(t *testing.T, x *tensor.Tensor) []float32 {
	t.Helper()
	v, err := tensor.Data[float32](t.Context(), x)
	require.NoError(t, err)
	return v
}

// TestBlocksOfReference compares the tests' own unpackers with blocks that ggml has unpacked.
func TestBlocksOfReference(t *testing.T) {
	file, err := os.Open("testdata/blocks.txt")
	require.NoError(t, err)
	defer file.Close()
	seen := map[tensor.Format]bool{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		fields := strings.Fields(lines.Text())
		f, ok := tensor.FormatOf(fields[0])
		require.True(t, ok, fields[0])
		seen[f] = true
		block, err := hex.DecodeString(fields[1])
		require.NoError(t, err)
		y := unpackRows(f, block)
		elements, _ := f.Block()
		require.Len(t, y, elements, fields[0])
		for i, at := range []int{0, len(y)/2 - 1, len(y) - 1} {
			want, err := strconv.ParseFloat(fields[3+i], 32)
			require.NoError(t, err)
			assert.Equal(t, float32(want), y[at], "%v, element %d", f, at)
		}
		var raw []byte
		for _, v := range y {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
		}
		assert.Equal(t, fields[2], fmt.Sprintf("%08x", crc32.ChecksumIEEE(raw)), "%v", f)
	}
	for _, f := range blockFormats()[3:] {
		assert.True(t, seen[f], "a block of %v", f)
	}
}

// halfScales returns where a block has its scales of half precision.
func halfScales(f tensor.Format) []int {
	switch f {
	case tensor.PackedF16, tensor.Q4_0, tensor.Q5_0, tensor.Q8_0, tensor.IQ4_NL, tensor.IQ4_XS:
		return []int{0}
	case tensor.Q4_1, tensor.Q5_1, tensor.Q4_K, tensor.Q5_K:
		return []int{0, 2}
	case tensor.Q2_K:
		return []int{80, 82}
	case tensor.Q3_K:
		return []int{108}
	case tensor.Q6_K:
		return []int{208}
	case tensor.TQ1_0:
		return []int{52}
	case tensor.TQ2_0:
		return []int{64}
	}
	return nil
}

// randomBlocks returns random bytes with scales that are finite, and moderate unless wild is set.
func randomBlocks(r *rand.Rand, f tensor.Format, blocks int, wild bool) []byte {
	_, n := f.Block()
	data := make([]byte, blocks*n)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	// Zero of both signs, the least and the greatest subnormal, one and the greatest number.
	special := []uint16{0, 0x8000, 1, 0x83ff, 0x3c00, 0xfbff, 0x7bff, 0x7c00, 0xfc00}
	for i := range blocks {
		b := data[i*n : i*n+n]
		for _, at := range halfScales(f) {
			h := uint16(r.Uint32())
			switch {
			case wild && i < len(special):
				h = special[(i+at/2)%len(special)]
			case wild && h&0x7c00 == 0x7c00:
				h &^= 0x4000
			case !wild:
				h = h&0x83ff | 0x3000 | h&0x0c00 // magnitudes from 1/8 to 2
			}
			binary.LittleEndian.PutUint16(b[at:], h)
		}
		if wild && f == tensor.NVFP4 && i == 0 {
			copy(b, []byte{0xff, 0x7f, 0x80, 1})
		}
		if wild {
			continue
		}
		switch f {
		case tensor.PackedF32:
			binary.LittleEndian.PutUint32(b, math.Float32bits(r.Float32()*2-1))
		case tensor.PackedBF16:
			binary.LittleEndian.PutUint16(b, uint16(math.Float32bits(r.Float32()*2-1)>>16))
		case tensor.MXFP4:
			b[0] = byte(124 + r.IntN(6))
		case tensor.NVFP4:
			for j := range 4 {
				b[j] = byte(40 + r.IntN(32))
			}
		}
	}
	return data
}

// bytesOf returns bytes as a tensor, which begins somewhere in its memory.
func bytesOf(s *tensor.Scope, data []byte, before int) *tensor.Tensor {
	return tensor.Of(s, append(make([]byte, before), data...)).Slice(0, before, before+len(data))
}

// TestUnpack unpacks random bytes of each format, bit by bit as the reference does, to all
// floating-point types, and rows of them by indices.
func TestUnpack(t *testing.T) {
	manyKernels(t)
	_, s := open(t)
	r := rand.New(rand.NewPCG(1, 2))
	for _, f := range blockFormats() {
		elements, _ := f.Block()
		const rows = 5
		perRow := max(3, 40/elements)
		data := randomBlocks(r, f, rows*perRow, true)
		want := unpackRows(f, data)
		columns := perRow * elements
		p, err := tensor.NewPacked(f, bytesOf(s, data, 6), rows, columns)
		require.NoError(t, err)
		checkUnpacked(t, s, p, want, rows, columns)
	}
}

// checkUnpacked checks Unpack and Embed of packed weights.
func checkUnpacked(t *testing.T, s *tensor.Scope, p *tensor.Packed, want []float32, rows, columns int) {
	t.Helper()
	what := p.Format().String()
	y := s.Unpack(p, tensor.Float32)
	require.NoError(t, s.Err())
	assert.Equal(t, []int{rows, columns}, y.Shape(), what)
	sameBits(t, want, data32(t, y), what)
	for _, typ := range []tensor.Type{tensor.Float16, tensor.BFloat16} {
		rounded := s.Cast(s.Cast(tensor.Of(s, want, rows, columns), typ), tensor.Float32)
		got := s.Unpack(p, typ)
		assert.Equal(t, typ, got.Type())
		sameBits(t, data32(t, rounded), data32(t, s.Cast(got, tensor.Float32)), what+" to "+typ.String())
	}
	ids := []int64{int64(rows) - 1, 0, -1, int64(rows), math.MaxInt64, math.MinInt64, 1 << 32, int64(rows) - 1}
	var of []float32
	for _, id := range ids {
		if id >= 0 && id < int64(rows) {
			of = append(of, want[int(id)*columns:int(id)*columns+columns]...)
		} else {
			of = append(of, make([]float32, columns)...)
		}
	}
	e := s.Embed(p, tensor.Of(s, ids, 2, 4), tensor.Float32)
	require.NoError(t, s.Err())
	assert.Equal(t, []int{2, 4, columns}, e.Shape(), what)
	sameBits(t, of, data32(t, e), what+", embed")
}

// TestUnpackI2S: rows that are no whole blocks, and scales of all kinds.
func TestUnpackI2S(t *testing.T) {
	_, s := open(t)
	r := rand.New(rand.NewPCG(3, 4))
	for i, scale := range []float32{0.37, -2, 0, 1e-40, float32(math.Inf(1)), 3e38} {
		rows, columns := []int{4, 1, 8, 3, 2, 16}[i], []int{32, 128, 48, 128, 192, 24}[i]
		data := i2sBytes(r, rows*columns, scale)
		p, err := tensor.NewPacked(tensor.I2_S, bytesOf(s, data, 3), rows, columns)
		require.NoError(t, err)
		checkUnpacked(t, s, p, unpackI2S(data, rows*columns), rows, columns)
	}
}

func i2sBytes(r *rand.Rand, elements int, scale float32) []byte {
	data := make([]byte, elements/4+32)
	for i := range elements / 4 {
		data[i] = byte(r.Uint32())
	}
	binary.LittleEndian.PutUint32(data[elements/4:], math.Float32bits(scale))
	return data
}

// mlxWeights are packed weights of MLX and their elements.
type mlxWeights struct {
	packed        *tensor.Packed
	want          []float32
	rows, columns int
	name          string
}

// eachMLX calls do with random weights of each of MLX's formats, whose tensors are views with
// offsets. Columns are groups times the size of a group.
func eachMLX(t *testing.T, s *tensor.Scope, rows, groups int, do func(w mlxWeights)) {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 6))
	view := func(words []uint32, rows int) *tensor.Tensor {
		n := len(words) / rows
		return tensor.Of(s, append(make([]uint32, n), words...), rows+1, n).Slice(0, 1, rows+1)
	}
	for i, bits := range []int{2, 3, 4, 5, 6, 8} {
		for j, group := range []int{32, 64, 128} {
			columns := groups * group
			words, q := randomStream(r, rows, columns, bits)
			typ := []tensor.Type{tensor.Float32, tensor.Float16, tensor.BFloat16}[(i+j)%3]
			numbers := func() (*tensor.Tensor, []float32) {
				x := make([]float32, (rows+1)*groups)
				for i := range x {
					x[i] = r.Float32()*2 - 1
				}
				c := s.Cast(tensor.Of(s, x, rows+1, groups), typ)
				rounded := data32(t, s.Cast(c, tensor.Float32))
				return c.Slice(0, 1, rows+1), rounded[groups:]
			}
			scales, scale := numbers()
			biases, bias := numbers()
			want := make([]float32, rows*columns)
			for i := range want {
				g := i / columns * groups
				g += i % columns / group
				want[i] = float32(times(scale[g], float32(q[i])) + bias[g])
			}
			p, err := tensor.NewPackedMLX(tensor.MLXAffine, view(words, rows), scales, biases, bits, group)
			require.NoError(t, err)
			do(mlxWeights{p, want, rows, columns, fmt.Sprintf("mlx of %d bits, groups of %d, %v", bits, group, typ)})
		}
	}
	for _, f := range []tensor.Format{tensor.MLXFP4, tensor.MLXNVFP4, tensor.MLXFP8} {
		bits, group := 4, 32
		switch f {
		case tensor.MLXNVFP4:
			group = 16
		case tensor.MLXFP8:
			bits = 8
		}
		columns := groups * group
		words, q := randomStream(r, rows, columns, bits)
		scales := make([]byte, (rows+1)*groups)
		for i := range scales {
			scales[i] = byte(118 + r.IntN(18)) // near one
			if f == tensor.MLXNVFP4 {
				scales[i] = byte(30+r.IntN(40)) | byte(r.IntN(2)<<7)
			}
		}
		want := make([]float32, rows*columns)
		for i := range want {
			scale := scales[groups+i/columns*groups+i%columns/group]
			v := e2m1Values[q[i]&15]
			if bits == 8 {
				v = e4m3Value(byte(q[i]))
			}
			if f == tensor.MLXNVFP4 {
				want[i] = times(float32(v), float32(e4m3Value(scale)))
			} else {
				want[i] = float32(math.Ldexp(v, int(scale)-127))
			}
		}
		all := tensor.Of(s, scales, rows+1, groups).Slice(0, 1, rows+1)
		p, err := tensor.NewPackedMLX(f, view(words, rows), all, nil, 0, 0)
		require.NoError(t, err)
		do(mlxWeights{p, want, rows, columns, f.String()})
	}
}

// randomStream returns rows of packed codes, and the codes.
func randomStream(r *rand.Rand, rows, columns, bits int) (words []uint32, q []int) {
	words = make([]uint32, rows*columns*bits/32)
	for i := range words {
		words[i] = r.Uint32()
	}
	for row := range slices.Chunk(words, columns*bits/32) {
		q = append(q, stream(row, bits, columns)...)
	}
	return words, q
}

// TestUnpackMLX unpacks MLX's formats, bit by bit as the reference does.
func TestUnpackMLX(t *testing.T) {
	manyKernels(t)
	_, s := open(t)
	eachMLX(t, s, 3, 4, func(w mlxWeights) {
		t.Log(w.name)
		checkUnpacked(t, s, w.packed, w.want, w.rows, w.columns)
		assert.Greater(t, w.packed.Bytes(), 0)
	})
}

// TestUnpackMLXScales: each power of two, and each scale of eight bits.
func TestUnpackMLXScales(t *testing.T) {
	_, s := open(t)
	for _, f := range []tensor.Format{tensor.MLXFP4, tensor.MLXNVFP4, tensor.MLXFP8} {
		group, words := 32, []uint32{0x76543210, 0xfedcba98, 0x12345678, 0x9abcdef0}
		if f == tensor.MLXNVFP4 {
			group, words = 16, words[:2]
		}
		if f == tensor.MLXFP8 {
			words = append(words, 0x7e01fe08, 0x807d0900, 0x47462381, 0xc7b9ad3c)
		}
		bits := 32 * len(words) / group
		q := stream(words, bits, group)
		var data []uint32
		var scales []byte
		var want []float32
		for e := range 255 { // 255 is NaN, of E8M0
			if f == tensor.MLXNVFP4 && e&127 == 127 {
				continue
			}
			data, scales = append(data, words...), append(scales, byte(e))
			for _, q := range q {
				v := e2m1Values[q&15]
				if bits == 8 {
					v = e4m3Value(byte(q))
				}
				if f == tensor.MLXNVFP4 {
					want = append(want, float32(v*e4m3Value(byte(e))))
				} else {
					want = append(want, float32(math.Ldexp(v, e-127)))
				}
			}
		}
		p, err := tensor.NewPackedMLX(f, tensor.Of(s, data, 1, len(data)), tensor.Of(s, scales, 1, len(scales)), nil, 0, 0)
		require.NoError(t, err)
		sameBits(t, want, data32(t, s.Unpack(p, tensor.Float32)), f.String())
	}
}
