package sanitizetest

import (
	"encoding/binary"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

var everyOfExamples = flag.Int("sanitizetest.examples", 11, "judge one mutant of the examples in this many")

// words is a buffer of that many random numbers below 4; float is a number.
type (
	words int
	float float32
)

// TestExamples: the sanitizer finds no mistakes in the kernels of the examples, as the oracle does,
// and those of mutants.
func TestExamples(t *testing.T) {
	e := exec.NewEngine(1)
	defer e.Close()
	tally := Tally{Every: *everyOfExamples, Engine: e}
	random := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		file, kernel string
		grid, group  [3]int
		buffers      []any // words, or numbers for a buffer of one
		textures     []string
		threadgroup  int
	}{
		{"heat/heat", "diffuse", [3]int{20, 12}, [3]int{8, 8}, []any{words(240), words(240), float(0.1)}, nil, 0},
		{"image/image", "blur_rows", [3]int{16, 16}, [3]int{8, 8}, []any{words(5), uint32(2)},
			[]string{"RGBA8Uint", "RGBA16Float"}, 0},
		{"image/image", "blur_columns", [3]int{16, 16}, [3]int{8, 8}, []any{words(5), uint32(2)},
			[]string{"RGBA16Float", "RGBA8Uint"}, 0},
		{"image/image", "sobel", [3]int{16, 16}, [3]int{8, 8}, nil, []string{"RGBA8Uint", "RGBA8Uint"}, 0},
		{"image/image", "histogram", [3]int{256}, [3]int{64}, []any{words(256)}, []string{"RGBA8Uint"}, 0},
		{"image/image", "levels", [3]int{256}, [3]int{256}, []any{words(256), words(256)}, nil, 0},
		{"image/image", "equalize", [3]int{16, 16}, [3]int{8, 8}, []any{words(256)},
			[]string{"RGBA8Uint", "RGBA8Uint"}, 0},
		{"kmeans/kmeans", "assign", [3]int{100}, [3]int{64}, []any{words(200), words(8), words(100), words(1),
			uint32(4)}, nil, 0},
		{"kmeans/kmeans", "recenter", [3]int{512}, [3]int{256}, []any{words(600), words(4), words(300), uint32(300)}, nil,
			0},
		{"mandelbrot/mandelbrot", "mandelbrot", [3]int{16, 16}, [3]int{8, 8}, []any{words(256), words(2), float(1),
			uint32(20)}, nil, 0},
		{"nbody/nbody", "kick", [3]int{96}, [3]int{32}, []any{words(320), words(320), float(0.1), float(0.1),
			uint32(80)}, nil, 512},
		{"nbody/nbody", "drift", [3]int{100}, [3]int{64}, []any{words(400), words(400), float(0.1)}, nil, 0},
		{"perceptron/perceptron", "hidden", [3]int{16, 5}, [3]int{16, 2}, []any{words(80), words(16)}, nil, 0},
		{"perceptron/perceptron", "add_bias", [3]int{16, 5}, [3]int{16, 2}, []any{words(80), words(16)}, nil, 0},
		{"perceptron/perceptron", "loss_gradient", [3]int{2, 40}, [3]int{2, 16}, []any{words(80), words(80), words(40)},
			nil, 0},
		{"perceptron/perceptron", "tanh_gradient", [3]int{16, 5}, [3]int{16, 2}, []any{words(80), words(80)}, nil, 0},
		{"perceptron/perceptron", "descend", [3]int{100}, [3]int{64}, []any{words(100), words(100), words(100),
			float(0.1), float(0.9)}, nil, 0},
		{"typed/balls", "heights", [3]int{100}, [3]int{64}, []any{words(1200), words(100)}, nil, 0},
		{"cookbook/saxpy", "saxpy", [3]int{100}, [3]int{64}, []any{words(100), words(100), float(2)}, nil, 0},
	} {
		file := filepath.Join("..", "..", "..", "examples", filepath.FromSlash(c.file)+".metal")
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		m, diags := msl.Compile(t.Context(), msl.Source{Name: filepath.Base(file), Text: string(text)},
			msl.Options{NoWarnings: true, KeepUninitialized: true})
		require.Empty(t, diags)
		l := &testlaunch.Launch{Grid: c.grid, Group: c.group, Buffers: map[int]testlaunch.Buffer{},
			Textures: map[int]*testlaunch.Texture{}, ThreadgroupMemory: map[int]int{0: c.threadgroup},
			Constants: map[int][]byte{0: {32, 0, 0, 0}}}
		for i, b := range c.buffers {
			var data []byte
			switch x := b.(type) {
			case words:
				for range x {
					data = binary.LittleEndian.AppendUint32(data, random.Uint32N(4))
				}
			case float:
				data = binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(x)))
			case uint32:
				data = binary.LittleEndian.AppendUint32(nil, x)
			}
			l.Buffers[i] = testlaunch.Buffer{Data: data}
		}
		for i, format := range c.textures {
			l.Textures[i] = &testlaunch.Texture{Format: format, Width: 16, Height: 16,
				Levels: [][]byte{make([]byte, 16*16*8)}}
		}
		f := m.IR.Func(c.kernel)
		require.NotNil(t, f, c.kernel)
		before := tally.Kernels
		tally.Test(t, f, l, false)
		require.Equal(t, before+1, tally.Kernels, "%s was not judged: %v", c.kernel, Judge(t.Context(), e, f, Copies(l)).Skip)
	}
	t.Logf("mutants:\n%v", &tally)
}
