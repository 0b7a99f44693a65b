package native_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/packed"
	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// packedCase is a product with packed weights.
type packedCase struct {
	layout packed.Layout
	scales tensorop.Type // of packed.Affine
	m      int
	x, out tensorop.Type
	wild   bool // any bytes: scales that are infinite and not numbers too
}

// run computes the case with the kernel and with the native body, which must have run unless it
// says so.
func (c packedCase) run(t *testing.T, sources compiled, r *rand.Rand, body bool) {
	t.Helper()
	require.NoError(t, c.layout.Check())
	rows := c.layout.Rows
	views := []tensorop.View{tensorop.Dense(tensorop.Uint8, c.layout.Bytes()), tensorop.Dense(c.x, c.m,
		c.layout.Columns)}
	views[1].Offset = 3
	memory := [][]byte{c.weights(r), c.numbers(r, c.x, c.m*c.layout.Columns+3)}
	if c.layout.Group > 0 {
		typ := tensorop.Uint8
		if c.layout.Format == packed.Affine {
			typ = c.scales
		}
		n := rows * c.layout.RowScales()
		views = append(views, tensorop.Dense(typ, n), tensorop.Dense(typ, n))
		memory = append(memory, c.scaleBytes(r, typ, n), c.scaleBytes(r, typ, n))
	}
	out := tensorop.Dense(c.out, c.m, rows)
	b, ins, outs := tensorop.NewBuilder(views, []tensorop.View{out})
	p := tensorop.Packed{Layout: c.layout, Data: ins[0]}
	if c.layout.Group > 0 {
		p.Scales, p.Biases = ins[2], ins[3]
	}
	b.PackedMatMul(outs[0], ins[1], p)
	plan, err := b.Plan()
	require.NoError(t, err)
	memory = append(memory, make([]byte, c.m*rows*c.out.Size()))
	f := sources.get(t, plan.Steps[0].Source)
	ran := both(t, 2, f, launchOf(plan, memory...))
	assert.Equal(t, body, ran, "%+v", c)
}

// numbers returns those of a type.
func (c packedCase) numbers(r *rand.Rand, typ tensorop.Type, n int) []byte {
	b := elements(r, typ, n)
	for i := range b {
		if !c.wild && i%typ.Size() == typ.Size()-1 {
			b[i] &^= 0x40 // below 2
		}
	}
	return b
}

func (c packedCase) scaleBytes(r *rand.Rand, typ tensorop.Type, n int) []byte {
	if typ != tensorop.Uint8 {
		return c.numbers(r, typ, n)
	}
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(112 + r.IntN(32))
		if c.wild {
			b[i] = byte(r.Uint32())
		}
	}
	return b
}

func (c packedCase) weights(r *rand.Rand) []byte {
	b := make([]byte, c.layout.Bytes())
	for i := range b {
		b[i] = byte(r.Uint32())
		if !c.wild {
			b[i] &^= 0x40 // halves and floats of any bytes are below 2
		}
	}
	return b
}

// packedLayouts returns a layout of each format.
func packedLayouts(rows, columns int) (list []packed.Layout) {
	for f := packed.PackedF32; f.Valid(); f++ {
		l := packed.Layout{Format: f, Rows: rows, Columns: columns}
		block, _ := f.Block()
		block = max(block, 1)
		if f >= packed.Affine {
			block = 128
		}
		if f == packed.MLXNVFP4 {
			block = 16
		}
		l.Columns = (columns + block - 1) / block * block
		if f != packed.Affine {
			list = append(list, l)
			continue
		}
		for i, bits := range []int{2, 3, 4, 5, 6, 8} {
			l.Bits, l.Group = bits, 32<<(i%3)
			list = append(list, l)
		}
	}
	return list
}

// TestPackedBits: the kernels of products with packed weights and their native bodies give the same
// bits for all formats, types and numbers of rows.
func TestPackedBits(t *testing.T) {
	sources := compiled{}
	r := rand.New(rand.NewPCG(1, 2))
	floats := []tensorop.Type{tensorop.Float32, tensorop.Float16, tensorop.BFloat16}
	m := []int{1, 2, 4, 5, 17}
	for i, l := range packedLayouts(6, 300) {
		for j, wild := range []bool{false, true} {
			c := packedCase{layout: l, scales: floats[i%3], m: m[(i+j)%len(m)], x: floats[(i+j)%3], out: floats[i/3%3],
				wild: wild}
			name := fmt.Sprintf("%v-%d-%d-%v", l.Format, l.Bits, c.m, wild)
			t.Run(name, func(t *testing.T) { c.run(t, sources, r, true) })
		}
	}
	// Blocks of I2_S that cross rows have no native body.
	c := packedCase{layout: packed.Layout{Format: packed.I2_S, Rows: 4, Columns: 96}, m: 3, x: tensorop.Float32,
		out: tensorop.Float32}
	c.run(t, sources, r, false)
}

// TestTernaryBits is TestPackedBits for products with integers.
func TestTernaryBits(t *testing.T) {
	sources := compiled{}
	r := rand.New(rand.NewPCG(3, 4))
	for i, f := range []packed.Format{packed.TQ1_0, packed.TQ2_0, packed.I2_S} {
		for _, m := range []int{1, 5} {
			for _, wild := range []bool{false, true} {
				c := packedCase{layout: packed.Layout{Format: f, Rows: 5 + i, Columns: 512}, wild: wild}
				if f == packed.I2_S {
					c.layout.Columns = 384
				}
				views := []tensorop.View{tensorop.Dense(tensorop.Uint8, c.layout.Bytes()),
					tensorop.Dense(tensorop.Float32, m, c.layout.Columns)}
				out := tensorop.Dense(tensorop.Float32, m, c.layout.Rows)
				b, ins, outs := tensorop.NewBuilder(views, []tensorop.View{out})
				b.TernaryMatMul(outs[0], ins[1], tensorop.Packed{Layout: c.layout, Data: ins[0]})
				plan, err := b.Plan()
				require.NoError(t, err)
				s := &plan.Steps[len(plan.Steps)-1]
				l := &testlaunch.Launch{Grid: s.Threads, Group: s.Group, Buffers: map[int]testlaunch.Buffer{
					0: {Data: make([]byte, 4*m*c.layout.Rows)}, 1: {Data: c.weights(r)},
					2: {Data: elements(r, tensorop.Int8, m*c.layout.Columns)},
					3: {Data: c.numbers(r, tensorop.Float32, m)}, 4: {Data: s.Arguments}}}
				assert.True(t, both(t, 2, sources.get(t, s.Source), l), "%v, %d rows", f, m)
			}
		}
	}
}
