package main

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/npy"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// puremetal runs the command in this process.
func puremetal(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, problems bytes.Buffer
	code = newApp(t, "", &out, &problems).main(args)
	return code, out.String(), problems.String()
}

// newApp returns the environment of a command on the software device.
func newApp(t *testing.T, in string, out, problems io.Writer) *app {
	env := func(name string) string {
		if name == "PUREMETAL_DRIVER" {
			return "software"
		}
		return os.Getenv(name)
	}
	return &app{ctx: t.Context(), in: strings.NewReader(in), out: out, err: problems, env: env, exit: func(int) {},
		reportSources: newReportSources()}
}

func arrayOf[T npy.Element](t *testing.T, data []T, shape ...int) *npy.Array {
	t.Helper()
	a, err := npy.Of(data, shape...)
	require.NoError(t, err)
	return a
}

// halves returns an array of float16 with small whole numbers and halves.
func halves(t *testing.T, data []float64, shape ...int) *npy.Array {
	t.Helper()
	a := arrayOf(t, make([]uint16, len(data)), shape...)
	a.Type = npy.Float16
	for i, x := range data {
		h := uint16(0)
		if x != 0 {
			bits := math.Float64bits(x)
			h = uint16(bits>>48&0x8000) | uint16(int(bits>>52&0x7ff)-1023+15)<<10 | uint16(bits>>42&0x3ff)
		}
		binary.LittleEndian.PutUint16(a.Data[2*i:], h)
	}
	return a
}

// modelOp writes operands to a file, runs model op and returns y, or the line on the standard
// error.
func modelOp(t *testing.T, arrays map[string]*npy.Array, args ...string) (*npy.Array, string) {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.npz"), filepath.Join(dir, "out.npz")
	var entries []npy.Entry
	for name, a := range arrays {
		entries = append(entries, npy.Entry{Name: name, Array: a})
	}
	require.NoError(t, npy.WriteArchiveFile(in, entries...))
	for i, a := range args {
		args[i] = map[string]string{"IN": in, "OUT": out}[a]
		if args[i] == "" {
			args[i] = a
		}
	}
	code, stdout, stderr := puremetal(t, append([]string{"model", "op"}, args...)...)
	assert.Empty(t, stdout)
	if code != 0 {
		assert.Equal(t, 1, code, "%v: %s", args, stderr)
		assert.Equal(t, 1, strings.Count(stderr, "\n"), "one line: %s", stderr)
		assert.Contains(t, stderr, in)
		assert.NoFileExists(t, out)
		return nil, stderr
	}
	assert.Empty(t, stderr)
	results, err := npy.ReadArchiveFile(out, npy.ArchiveOptions{})
	require.NoError(t, err)
	require.Len(t, results, 1)
	assert.Equal(t, "y", results[0].Name)
	return results[0].Array, ""
}

func floats(t *testing.T, a *npy.Array) []float32 {
	t.Helper()
	v, err := npy.Values[float32](a)
	require.NoError(t, err)
	return v
}

// q8 returns a row of q8_0 with a scale of 1/2 and elements that count up.
func q8(first int8) []byte {
	b := []byte{0, 0x38}
	for i := range 32 {
		b = append(b, byte(first+int8(i)))
	}
	return b
}

