package translate_test

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec/exectest"
	"github.com/puremetal/puremetal/internal/exec/testlaunch"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/msl/dialect"
	"github.com/puremetal/puremetal/internal/msl/translate"
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
		translate.Options{Compile: msl.Options{Dialect: dialect.OfFile(name), Include: os.DirFS("testdata")}})
	require.NoError(t, err, "%s", r.Text)
	require.Empty(t, r.Refused)
	require.NotEmpty(t, r.Kernels)
	for _, k := range r.Kernels {
		direct, text := r.Direct.IR.Func(k.Direct()), r.Module.IR.Func(k.As)
		require.NotNil(t, direct, k.Name)
		require.NotNil(t, text, k.As)
		want, have := launch(direct, k), launch(text, k)
		errWant, errHave := exectest.Quick.Run(direct, &want), exectest.Quick.Run(text, &have)
		assert.Equal(t, errWant == nil, errHave == nil, "%v, %v", errWant, errHave)
		for slot := range want.Buffers {
			at := exectest.Differ(want.Buffers[slot].Data, have.Buffers[slot].Data)
			assert.Negative(t, at, "%s: word %d of buffer %d\n%s", k.Name, at, slot, r.Text)
		}
	}
	return r
}

// launch returns a launch of a kernel with data that follow from its name.
func launch(f *ir.Func, k translate.Kernel) testlaunch.Launch {
	h := fnv.New64()
	h.Write([]byte(k.Name))
	random := rand.New(rand.NewPCG(h.Sum64(), 1))
	l := testlaunch.Launch{Grid: [3]int{32, 2, 1}, Group: [3]int{8, 2, 1}, Buffers: map[int]testlaunch.Buffer{},
		ThreadgroupMemory: map[int]int{}, Textures: map[int]*testlaunch.Texture{}, Samplers: map[int]ir.SamplerState{},
		Fuel: 1 << 24}
	if k.Group[0] > 0 {
		l.Group = k.Group
	}
	for _, a := range k.Args {
		switch a.Kind {
		case "threadgroup":
			l.ThreadgroupMemory[a.Index] = 4096
		case "value":
			data := make([]byte, 256)
			fill(data, a.Type, func() float64 { return float64(1 + random.IntN(6)) })
			l.Buffers[a.Index] = testlaunch.Buffer{Data: data}
		case "buffer":
			data := make([]byte, 8192)
			fill(data, a.Type, func() float64 { return float64(random.IntN(64)) + float64(random.IntN(8))/8 })
			l.Buffers[a.Index] = testlaunch.Buffer{Data: data}
		}
	}
	return l
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
