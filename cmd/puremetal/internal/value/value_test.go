package value

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/document"
	"github.com/puremetal/puremetal/npy"
	"github.com/puremetal/puremetal/simd"
)

// bytesOf returns a value's memory.
func bytesOf(t testing.TB, text, dir string) (*Value, []byte) {
	v, err := Parse(text, dir)
	require.NoError(t, err, text)
	b := bytes.Repeat([]byte{0xaa}, v.Size()) // memory that was used before
	v.Fill(b, 1)
	return v, b
}

// le returns the little-endian bytes of numbers.
func le(t testing.TB, numbers ...any) []byte {
	var out []byte
	for _, n := range numbers {
		var err error
		out, err = binary.Append(out, binary.LittleEndian, n)
		require.NoError(t, err)
	}
	return out
}

func TestParse(t *testing.T) {
	for text, want := range map[string][]byte{
		"float:1.5":             le(t, float32(1.5)),
		"float32:-inf":          le(t, float32(math.Inf(-1))),
		"int:-3":                le(t, int32(-3)),
		"uint:0x10":             le(t, uint32(16)),
		"char:-128":             {0x80},
		"uint8:255":             {255},
		"ushort:65535":          le(t, uint16(65535)),
		"long:-1":               le(t, int64(-1)),
		"uint64:1":              le(t, uint64(1)),
		"half:0.5":              le(t, uint16(simd.HalfOf(0.5))),
		"bfloat:0.5":            le(t, uint16(simd.BFloat16Of(0.5))),
		"bool:true":             {1},
		"bool2:1,false":         {1, 0},
		"float2:1,2":            le(t, [2]float32{1, 2}),
		"float3:1,2,3":          le(t, [4]float32{1, 2, 3, 0}),
		"packed_float3:1,2,3":   le(t, [3]float32{1, 2, 3}),
		"float4:7":              le(t, [4]float32{7, 7, 7, 7}),
		"short[2,2]: 1, 2,3, 4": le(t, [4]int16{1, 2, 3, 4}),
		"short[3]:9":            le(t, [3]int16{9, 9, 9}),
		"zeros:uchar4[2]":       make([]byte, 8),
		"ramp:uchar[300]":       append(ramp(256), ramp(44)...), // the low bits count
		"ramp:float3[2]":        le(t, [8]float32{0, 1, 2, 0, 3, 4, 5, 0}),
		"{uchar:3;uint:100}":    {3, 0, 0, 0, 100, 0, 0, 0},
		"{float3:1,2,3;float:4; {uchar:1;uchar:2}}": append(le(t, [8]float32{1, 2, 3, 0, 4}, [0]byte{})[:20], 1, 2, 0, 0, 0,
			0, 0, 0, 0, 0, 0, 0),
		"{packed_float3:1,2,3;float:4}": le(t, [4]float32{1, 2, 3, 4}),
	} {
		_, b := bytesOf(t, text, "")
		assert.Equal(t, want, b, text)
	}
}

func ramp(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i)
	}
	return b
}

// TestRandom: the same numbers for the same seed, in the range of the documentation.
func TestRandom(t *testing.T) {
	for _, s := range scalarNames {
		v, err := Parse("random:"+s+"[5000]", "")
		require.NoError(t, err)
		one, two, three := make([]byte, v.Size()), make([]byte, v.Size()), make([]byte, v.Size())
		v.Fill(one, 1)
		v.Fill(two, 1)
		v.Fill(three, 2)
		assert.Equal(t, one, two, s)
		assert.NotEqual(t, one, three, s)
		var least, most float64 = math.Inf(1), math.Inf(-1)
		for i := range v.Len() {
			f, _ := Number(v.Type.Scalar, one[i*v.Type.Size():])
			least, most = min(least, f), max(most, f)
		}
		switch {
		case v.Type.Scalar == Bool:
			assert.Equal(t, [2]float64{0, 1}, [2]float64{least, most}, s)
		case v.Type.Scalar.Floating():
			assert.True(t, least >= 0 && least < 0.05 && most > 0.95 && most < 1, "%s: %v to %v", s, least, most)
		default:
			assert.Equal(t, [2]float64{0, 99}, [2]float64{least, most}, s)
		}
	}
}