func TestModelOpPacked(t *testing.T) {
	w := arrayOf(t, append(q8(0), q8(-16)...), 2, 34)
	y, _ := modelOp(t, map[string]*npy.Array{"w": w}, "--type", "q8_0", "dequantize", "IN", "OUT")
	assert.Equal(t, []int{2, 32}, y.Shape)
	assert.Equal(t, []float32{0, 0.5, 1}, floats(t, y)[:3])
	assert.Equal(t, []float32{-8, -7.5}, floats(t, y)[32:34])

	ones := make([]float64, 3*32)
	for i := range ones {
		ones[i] = 1
	}
	sums := []float32{248, -8, 248, -8, 248, -8}
	for _, x := range []*npy.Array{arrayOf(t, ones, 3, 32), halves(t, ones, 3, 32)} {
		y, _ = modelOp(t, map[string]*npy.Array{"w": w, "x": x}, "matmul", "IN", "OUT", "--type=q8_0")
		assert.Equal(t, []int{3, 2}, y.Shape)
		assert.Equal(t, sums, floats(t, y))
	}
	for _, ids := range []*npy.Array{arrayOf(t, []int64{1, 0, -1}), arrayOf(t, []int32{1, 0, 2})} {
		y, _ = modelOp(t, map[string]*npy.Array{"w": w, "ids": ids}, "embed", "--type", "q8_0", "IN", "OUT")
		assert.Equal(t, []int{3, 32}, y.Shape)
		v := floats(t, y)
		assert.Equal(t, []float32{-8, 0, 0}, []float32{v[0], v[32], v[64]})
		assert.Equal(t, float32(0), v[95])
	}

	// I2_S: 128 codes 2, which are 1, and a scale of 0.25.
	i2s := make([]byte, 64)
	for i := range 32 {
		i2s[i] = 0xaa
	}
	binary.LittleEndian.PutUint32(i2s[32:], math.Float32bits(0.25))
	y, _ = modelOp(t, map[string]*npy.Array{"w": arrayOf(t, i2s)}, "dequantize", "--type", "I2_S", "--cols", "64",
		"IN", "OUT")
	assert.Equal(t, []int{2, 64}, y.Shape)
	assert.Equal(t, float32(0.25), floats(t, y)[127])
	x := make([]float32, 64)
	x[0], x[1], x[2] = 254, 3, 5 // 1.5 and 2.5 of 127 at 254 go to 2
	y, _ = modelOp(t, map[string]*npy.Array{"w": arrayOf(t, i2s), "x": arrayOf(t, x, 1, 64)}, "matmul",
		"--activations", "int8",
		"--type", "I2_S", "--cols=64", "IN", "OUT")
	assert.Equal(t, []float32{65.5, 65.5}, floats(t, y))
	_, problem := modelOp(t, map[string]*npy.Array{"w": w, "x": arrayOf(t, ones, 3, 32)}, "matmul", "--type=q8_0",
		"--activations=int8", "IN", "OUT")
	assert.Contains(t, problem, "ternary")

	// MLX: 4 bits, scales of float16; and floating-point numbers.
	words := arrayOf(t, []uint32{0x76543210, 0xfedcba98, 0x76543210, 0xfedcba98}, 1, 4)
	y, _ = modelOp(t, map[string]*npy.Array{"w": words, "scales": halves(t, []float64{2}, 1, 1), "biases": halves(t,
		[]float64{-1}, 1, 1)},
		"dequantize", "--type", "mlx", "--bits", "4", "--group", "32", "IN", "OUT")
	assert.Equal(t, []float32{-1, 1, 3, 5}, floats(t, y)[:4])
	y, _ = modelOp(t, map[string]*npy.Array{"w": words, "scales": arrayOf(t, []uint8{128}, 1, 1)}, "dequantize",
		"--type", "mlx-mxfp4", "IN", "OUT")
	assert.Equal(t, []float32{0, 1, 2, 3, 4, 6, 8, 12}, floats(t, y)[:8])
	y, _ = modelOp(t, map[string]*npy.Array{"w": words, "scales": arrayOf(t, []uint8{56, 64}, 1, 2)}, "dequantize",
		"--type", "mlx-nvfp4", "IN", "OUT")
	assert.Equal(t, []float32{0, 0.5, 1, 1.5}, floats(t, y)[:4])
	y, _ = modelOp(t, map[string]*npy.Array{"w": arrayOf(t, []uint32{0x38404448, 0, 0, 0, 0, 0, 0, 0}, 1, 8),
		"scales": arrayOf(t, []uint8{127}, 1, 1)},
		"dequantize", "--type", "mlx-mxfp8", "IN", "OUT")
	assert.Equal(t, []float32{4, 3, 2, 1}, floats(t, y)[:4])
}

