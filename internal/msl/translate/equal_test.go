package translate_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/message"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/msl/dialect"
	"github.com/puremetal/puremetal/internal/msl/translate"
	"github.com/puremetal/puremetal/internal/test/exectest"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// TestEqual runs each kernel of testdata as it is compiled directly and by its text, with the same
// data, which must leave the same bytes.
func TestEqual(t *testing.T) {
	names, err := filepath.Glob(filepath.Join("..", "..", "..", "testdata", "opencl", "*.cl"))
	require.NoError(t, err)
	more, err := filepath.Glob(filepath.Join("..", "..", "..", "testdata", "cuda", "*.cu"))
	require.NoError(t, err)
	require.NotEmpty(t, names)
	require.NotEmpty(t, more)
	for _, name := range append(names, more...) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			switch filepath.Base(name) {
			case "device.cu", "textures.cu":
				t.Skip("blocks of certain sizes, and textures: the tests of package dialects run them by their texts too")
			}
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			equal(t, filepath.Base(name), string(text))
		})
	}
}

// equal translates a program and compares its kernels with those that are compiled directly.
func equal(t *testing.T, name, text string) *translate.Result {
	t.Helper()
	r, err := translate.Translate(t.Context(), msl.Source{Name: name, Text: text},
		translate.Options{Compile: msl.Options{Dialect: dialect.OfFile(name), Include: os.DirFS("testdata")}, Direct: true})
	require.NoError(t, err, "%s", r.Text)
	require.Empty(t, r.Refused)
	require.NotEmpty(t, r.Kernels)
	for _, k := range r.Kernels {
		_, why, _ := differs(r, k, shapes[:1], 1<<24)
		assert.Empty(t, why, "%s\n%s", k.Name, r.Text)
	}
	return r
}

// shape is that of a launch, and about how large the numbers are that it has by value.
type shape struct {
	grid, group [3]int
	values      int
}

var shapes = []shape{
	{[3]int{32, 2, 1}, [3]int{8, 2, 1}, 1},
	{[3]int{192, 1, 1}, [3]int{64, 1, 1}, 100},
	{[3]int{32, 32, 1}, [3]int{16, 16, 1}, 16},
	{[3]int{32, 1, 1}, [3]int{32, 1, 1}, 32},
	{[3]int{64, 4, 2}, [3]int{32, 4, 1}, 4},
}

// differs runs a kernel directly and by its text, and says in what the results differ. Whole is the
// number of launches that no error ended, and ended such an error.
func differs(r *translate.Result, k translate.Kernel, shapes []shape, fuel int64) (whole int, why string, ended error) {
	direct, text := r.Direct.IR.Func(k.Direct()), r.Module.IR.Func(k.As)
	if direct == nil || text == nil {
		return 0, "a path has no such kernel", nil
	}
	for i, shape := range shapes {
		want := launch(direct, k, shape, fuel)
		have := want.Clone()
		var messages [2][]string
		want.Log = func(m *message.Message) { messages[0] = append(messages[0], m.Text()) } // by one worker
		have.Log = func(m *message.Message) { messages[1] = append(messages[1], m.Text()) }
		errWant, errHave := exectest.Quick.Run(direct, want), exectest.Quick.Run(text, have)
		if errors.Is(errWant, exec.ErrFuel) || errors.Is(errHave, exec.ErrFuel) {
			ended = exec.ErrFuel // the two may need different amounts of work
			continue
		}
		if kind(errWant) != kind(errHave) {
			return whole, fmt.Sprintf("launch %d: %v directly, %v by the text", i, errWant, errHave), nil
		}
		if errWant != nil {
			ended = errWant
			continue
		}
		whole++
		for slot := range want.Buffers {
			a, b := want.Buffers[slot].Data, have.Buffers[slot].Data
			if at := exectest.Differ(a, b); at >= 0 {
				return whole, fmt.Sprintf("launch %d: buffer %d, byte %d: %x directly, %x by the text", i, slot, at,
					a[at:min(at+8, len(a))], b[at:min(at+8, len(b))]), nil
			}
		}
		for slot, x := range want.Textures {
			if at := exectest.Differ(x.Levels[0], have.Textures[slot].Levels[0]); at >= 0 {
				return whole, fmt.Sprintf("launch %d: texture %d, byte %d", i, slot, at), nil
			}
		}
		if !slices.Equal(messages[0], messages[1]) {
			return whole, fmt.Sprintf("launch %d: messages %q directly, %q by the text", i, messages[0], messages[1]), nil
		}
	}
	return whole, "", ended
}