// TestRandomStructure: random members follow from the seed, and not one from the other.
func TestRandomStructure(t *testing.T) {
	v, one := bytesOf(t, "{random:uint[8];{random:uint[8]};int:-1}", "")
	two := make([]byte, v.Size())
	v.Fill(two, 2)
	assert.NotEqual(t, one[:32], two[:32])
	assert.NotEqual(t, one[32:64], two[32:64])
	assert.NotEqual(t, one[:32], one[32:64])
	assert.Equal(t, one[64:], two[64:])
	v.Fill(two, 1)
	assert.Equal(t, one, two)
}

func TestWrong(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   `""; want TYPE:NUMBER`,
		"5":                                  `"5"; want TYPE:NUMBER`,
		"floaty:1":                           `unknown type "floaty"`,
		"float5:1":                           `unknown type "float5"`,
		"float:":                             `"" is not a valid float`,
		"float:1,2":                          `more than one number for a single float; for an array use float[N]`,
		"float2:1,2,3":                       `3 numbers for float2; want 2`,
		"bool:yes":                           `"yes" is not a valid bool; want true or false`,
		"char:128":                           `"128" is not a valid char; want an integer from -128 to 127`,
		"ulong:-1":                           `want an integer from 0 to 18446744073709551615`,
		"long:9223372036854775808":           `want an integer from -9223372036854775808 to 9223372036854775807`,
		"half:65520":                         `out of range for half, whose largest value is 65504`,
		"float:1e39":                         `out of range for float`,
		"bfloat:3.4e38":                      `out of range for bfloat`,
		"float[2:1":                          `must end in ]`,
		"float[]:1":                          `array size ""`,
		"float[-1]:1":                        `array size "-1"`,
		"float[1,1,1,1,1,1,1,1,1]:1":         `9 dimensions; at most 8`,
		"zeros:float[4294967296,4294967296]": `exceeds the address space`,
		"packed_float:1":                     `unknown type "packed_float"`,
		"@":                                  `@ without a file name`,
		"@a.txt":                             `argument files must end in .npy, .png, .jpg, .jpeg or .raw`,
		"what@a.npy":                         `unknown type "what"`,
		"{":                                  `must end in }`,
		"{}":                                 `{} has no members`,
		"{float:1;{int:1}":                   `has an unmatched {`,
		"{float:1}}":                         `has an unmatched }`,
		"{zeros:float[1000000]}":             `at most 65536 bytes`,
		strings.Repeat("{", 20) + "int:1" + strings.Repeat("}", 20): `more than 8 deep`,
		"float[5000]:" + strings.Repeat("1,", 4999) + "1":           `5000 numbers; at most 4096`,
	} {
		_, err := Parse(text, "")
		if assert.ErrorIs(t, err, ErrValue, text) {
			assert.Contains(t, err.Error(), want, text)
			assert.Less(t, len(err.Error()), 400, text)
		}
	}
	_, err := Parse("@missing.npy", "")
	assert.ErrorIs(t, err, os.ErrNotExist)
}

// writeFile puts what Write writes into a file.
func writeFile(name string, v *Value, data []byte) error {
	var b bytes.Buffer
	return errors.Join(Write(&b, name, v, data), os.WriteFile(name, b.Bytes(), 0o666))
}