func TestModelOpInt8(t *testing.T) {
	x, w := arrayOf(t, []int8{1, 2, -128, 3, 4, 127}, 2, 3), arrayOf(t, []int8{1, 0, -1, -128, 127, 2}, 2, 3)
	y, _ := modelOp(t, map[string]*npy.Array{"x": x, "w": w}, "matmul", "--type", "int8", "IN", "OUT")
	assert.Equal(t, npy.Int32, y.Type)
	v, err := npy.Values[int32](y)
	require.NoError(t, err)
	assert.Equal(t, []int32{129, -130, -124, 378}, v)
	y, _ = modelOp(t, map[string]*npy.Array{"x": x, "w": w, "xscale": arrayOf(t, []float64{0.5, 2}),
		"wscale": arrayOf(t, []float32{1, 0.25})},
		"matmul", "--type", "int8", "IN", "OUT")
	assert.Equal(t, []float32{64.5, -16.25, -248, 189}, floats(t, y))
	_, problem := modelOp(t, map[string]*npy.Array{"x": arrayOf(t, []float32{1}, 1, 1), "w": w}, "matmul", "--type",
		"int8", "IN", "OUT")
	assert.Contains(t, problem, "int8")
}

func TestModelOpAttention(t *testing.T) {
	q := arrayOf(t, []float64{0, 0, 0}, 1, 1, 3, 1)
	k, v := halves(t, []float64{0, 0, 0}, 1, 1, 3, 1), halves(t, []float64{1, 2, 6}, 1, 1, 3, 1)
	arrays := map[string]*npy.Array{"q": q, "k": k, "v": v}
	for _, c := range []struct {
		want []float32
		args []string
	}{
		{[]float32{1, 1.5, 3}, []string{"attention", "--causal=true"}},
		{[]float32{1, 1.5, 3}, []string{"attention", "--causal"}},
		{[]float32{1, 1.5, 3}, []string{"attention"}},
		{[]float32{3, 3, 3}, []string{"--causal=false", "attention"}},
		{[]float32{3, 3, 3}, []string{"attention", "--no-causal"}},
		{[]float32{1, 2, 6}, []string{"--window", "1", "attention", "--causal=true"}},
		{[]float32{4, 6, 0}, []string{"attention", "--window=2", "--start=2"}},
		{[]float32{3, 3, 3}, []string{"attention", "--causal=true", "--start", "2", "--scale", "3", "--softcap", "20"}},
	} {
		y, problem := modelOp(t, arrays, append(c.args, "IN", "OUT")...)
		require.NotNil(t, y, problem)
		assert.Equal(t, []int{1, 1, 3, 1}, y.Shape)
		assert.InDeltaSlice(t, c.want, floats(t, y), 1e-6, "%v", c.args)
	}
	arrays["mask"] = arrayOf(t, []float64{math.Inf(-1), 0, 0}, 1, 1, 1, 3)
	arrays["sinks"] = halves(t, []float64{0}, 1)
	y, problem := modelOp(t, arrays, "attention", "IN", "OUT", "--causal=false")
	require.NotNil(t, y, problem)
	assert.InDeltaSlice(t, []float32{8. / 3, 8. / 3, 8. / 3}, floats(t, y), 1e-6)
}

