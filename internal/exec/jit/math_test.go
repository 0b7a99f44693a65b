package jit

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/num"
	"github.com/puremetal/puremetal/internal/exec/num/fast"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// TestMachineCodeFastMath: the functions of fast math have the bits of package num's as machine
// code, over all exponents and signs and at special values, with operands in registers and memory.
func TestMachineCodeFastMath(t *testing.T) {
	needMachineCode(t)
	var text strings.Builder
	for op, p := range fast.Programs() {
		if p == nil {
			continue
		}
		call := ir.Op(op).Info().Name + "(a)"
		if p.Args == 2 {
			call = ir.Op(op).Info().Name + "(a, b)"
		}
		fmt.Fprintf(&text, `
kernel void %s(device float *out [[buffer(0)]], device const float *x [[buffer(1)]],
               device const float *y [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  float a = x[i], b = y[i];
  out[i] = %s;
}`, p.Name, call)
	}
	ks := kernelsOf(t, text.String())
	const n = 1 << 16
	xs, ys := make([]uint32, n), make([]uint32, n)
	for i := range xs {
		xs[i] = uint32(i) * 65521
		ys[i] = math.Float32bits(float32(int32(uint32(i)*2654435761)) / (1 << 27))
	}
	for i, a := range hardNumbers {
		for k, b := range hardNumbers {
			xs[i*len(hardNumbers)+k], ys[i*len(hardNumbers)+k] = a, b
		}
	}
	e := exec.NewEngine(1)
	for op, p := range fast.Programs() {
		if p == nil {
			continue
		}
		for _, o := range machineCodes(Options{}, Options{Blocks: 1, Spill: true}, Options{Cold: true},
			Options{Calls: true}) {
			out := make([]byte, 4*n)
			sp := &exec.Space{}
			sp.Set(1, exec.Object{Data: out})
			sp.Set(2, exec.Object{Data: words(xs...), ReadOnly: true})
			sp.Set(3, exec.Object{Data: words(ys...), ReadOnly: true})
			k := exec.NewKernel(ks[p.Name].Func(), exec.Options{Backend: backend{Machine: o}})
			require.NoError(t, e.Run(t.Context(), k, &exec.Launch{Grid: [3]int{n}, Group: [3]int{256}, Space: sp,
				Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0), exec.Address(3, 0)}}))
			c, err := compiled(k, [3]int{256, 1, 1})
			require.NoError(t, err)
			at := slices.IndexFunc(c.lir.Code, func(in lir.Inst) bool { return in.Op.IR() == ir.Op(op) })
			code, err := Compile(c.lir, o)
			require.NoError(t, err)
			require.True(t, slices.ContainsFunc(code.Ranges, func(r *Range) bool { return r.From <= at && at < r.To }),
				"%s is not machine code", p.Name)
			for i := range xs {
				have := binary.LittleEndian.Uint32(out[4*i:])
				v := [4]uint64{uint64(xs[i]), uint64(ys[i])}
				want := uint32(num.Flagged(ir.Op(op), ir.Fast, ir.F32, ir.F32, v)[0])
				a, b := math.Float32frombits(have), math.Float32frombits(want)
				if have != want && (a == a || b == b) {
					t.Fatalf("%s of %#x and %#x: %v, want %v", p.Name, xs[i], ys[i], a, b)
				}
			}
		}
	}
}

// TestMachineCodeExactMath: functions without fast math have the bits of package num's as machine
// code, over all exponents and signs and at special values.
func TestMachineCodeExactMath(t *testing.T) {
	needMachineCode(t)
	const n = 1 << 16
	var xs []uint32
	for i := range n {
		x := uint32(i) * 65521
		if i%2 != 0 { // between -16 and 16
			x = math.Float32bits(float32(int32(uint32(i)*2654435761)) / (1 << 27))
		}
		xs = append(xs, x)
	}
	copy(xs, hardNumbers)
	e := exec.NewEngine(1)
	for op := range ir.NumOps {
		p := fast.Exact(ir.Op(op))
		if p == nil {
			continue
		}
		k := kernelsOf(t, fmt.Sprintf(`
kernel void exact(device float *out [[buffer(0)]], device const float *x [[buffer(1)]],
                  uint i [[thread_position_in_grid]]) {
  out[i] = metal::precise::%s(x[i]);
}`, ir.Op(op).Info().Name))["exact"]
		for _, o := range machineCodes(Options{}, Options{Blocks: 1, Spill: true}, Options{Calls: true}) {
			out := make([]byte, 4*n)
			sp := &exec.Space{}
			sp.Set(1, exec.Object{Data: out})
			sp.Set(2, exec.Object{Data: words(xs...), ReadOnly: true})
			k := exec.NewKernel(k.Func(), exec.Options{Backend: backend{Machine: o}})
			require.NoError(t, e.Run(t.Context(), k, &exec.Launch{Grid: [3]int{n}, Group: [3]int{256}, Space: sp,
				Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0)}}))
			c, err := compiled(k, [3]int{256, 1, 1})
			require.NoError(t, err)
			requireCompiled(t, c.lir, o, p.Name)
			for i, x := range xs {
				have := binary.LittleEndian.Uint32(out[4*i:])
				want := uint32(num.Scalar(ir.Op(op), ir.F32, ir.F32, [4]uint64{uint64(x)})[0])
				a, b := math.Float32frombits(have), math.Float32frombits(want)
				if have != want && (a == a || b == b) {
					t.Fatalf("%s of %#x: %v, want %v, %+v", p.Name, x, a, b, o)
				}
			}
		}
	}
}