// TestFiles writes values in every format and reads them again.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	for _, text := range []string{"ramp:float[2,3]", "ramp:float3[4]", "ramp:uchar4[2,2]", "ramp:half[5]", "bool[2]:1,0",
		"long[2]:-5,5", "ulong[1]:18446744073709551615"} {
		v, b := bytesOf(t, text, "")
		require.NoError(t, writeFile(filepath.Join(dir, "a.npy"), v, b))
		again, b2 := bytesOf(t, v.Type.String()+"@a.npy", dir)
		assert.Equal(t, v.Shape, again.Shape, text)
		assert.Equal(t, b, b2, text)
	}
	// bfloat is float in files, and exact.
	v, b := bytesOf(t, "bfloat[2]:1.5,-inf", "")
	require.NoError(t, writeFile(filepath.Join(dir, "a.npy"), v, b))
	_, b2 := bytesOf(t, "@a.npy", dir)
	assert.Equal(t, le(t, [2]float32{1.5, float32(math.Inf(-1))}), b2)
	_, b2 = bytesOf(t, "bfloat@a.npy", dir)
	assert.Equal(t, b, b2)

	for text, want := range map[string]string{"ramp:int[2,2]": "0,1\n2,3\n", "ramp:int[2]": "0\n1\n",
		"ramp:int2[2]": "0,1\n2,3\n", "int:5": "5\n", "ramp:int[2,1,2]": "0,1\n2,3\n",
		"[{int:1;float2:2.5,3};{int:4;float2:5,6}]": "1,2.5,3\n4,5,6\n", "{uchar:1;uint:258}": "1,258\n"} {
		v, b := bytesOf(t, text, "")
		require.NoError(t, writeFile(filepath.Join(dir, "a.csv"), v, b))
		have, err := os.ReadFile(filepath.Join(dir, "a.csv"))
		require.NoError(t, err)
		assert.Equal(t, want, string(have), text)
	}

	// Pictures: as they are, as numbers from 0 to 1, as luminance, and what is no number or lies
	// outside.
	v, b = bytesOf(t, "uchar4[1,2]:255,0,0,128,1,2,3,255", "")
	require.NoError(t, writeFile(filepath.Join(dir, "a.png"), v, b))
	again, b2 := bytesOf(t, "@a.png", dir)
	assert.Equal(t, b, b2)
	assert.True(t, again.Image)
	_, b2 = bytesOf(t, "float4@a.png", dir)
	assert.InDelta(t, 1, math.Float32frombits(binary.LittleEndian.Uint32(b2)), 1e-6)
	assert.InDelta(t, 128.0/255, math.Float32frombits(binary.LittleEndian.Uint32(b2[12:])), 1e-4)
	v, b = bytesOf(t, "float[1,4]:nan,-1,2,0.5", "")
	require.NoError(t, writeFile(filepath.Join(dir, "a.png"), v, b))
	_, b2 = bytesOf(t, "uchar@a.png", dir)
	assert.Equal(t, []byte{0, 0, 255, 128}, b2)
	_, err := Parse("int@a.png", dir)
	assert.ErrorContains(t, err, "images cannot be read as int; use uchar")

	for text, want := range map[string]string{"float[2]:1": "does not have two dimensions",
		"int[2,2]:1":    "cannot be an image",
		"float2[2,2]:1": "2 channels"} {
		v, b := bytesOf(t, text, "")
		assert.ErrorContains(t, writeFile(filepath.Join(dir, "b.png"), v, b), want)
	}
	assert.ErrorContains(t, Write(io.Discard, "a.bmp", v, b), ".npy, .png, .csv or .raw")
}

// TestRaw reads and writes the bytes of an argument as they are in memory.
func TestRaw(t *testing.T) {
	dir := t.TempDir()
	v, b := bytesOf(t, "ramp:float3[2]", "")
	require.NoError(t, writeFile(filepath.Join(dir, "a.raw"), v, b))
	for text, shape := range map[string][]int{"@a.raw": {32}, "float3@a.raw": {2}, "float[4,2]@a.raw": {4, 2}} {
		again, b2 := bytesOf(t, text, dir)
		assert.Equal(t, shape, again.Shape, text)
		assert.Equal(t, b, b2, "the padding of float3 is in the file")
	}
	for text, want := range map[string]string{
		"float[9]@a.raw":    "a.raw has 32 bytes, but float[9] has 36",
		"double@a.raw":      "double",
		"float3[3]@a.raw":   "a.raw has 32 bytes, but float3[3] has 48",
		"float[2]@none.raw": "none.raw",
	} {
		_, err := Parse(text, dir)
		assert.ErrorContains(t, err, want, text)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "odd.raw"), make([]byte, 7), 0o666))
	_, err := Parse("float@odd.raw", dir)
	assert.ErrorContains(t, err, "odd.raw has 7 bytes, which is not a multiple of the 4 bytes of a float")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "empty.raw"), nil, 0o666))
	_, err = Parse("@empty.raw", dir)
	assert.ErrorContains(t, err, "empty.raw has 0 bytes")
}