func TestModelOpRest(t *testing.T) {
	// A quarter of a turn at position 2: pi/4 a position, by the scale.
	x := arrayOf(t, []float64{1, 2, 3, 4, 1, 2, 3, 4}, 1, 2, 1, 4)
	arrays := map[string]*npy.Array{"x": x, "positions": arrayOf(t, []int64{0, 2})}
	args := []string{"rope", "--scale", "0.7853981633974483", "--base", "1e30", "--dims", "2"}
	y, problem := modelOp(t, arrays, append(args, "IN", "OUT")...)
	require.NotNil(t, y, problem)
	assert.InDeltaSlice(t, []float32{1, 2, 3, 4, -2, 1, 3, 4}, floats(t, y), 1e-6)
	y, _ = modelOp(t, arrays, "rope", "--neox=true", "--scale", "0.7853981633974483", "--base", "1e30", "IN", "OUT")
	assert.InDeltaSlice(t, []float32{1, 2, 3, 4, -3, 2, 1, 4}, floats(t, y), 1e-6)
	y, _ = modelOp(t, arrays, "--neox=false", "--scale", "0.7853981633974483", "--base", "1e30", "rope", "IN", "OUT")
	assert.InDeltaSlice(t, []float32{1, 2, 3, 4, -2, 1, 3, 4}, floats(t, y), 1e-6)
	for _, factors := range []*npy.Array{arrayOf(t, []float64{2}), arrayOf(t, []float32{2}), halves(t, []float64{2})} {
		arrays["factors"] = factors
		y, problem = modelOp(t, arrays, append([]string{"rope", "--scale", "1.5707963267948966", "--base", "1e30",
			"--dims", "2"}, "IN", "OUT")...)
		require.NotNil(t, y, problem)
		assert.InDeltaSlice(t, []float32{1, 2, 3, 4, -2, 1, 3, 4}, floats(t, y), 1e-6)
	}
	y, _ = modelOp(t, map[string]*npy.Array{"x": arrayOf(t, []float64{3, 4}, 1, 2), "w": halves(t, []float64{1, 2})},
		"rmsnorm", "--eps", "0", "IN", "OUT")
	assert.InDeltaSlice(t, []float32{3 / 3.5355339, 8 / 3.5355339}, floats(t, y), 1e-6)
	y, _ = modelOp(t, map[string]*npy.Array{"gate": arrayOf(t, []float64{0, 100}), "up": arrayOf(t, []float64{3, 2})},
		"swiglu", "IN", "OUT")
	assert.InDeltaSlice(t, []float32{0, 200}, floats(t, y), 1e-4)
	for _, c := range []struct {
		want int32
		args []string
	}{
		{2, nil}, {2, []string{"--temperature", "0"}}, {2, []string{"--temperature", "1", "--u", "0"}},
		{0, []string{"--temperature=1", "--u=0.9999"}}, {3, []string{"--temperature=1", "--u=0.9999", "--top-k=2"}},
		{3, []string{"--temperature=1", "--u=0.9", "--top-p=0.8"}}, {2, []string{"--temperature=1", "--u=0.9",
			"--min-p=1"}},
		{0, []string{"--temperature=1", "--u=1"}},
	} {
		for _, logits := range []*npy.Array{arrayOf(t, []float64{1, 2, 4, 3}), halves(t, []float64{1, 2, 4, 3}),
			arrayOf(t, []float32{1, 2, 4, 3}, 1, 4)} {
			y, problem = modelOp(t, map[string]*npy.Array{"logits": logits}, append(append([]string{}, c.args...),
				"sample",
				"IN", "OUT")...)
			require.NotNil(t, y, problem)
			assert.Equal(t, npy.Int32, y.Type)
			assert.Equal(t, logits.Shape[:len(logits.Shape)-1], y.Shape)
			v, err := npy.Values[int32](y)
			require.NoError(t, err)
			assert.Equal(t, []int32{c.want}, v, "%v", c.args)
		}
	}
}