// kind is what an error is, without its place.
func kind(err error) string {
	for _, known := range []error{exec.ErrDivergentBarrier, exec.ErrUnsupported, exec.ErrLaunch, exec.ErrGridSync} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return fmt.Sprintf("%T", err)
}

// launch returns a launch of a kernel with data that follow from its name.
func launch(f *ir.Func, k translate.Kernel, shape shape, fuel int64) *testlaunch.Launch {
	h := fnv.New64()
	h.Write([]byte(k.Name))
	random := rand.New(rand.NewPCG(h.Sum64(), 1))
	l := testlaunch.Launch{Grid: shape.grid, Group: shape.group, Buffers: map[int]testlaunch.Buffer{},
		ThreadgroupMemory: map[int]int{}, Textures: map[int]*testlaunch.Texture{}, Samplers: map[int]ir.SamplerState{},
		Fuel: fuel}
	if k.Group[0] > 0 {
		l.Group = k.Group
	}
	number := func() float64 { return float64(random.IntN(64)) + float64(random.IntN(8))/8 }
	for _, a := range k.Args {
		switch a.Kind {
		case "threadgroup":
			l.ThreadgroupMemory[a.Index] = 4096
		case "value":
			data := make([]byte, 256)
			fill(data, a.Type, func() float64 { return float64(shape.values + random.IntN(6)) })
			l.Buffers[a.Index] = testlaunch.Buffer{Data: data}
		case "buffer":
			data := make([]byte, 8192)
			fill(data, a.Type, number)
			l.Buffers[a.Index] = testlaunch.Buffer{Data: data}
		case "sampler":
			l.Samplers[a.Index] = ir.SamplerState{}
		}
	}
	for _, a := range f.Args {
		if a.Kind == ir.ArgTexture {
			l.Textures[a.Index] = texture(a.Texture, number)
		}
	}
	return &l
}

// texture returns a texture of a type in the form of package ir: tex.2d.f32.read.
func texture(typ string, number func() float64) *testlaunch.Texture {
	x := &testlaunch.Texture{Format: "RGBA32Float", Width: 16, Height: 16, Depth: 4}
	components := "float"
	switch {
	case strings.Contains(typ, ".i32"), strings.Contains(typ, ".s32"):
		x.Format, components = "RGBA32Sint", "int"
	case strings.Contains(typ, ".u32"):
		x.Format, components = "RGBA32Uint", "int"
	}
	switch {
	case strings.Contains(typ, "1d") || strings.Contains(typ, "buffer"):
		x.Height, x.Depth = 1, 1
	case !strings.Contains(typ, "3d"):
		x.Depth = 1
	}
	if strings.Contains(typ, "array") {
		x.Layers = 4
	}
	data := make([]byte, 16*x.Width*x.Height*x.Depth*max(x.Layers, 1))
	fill(data, components, number)
	x.Levels = [][]byte{data}
	return x
}

// fill writes numbers of a type's components.
func fill(data []byte, typ string, number func() float64) {
	switch {
	case strings.HasPrefix(typ, "float"):
		for i := 0; i+4 <= len(data); i += 4 {
			binary.LittleEndian.PutUint32(data[i:], math.Float32bits(float32(number())))
		}
	case strings.HasPrefix(typ, "half"):
		for i := 0; i+2 <= len(data); i += 2 {
			binary.LittleEndian.PutUint16(data[i:], 0x3c00+uint16(number()))
		}
	default:
		size := 4
		for prefix, n := range map[string]int{"char": 1, "uchar": 1, "short": 2, "ushort": 2, "long": 8, "ulong": 8} {
			if strings.HasPrefix(typ, prefix) {
				size = n
			}
		}
		for i := 0; i+size <= len(data); i += size {
			data[i] = byte(number())
		}
	}
}