// TestJPEG reads a JPEG image, whose colors are close to what was written.
func TestJPEG(t *testing.T) {
	dir := t.TempDir()
	m := image.NewRGBA(image.Rect(0, 0, 8, 4))
	draw.Draw(m, m.Bounds(), image.NewUniform(color.RGBA{200, 100, 50, 255}), image.Point{}, draw.Src)
	var file bytes.Buffer
	require.NoError(t, jpeg.Encode(&file, m, &jpeg.Options{Quality: 100}))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.JPG"), file.Bytes(), 0o666))
	v, b := bytesOf(t, "@a.JPG", dir)
	assert.Equal(t, []int{4, 8}, v.Shape)
	assert.True(t, v.Image)
	assert.InDeltaSlice(t, []byte{200, 100, 50, 255}, b[:4], 3)
}

// TestStructures checks arrays of structures, and structures and arrays inside structures.
func TestStructures(t *testing.T) {
	_, b := bytesOf(t, "[{uchar:1;uint:2};{uchar:3;uint:4}]", "")
	assert.Equal(t, []byte{1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0}, b)
	_, b = bytesOf(t, "{uchar:9;[{ushort:1;uchar:2};{ushort:3;uchar:4}];{uchar[3]:5,6,7}}", "")
	assert.Equal(t, []byte{9, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 6, 7, 0}, b)
	for text, want := range map[string]string{
		"[{int:1}":            `"[{int:1}" must end in ]`,
		"[{int:1};{short:1}]": "element 1 of the array has 2 bytes, element 0 has 4",
		"[{int:1};int:2]":     `element 1 of the array is "int:2"; want a structure`,
		"[]":                  "",
	} {
		_, err := Parse(text, "")
		assert.ErrorContains(t, err, want, text)
	}
}

// TestConversion turns arrays into other types, and refuses what the type does not have.
func TestConversion(t *testing.T) {
	dir := t.TempDir()
	store := func(a *npy.Array, err error) {
		require.NoError(t, err)
		require.NoError(t, npy.WriteFile(filepath.Join(dir, "a.npy"), a))
	}
	store(npy.Of([]float64{1, -2, 0.5}))
	v, b := bytesOf(t, "@a.npy", dir)
	assert.Equal(t, "float[3]", v.Describe())
	assert.Equal(t, le(t, [3]float32{1, -2, 0.5}), b)
	_, err := Parse("int@a.npy", dir)
	assert.ErrorContains(t, err, "element 2 of the array is 0.5, not a valid int")
	store(npy.Of([]int64{-1, 127}))
	_, b = bytesOf(t, "char@a.npy", dir)
	assert.Equal(t, []byte{0xff, 0x7f}, b)
	_, err = Parse("uchar@a.npy", dir)
	assert.ErrorContains(t, err, "element 0 of the array is -1, not a valid uchar")
	_, b = bytesOf(t, "half@a.npy", dir)
	assert.Equal(t, le(t, uint16(simd.HalfOf(-1)), uint16(simd.HalfOf(127))), b)
	store(npy.Of([]float64{1, -1e300}))
	_, err = Parse("@a.npy", dir)
	assert.ErrorContains(t, err,
		"element 1 of the array is -1e+300, out of range for float, whose largest value is 3.4028235e+38")
	store(npy.Of([]int32{65505, 70000}))
	_, err = Parse("half@a.npy", dir)
	assert.ErrorContains(t, err, "element 1 of the array is 70000, out of range for half, whose largest value is 65504")
	store(npy.Of([]float64{math.Inf(-1)}))
	_, b = bytesOf(t, "half@a.npy", dir)
	assert.Equal(t, le(t, uint16(0xfc00)), b)
	store(npy.Of([]float64{math.NaN()}))
	_, err = Parse("long@a.npy", dir)
	assert.ErrorContains(t, err, "is NaN, not a valid long")
	store(npy.Of([]float64{18446744073709551615}))
	_, err = Parse("ulong@a.npy", dir)
	assert.Error(t, err, "2^64, as float64 has it")
	store(npy.Of([]float32{1, 2, 3, 4}, 2, 2))
	v, _ = bytesOf(t, "float2@a.npy", dir)
	assert.Equal(t, "float2[2]", v.Describe())
	_, err = Parse("float3@a.npy", dir)
	assert.ErrorContains(t, err, "to become float3 its last dimension must be 3")
	store(npy.Of([]float32{}, 0, 2))
	_, err = Parse("@a.npy", dir)
	assert.ErrorContains(t, err, "no elements")
	store(npy.Of([]float32{5}, []int{}...))
	_, b = bytesOf(t, "@a.npy", dir)
	assert.Equal(t, le(t, float32(5)), b)
}

