package dialects

import (
	"encoding/binary"
	"math"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/gokernel"
	"github.com/puremetal/puremetal/internal/test/exectest"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

const doubleGo = `package k

import (
	"math"

	"github.com/puremetal/puremetal/kernel"
)

type pair struct {
	N    int32
	A, B float64
}

var table = []float64{0.1, 1 / 3.0, math.Pi}

//puremetal:kernel
func K(t *kernel.Thread, x []float64, f []float32, scale float64, p []pair) {
	i := int(t.Global.X)
	y := x[i]*scale + 0.1
	f[0] = float32(y)
	f[1] = float32(math.Sqrt(y) + math.Max(x[i], 2))
	f[2] = float32(math.Floor(math.Sqrt(2)) + half(x[i]))
	n := int32(y)
	f[3] = float32(n) + float32(float64(n)/4)
	f[4] = float32(table[1] + table[i])
	p[0].B = p[0].A * math.Abs(-y)
	f[5] = f[4] * 2
	if y > 1 && !math.IsNaN(y) {
		y = -y
	}
	f[6] = min(float32(y), sum([2]float64{y, 1e-3}))
	f[7] = float32(math.Sqrt(float64(f[5])))
}

func half(x float64) float64 { return x / 2 }

func sum[T float32 | float64](x [2]T) float32 { return float32(x[0] + x[1]) }
`

// TestGoDouble: with Options.DoubleAsFloat, float64 is float; constants are rounded once, and lines
// whose values may be others have warnings.
func TestGoDouble(t *testing.T) {
	fsys := fstest.MapFS{"k.go": {Data: []byte(doubleGo)}}
	r, err := gokernel.Translate(t.Context(), fsys, ".", gokernel.Options{})
	require.NoError(t, err)
	require.Len(t, r.Refused, 1)
	r, err = gokernel.Translate(t.Context(), fsys, ".", gokernel.Options{DoubleAsFloat: true})
	require.NoError(t, err)
	require.Empty(t, r.Refused)
	var lines []int
	for _, p := range r.Doubles {
		require.Equal(t, "k.go", p.Filename)
		lines = append(lines, p.Line)
	}
	require.Equal(t, []int{14, 17, 19, 20, 21, 22, 23, 24, 25, 26, 28, 29, 31, 35, 37}, lines)
	const x, scale, a = float32(1.7), float32(3.3), float32(0.7)
	f := make([]float32, 8)
	p := binary.LittleEndian.AppendUint32(make([]byte, 4), math.Float32bits(a))
	p = append(p, 0, 0, 0, 0)
	one := func(n uint32) testlaunch.Buffer {
		return testlaunch.Buffer{Data: binary.LittleEndian.AppendUint32(nil, n)}
	}
	l := testlaunch.Launch{Grid: [3]int{1, 1, 1}, Group: [3]int{1, 1, 1}, Fuel: 1 << 30,
		Buffers: map[int]testlaunch.Buffer{0: {Data: encode(t, []float32{x})}, 1: one(1), 2: {Data: encode(t, f)}, 3: one(8),
			4: {Data: encode(t, scale)}, 5: {Data: p}, 6: one(1)}}
	exectest.Run(t, r.Module.IR.Func("K"), l)
	_, err = binary.Decode(l.Buffers[2].Data, binary.LittleEndian, f)
	require.NoError(t, err)
	root := func(x float32) float32 { return float32(math.Sqrt(float64(x))) }
	y := float32(x*scale) + 0.1
	third, tenth := float32(1/3.0), float32(0.1)
	want := []float32{y, root(y) + 2, 1 + x/2, float32(int32(y)) + float32(int32(y))/4, third + tenth}
	want = append(want, want[4]*2, min(-y, -y+1e-3), root(want[4]*2))
	require.Equal(t, want, f)
	require.Equal(t, math.Float32bits(a*y), binary.LittleEndian.Uint32(l.Buffers[5].Data[8:]))
}