// TestModelOpWrong: one line names the file and the reason.
func TestModelOpWrong(t *testing.T) {
	w := arrayOf(t, append(q8(0), q8(-16)...), 2, 34)
	x := arrayOf(t, make([]float32, 64), 1, 64)
	words, scales := arrayOf(t, make([]uint32, 4), 1, 4), arrayOf(t, []float32{1}, 1, 1)
	q := arrayOf(t, make([]float32, 8), 1, 2, 2, 2)
	type arrays = map[string]*npy.Array
	for _, c := range []struct {
		in   arrays
		args string
		text string
	}{
		{arrays{}, "dequantize --type q8_0", `"w" is missing`},
		{arrays{"w": w}, "dequantize", "--type"},
		{arrays{"w": w}, "dequantize --type q9", "q9"},
		{arrays{"w": w}, "dequantize --type int8", "int8"},
		{arrays{"w": w}, "dequantize --type q4_0", "multiple of 18"},
		{arrays{"w": x}, "dequantize --type q8_0", "uint8"},
		{arrays{"w": arrayOf(t, q8(0))}, "dequantize --type q8_0", "[34]"},
		{arrays{"w": arrayOf(t, q8(0))}, "dequantize --type I2_S --cols 3", "--cols 3"},
		{arrays{"w": arrayOf(t, q8(0))}, "dequantize --type I2_S", "--cols"},
		{arrays{"w": arrayOf(t, q8(0))}, "dequantize --type I2_S --cols 8", "multiple of 128"},
		{arrays{"w": w}, "matmul --type q8_0", `"x" is missing`},
		{arrays{"w": w, "x": x}, "matmul --type q8_0", "32 columns"},
		{arrays{"w": w, "x": words}, "matmul --type q8_0", "uint32"},
		{arrays{"w": w, "ids": x}, "embed --type q8_0", "integers"},
		{arrays{"w": w}, "embed --type q8_0", `"ids" is missing`},
		{arrays{"w": words}, "dequantize --type mlx --bits 4 --group 32", `"scales" is missing`},
		{arrays{"w": words, "scales": scales}, "dequantize --type mlx --bits 4 --group 32", `"biases" is missing`},
		{arrays{"w": words, "scales": scales, "biases": scales}, "dequantize --type mlx", "0 bits"},
		{arrays{"w": words, "scales": scales, "biases": scales}, "dequantize --type mlx --bits 2 --group 32", "scales"},
		{arrays{"w": words, "scales": scales}, "dequantize --type mlx-mxfp4", "float32"},
		{arrays{"w": w, "x": x}, "matmul --type int8", "int8"},
		{arrays{"x": x}, "matmul --type int8", `"w" is missing`},
		{arrays{"q": q, "k": q}, "attention", `"v" is missing`},
		{arrays{"q": q, "k": q, "v": x}, "attention", "four dimensions"},
		{arrays{"q": q, "k": q, "v": q}, "attention --start=-1", "start -1"},
		{arrays{"q": q, "k": q, "v": q, "mask": words}, "attention", "mask"},
		{arrays{"q": q, "k": q, "v": q, "sinks": x}, "attention", "sinks"},
		{arrays{"x": q, "positions": arrayOf(t, []int64{1, 2, 3})}, "rope", "broadcast"},
		{arrays{"x": q, "positions": arrayOf(t, []float64{1, 2})}, "rope", "integer"},
		{arrays{"x": q, "positions": arrayOf(t, []int64{1, 2})}, "rope --dims 3", "3 features"},
		{arrays{"x": q, "positions": arrayOf(t, []int64{1, 2})}, "rope --dims 4", "4 features"},
		{arrays{"x": x, "positions": arrayOf(t, []int64{1, 2})}, "rope", "[B, T, heads, d]"},
		{arrays{"x": q}, "rope", `"positions" is missing`},
		{arrays{"x": q, "positions": arrayOf(t, []int64{1, 2}), "factors": scales}, "rope --dims 2 --base=-1",
			"base -1"},
		{arrays{"x": q, "positions": arrayOf(t, []int64{1, 2}), "factors": arrayOf(t, []float32{1, 2})}, "rope",
			"2 factors"},
		{arrays{"x": x}, "rmsnorm", `"w" is missing`},
		{arrays{"x": x, "w": arrayOf(t, []float32{1, 2, 3})}, "rmsnorm", "rms"},
		{arrays{"gate": x}, "swiglu", `"up" is missing`},
		{arrays{"gate": x, "up": arrayOf(t, []float32{1, 2})}, "swiglu", "swiglu"},
		{arrays{}, "sample", `"logits" is missing`},
		{arrays{"logits": x}, "sample --u 2", "--u 2"},
		{arrays{"logits": x}, "sample --u nan", "--u NaN"},
		{arrays{"logits": x}, "sample --temperature=-1", "temperature -1"},
		{arrays{"logits": arrayOf(t, []float32{}, 1, 0)}, "sample", "vocabulary"},
		{arrays{"logits": arrayOf(t, []int64{1}, 1, 1)}, "sample", "floating-point"},
	} {
		_, problem := modelOp(t, c.in, append(strings.Fields(c.args), "IN", "OUT")...)
		assert.Contains(t, problem, c.text, c.args)
	}
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken.npz")
	require.NoError(t, os.WriteFile(broken, []byte("PK and nothing"), 0o600))
	for _, in := range []string{broken, filepath.Join(dir, "none.npz")} {
		code, _, stderr := puremetal(t, "model", "op", "swiglu", in, filepath.Join(dir, "out.npz"))
		assert.Equal(t, 1, code)
		assert.Contains(t, stderr, in)
		assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	}
	good := filepath.Join(dir, "good.npz")
	require.NoError(t, npy.WriteArchiveFile(good, npy.Entry{Name: "gate", Array: x}, npy.Entry{Name: "up", Array: x}))
	code, _, stderr := puremetal(t, "model", "op", "swiglu", good, filepath.Join(dir, "no", "out.npz"))
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, filepath.Join(dir, "no", "out.npz"))
	code, _, stderr = puremetal(t, "model", "op", "fly", good, good)
	assert.NotEqual(t, 0, code)
	assert.Contains(t, stderr, "fly")
}