// TestHugePicture: what a picture's header claims is not believed.
func TestHugePicture(t *testing.T) {
	name := filepath.Join(t.TempDir(), "huge.png")
	var b bytes.Buffer
	m := image.NewPaletted(image.Rect(0, 0, 1, 1), color.Palette{color.Black})
	require.NoError(t, png.Encode(&b, m))
	data := b.Bytes()
	binary.BigEndian.PutUint32(data[16:], 1<<30)
	binary.BigEndian.PutUint32(data[20:], 1<<30)
	require.NoError(t, os.WriteFile(name, data, 0o666))
	_, err := Parse("@"+name, "")
	assert.Error(t, err)
}

func TestTable(t *testing.T) {
	for text, want := range map[string]string{
		"int:5":              "  [0]  5\n",
		"ramp:float[10]":     "  [0]  0  1  2  3  4  5  6  7\n  [8]  8  9\n",
		"ramp:int2[2]":       "  [0]  0,1  2,3\n",
		"ramp:int[2,1,2]":    "  [0,0]  0  1\n  [1,0]  2  3\n",
		"ramp:int[1,40]":     "  [0]  0  1  2  3  4  5  6  7  ...  32  33  34  35  36  37  38  39\n",
		"{uchar:1;uint:258}": "  [0]  1  258\n",
	} {
		v, b := bytesOf(t, text, "")
		var out bytes.Buffer
		require.NoError(t, Table(&out, v, b))
		assert.Equal(t, want, out.String(), text)
	}
	v, b := bytesOf(t, "ramp:int[1000,1]", "")
	var out bytes.Buffer
	require.NoError(t, Table(&out, v, b))
	assert.Equal(t, tableLines+1, strings.Count(out.String(), "\n"))
	assert.Contains(t, out.String(), "...")
	assert.Contains(t, out.String(), "[999]  999\n")
}

// FuzzParse: every text is a value or an error that says so; a value of reasonable size can be
// filled, shown, and written.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"float:1.5", "float4:1,2,3,4", "zeros:float[64,64]", "ramp:float3[16]", "random:half[16]",
		"@a.npy", "half@a.png", "{uint:64;float:0.5;{char:1}}",
		"float[3]:1,2,3", "bool[2]:true", "packed_short3[2,2]:0x7f", "int[", "{;}", "bfloat:nan"} {
		f.Add(s)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		v, err := Parse(text, dir)
		if err != nil {
			if v != nil || len(err.Error()) > 2000+len(text) {
				t.Fatalf("%q: %v, %v", text, v, err)
			}
			return
		}
		if v.Size() < 1 || v.Len() < 1 {
			t.Fatalf("%q has %d bytes", text, v.Size())
		}
		if v.Size() > 1<<16 {
			return
		}
		b := make([]byte, v.Size())
		v.Fill(b, 1)
		var out bytes.Buffer
		if err := Table(&out, v, b); err != nil || out.Len() == 0 {
			t.Fatalf("%q: %v", text, err)
		}
		if err := npy.Write(&out, array(v, b)); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if _, err := pictureOf(v); err == nil {
			if err := writePNG(&out, v, b); err != nil {
				t.Fatalf("%q: %v", text, err)
			}
		}
		if _, err := v.Constant(); err == nil && v.Shape != nil {
			t.Fatalf("%q is an array and a constant", text)
		}
	})
}

// TestLayerOrder: numbers in names count, however many zeros are in front of them.
func TestLayerOrder(t *testing.T) {
	want := []string{"2.png", "10.png", "a.png", "a1b2.png", "a1b10.png", "a01b11.png", "a2.png", "b"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, compareNames)
	assert.Equal(t, want, got)
}

// TestLayers: layers keep their order and their bytes, and the limit of dimensions holds.
func TestLayers(t *testing.T) {
	dir := t.TempDir()
	for i := range 3 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, string(rune('a'+i))+".raw"), []byte{byte(i), 7}, 0o666))
	}
	v, err := Parse("[uchar[2]@c.raw; uchar[2]@a.raw]", dir)
	require.NoError(t, err)
	data := make([]byte, v.Size())
	v.Fill(data, 1)
	assert.Equal(t, []int{2, 2}, v.Shape)
	assert.Equal(t, []byte{2, 7, 0, 7}, data)
	assert.Equal(t, "uchar[2]", v.Layer().Describe())
	_, err = Parse("[uchar[1,1,1,1,1,1,1,2]@a.raw]", dir)
	require.ErrorContains(t, err, "uchar[1,1,1,1,1,1,1,2]@a.raw has 8 dimensions; layers may have at most 7")
	_, err = Parse("[@a.raw;{int:1}]", dir)
	require.ErrorContains(t, err, `element 1 of the array is "{int:1}"; want a file`)
}

// TestHostileImages: the pixels and scans of an image are limited before it is decoded.
func TestHostileImages(t *testing.T) {
	dir := t.TempDir()
	parse := func(name string, data []byte) error {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o666))
		_, err := Parse("@"+name, dir)
		return err
	}
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))))
	data := b.Bytes()
	binary.BigEndian.PutUint32(data[16:], 1<<14) // width and height of 268 million pixels
	binary.BigEndian.PutUint32(data[20:], 1<<14)
	binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(data[12:29]))
	err := parse("large.png", data)
	require.ErrorIs(t, err, document.ErrLimit)
	require.ErrorIs(t, err, ErrValue)
	require.ErrorContains(t, err, "large.png: 16384 x 16384 pixels; an image may have at most 67108864")
	b.Reset()
	require.NoError(t, jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1)), nil))
	require.NoError(t, parse("one.jpg", b.Bytes()))
	err = parse("scans.jpg", append(b.Bytes(), bytes.Repeat([]byte{0xff, 0xda}, 100)...))
	require.ErrorIs(t, err, document.ErrLimit)
	require.ErrorContains(t, err, "101 scans")
}

// TestEnds: few values are shown completely, of many the first and the last.
func TestEnds(t *testing.T) {
	for text, want := range map[string]string{
		"float:1.5":            "1.5|",
		"int[3]:-1,2,3":        "-1, 2, 3|",
		"bool4:true,false,1,0": "(true, false, true, false)|",
		"ramp:uint[17]":        "0, 1, 2, 3|13, 14, 15, 16",
		"ramp:float2[2,10]":    "(0, 1), (2, 3), (4, 5), (6, 7)|(32, 33), (34, 35), (36, 37), (38, 39)",
		"{int:1;float2:2,3}":   "(1, 2,3)|",
	} {
		v, err := Parse(text, "")
		require.NoError(t, err, text)
		data := make([]byte, v.Size())
		v.Fill(data, 1)
		first, last := v.Ends(data)
		assert.Equal(t, want, strings.Join(first, ", ")+"|"+strings.Join(last, ", "), text)
	}
	assert.True(t, Untyped("-1.5") && Untyped("true") && Untyped("1,2,3") && Untyped("-inf") && Untyped(".5"))
	assert.False(t, Untyped("float:1") || Untyped("@a.npy") || Untyped("{int:1}") || Untyped("[@a.png]") ||
		Untyped("nonsense") || Untyped("") || Untyped("-"))
}
