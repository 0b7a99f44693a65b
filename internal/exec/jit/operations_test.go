package jit

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/ref"
	"github.com/puremetal/puremetal/internal/ir/lir"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// operandsOf returns special and random numbers of a type.
func operandsOf(typ string) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	var special []uint64
	size := 4
	switch typ {
	case "float":
		special = []uint64{0, 1 << 31, 0x7f800001, 0xff800001, 0x7fc00000, 0x7f800000, 0xff800000, 1, 0x80000001,
			0x7f7fffff,
			0x3f800000, 0xbf800000, 0x4f000000, 0xcf000000, 0x4f800000, 0x4effffff, 0x477fe000, 0x477ff000, 0x33000000,
			0x33000001, 0x38800000, 0x3f000000, 0xbf000000, 0x42fe0000, 0x43000000, 0xc3000000, 0x437f8000}
	case "half":
		size = 2
		special = []uint64{0, 1 << 15, 0x7c01, 0xfc01, 0x7e00, 0x7c00, 0xfc00, 1, 0x8001, 0x3ff, 0x400, 0x7bff, 0xfbff,
			0x3c00, 0xbc00, 0x3800, 0x5bf8, 0x5c00, 0x6400}
	case "bfloat":
		size = 2
		special = []uint64{0, 1 << 15, 0x7f81, 0xff81, 0x7fc0, 0x7f80, 0xff80, 1, 0x8001, 0x7f, 0x80, 0x7f7f, 0xff7f, 0x3f80,
			0xbf80, 0x3f00, 0x4f00, 0x4f80}
	case "char", "uchar":
		size = 1
		special = []uint64{0, 1, 2, 3, 7, 8, 15, 16, 0x7f, 0x80, 0x81, 0xfe, 0xff}
	case "short", "ushort":
		size = 2
		special = []uint64{0, 1, 2, 3, 15, 16, 31, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff}
	case "long", "ulong":
		size = 8
		special = []uint64{0, 1, 2, 3, 31, 32, 63, 64, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 1<<53 + 1,
			math.MaxInt64, 1 << 63, 1<<63 + 1, math.MaxUint64 - 1, math.MaxUint64}
	default:
		special = []uint64{0, 1, 2, 3, 7, 31, 32, 33, 0x7f, 0x80, 0xffff, 0x10000, 0x7ffffffe,
			0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff}
	}
	var out []byte
	for i := range operandCount {
		x := rng.Uint64() >> (rng.UintN(4) * 8)
		if i < len(special) {
			x = special[i]
		}
		out = append(out, binary.LittleEndian.AppendUint64(nil, x)[:size]...)
	}
	return out
}

// operandCount is the number of operands of each type.
const operandCount = 48

// sameNaNs replaces the NaNs of a type by one.
func sameNaNs(typ string, b []byte) {
	infinity := map[string]uint16{"half": 0x7c00, "bfloat": 0x7f80}[typ]
	switch {
	case typ == "float":
		for i := 0; i < len(b); i += 4 {
			if x := binary.LittleEndian.Uint32(b[i:]); x&math.MaxInt32 > 0x7f800000 {
				binary.LittleEndian.PutUint32(b[i:], 0x7fc00000)
			}
		}
	case infinity != 0:
		for i := 0; i < len(b); i += 2 {
			if x := binary.LittleEndian.Uint16(b[i:]); x&math.MaxInt16 > infinity {
				binary.LittleEndian.PutUint16(b[i:], infinity+1)
			}
		}
	}
}

// sizeOf returns the bytes of a type.
func sizeOf(typ string) int { return len(operandsOf(typ)) / operandCount }

// runOperation runs a kernel over all pairs of operands and returns what it writes.
func runOperation(t *testing.T, k *exec.Kernel, typ, result string) []byte {
	t.Helper()
	out := make([]byte, operandCount*operandCount*sizeOf(result))
	sp := &exec.Space{}
	sp.Set(1, exec.Object{Data: out})
	sp.Set(2, exec.Object{Data: operandsOf(typ), ReadOnly: true})
	e := exec.NewEngine(1)
	defer e.Close()
	require.NoError(t, e.Run(t.Context(), k, &exec.Launch{Grid: [3]int{operandCount * operandCount}, Group: [3]int{256},
		Space: sp, Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0)}}))
	sameNaNs(result, out)
	return out
}

// integerOperations are operations on two integers.
const integerOperations = "a + b|a - b|a * b|a / b|a % b|a & b|a | b|a ^ b|~a|-a|a << (b & 7)|a >> (b & 7)|" +
	"min(a, b)|max(a, b)|a < b ? a : b|a <= b ? b : a|a == b ? a : 1|a / 16|a % 16|a / 7|a % 7|b == 0 ? a : a / b"

// narrowIntegerOperations are operations on two integers of 8 or 16 bits.
const narrowIntegerOperations = "a + b|a - b|a * b|a & b|a | b|a ^ b|~a|-a|min(a, b)|max(a, b)|" +
	"a < b ? a : b|a <= b ? b : a|a == b ? a : 1|a != b ? a : b"

// narrowFloatOperations are operations on two floats of 16 bits.
const narrowFloatOperations = "a + b|a - b|a * b|a / b|fmin(a, b)|fmax(a, b)|-a|fabs(a)|a < b ? a : b|a <= b ? b : a|" +
	"a == b ? a : b|a != b ? a : b"

// wideOperations are operations on two integers of 64 bits.
const wideOperations = "a + b|a - b|a * b|a & b|a | b|a ^ b|~a|-a|min(a, b)|max(a, b)|a << (b & 63)|a >> (b & 63)|" +
	"a < b ? a : b|a <= b ? b : a|a == b ? a : 1|a != b ? a : b"

// floatOperations are operations on two floats.
const floatOperations = "a + b|a - b|a * b|a / b|fmin(a, b)|fmax(a, b)|-a|fabs(a)|sqrt(a)|floor(a)|ceil(a)|trunc(a)|" +
	"rint(a)|a < b ? a : b|a <= b ? a : b|a == b ? a : b|a != b ? a : b"

// bitOperations are operations on the bits of two integers of 32 bits.
const bitOperations = "rotate(a, b)|rotate(a, decltype(a)(7))|popcount(a)|clz(a)|ctz(a)|mulhi(a, b)|" +
	"extract_bits(a, 3, 9)|extract_bits(a, 20, 20)|extract_bits(a, 37, 32)|extract_bits(a, 5, 0)"

// roundings are operations that round floats, and others that are no single instruction.
const roundings = "round(a)|round(a * b)|fract(a)|fract(a * b)|copysign(a, b)"

// narrowFunctions are functions of floats of 16 bits.
const narrowFunctions = roundings + "|sqrt(a)|floor(a)|ceil(a)|trunc(a)|rint(a)|exp(a)|log(a)|sin(a)|tanh(b)|" +
	"rsqrt(a)|pow(a, b)|atan2(a, b)"

// TestMachineCodeOperations: operations have the interpreter's results on special operands, and no
// instruction on lanes is interpreted.
func TestMachineCodeOperations(t *testing.T) {
	needMachineCode(t)
	cases := []struct{ typ, result, ops string }{
		{"int", "int", integerOperations}, {"uint", "uint", integerOperations},
		{"float", "float", floatOperations},
		{"float", "float", "fma(a, b, a)"},
		{"int", "int", "(a < b) != (b < 3) ? a : b|((a < b) ? (b > 3) : (a > 4)) ? 1 : 2"},
		{"char", "char", narrowIntegerOperations}, {"uchar", "uchar", narrowIntegerOperations},
		{"short", "short", narrowIntegerOperations}, {"ushort", "ushort", narrowIntegerOperations},
		{"long", "long", wideOperations}, {"ulong", "ulong", wideOperations},
		{"int", "long", "long(a) * b"}, {"uint", "ulong", "ulong(a) * b"}, {"short", "long", "long(a) - b"},
		{"uchar", "ulong", "ulong(a)"}, {"long", "int", "int(a)"}, {"ulong", "ushort", "ushort(a)"},
		{"int", "ulong", "ulong(a < b)"},
		{"half", "half", narrowFloatOperations}, {"bfloat", "bfloat", narrowFloatOperations},
		{"half", "float", "float(a) + float(b)|float(a) * 3"}, {"bfloat", "float", "float(a) + float(b)"},
		{"float", "half", "half(a)|half(a * b)"}, {"float", "bfloat", "bfloat(a)|bfloat(a * b)"},
		{"char", "int", "int(a) + int(b)"}, {"uchar", "uint", "uint(a) + uint(b)"}, {"short", "char", "char(a)"},
		{"ushort", "float", "float(a)"}, {"char", "float", "float(a) * float(b)"}, {"int", "half", "half(a)"},
		{"uchar", "half", "half(a)"}, {"short", "bfloat", "bfloat(a)"}, {"uint", "short", "short(a)"},
		{"half", "ushort", "as_type<ushort>(a) ^ as_type<ushort>(b)"},
		{"int", "float", "float(a)"}, {"uint", "float", "float(a)"},
		{"int", "int", bitOperations + "|abs(a)"}, {"uint", "uint", bitOperations}, {"float", "float", roundings},
		{"half", "half", narrowFunctions}, {"bfloat", "bfloat", narrowFunctions},
		{"float", "int", "int(a)|int(a * b)"}, {"float", "uint", "uint(a)|uint(a * b)"}, {"float", "char", "char(a)"},
		{"float", "uchar", "uchar(a)"}, {"float", "short", "short(a)"}, {"float", "ushort", "ushort(a)"},
		{"half", "int", "int(a)"}, {"half", "uint", "uint(a)"}, {"half", "uchar", "uchar(a)"}, {"bfloat", "int", "int(a)"},
		{"bfloat", "uint", "uint(a)"}, {"bfloat", "short", "short(a)"},
	}
	for _, c := range cases {
		for n, op := range strings.Split(c.ops, "|") {
			text := fmt.Sprintf(`
kernel void operation(device %s *out [[buffer(0)]], device const %s *in [[buffer(1)]],
                      uint i [[thread_position_in_grid]]) {
  %s a = in[i / %d], b = in[i %% %d];
  out[i] = %s(%s);
}`, c.result, c.typ, c.typ, operandCount, operandCount, c.result, op)
			k := kernelsOf(t, text)["operation"]
			want := runOperation(t, k, c.typ, c.result)
			for _, o := range machineCodes(Options{}, Options{Blocks: 1, Spill: true}, Options{Cold: true}) {
				k := exec.NewKernel(k.Func(), exec.Options{Backend: backend{Machine: o}})
				have := runOperation(t, k, c.typ, c.result)
				size := sizeOf(c.result)
				for at := 0; at < len(want); at += size {
					require.Equal(t, want[at:at+size], have[at:at+size], "%s of %s, operands %d and %d, %+v", op, c.typ,
						at/size/operandCount, at/size%operandCount, o)
				}
				p, err := compiled(k, [3]int{256, 1, 1})
				require.NoError(t, err)
				requireCompiled(t, p.lir, o, fmt.Sprintf("case %d: %s of %s\n%v", n, op, c.typ, p.lir))
			}
		}
	}
}

// requireCompiled requires that all instructions on lanes become machine code.
func requireCompiled(t *testing.T, p *lir.Program, o Options, what string) {
	t.Helper()
	c, err := Compile(p, o)
	require.NoError(t, err)
	inside := make([]bool, len(p.Code))
	for _, r := range c.Ranges {
		for pc := r.From; pc < r.To; pc++ {
			inside[pc] = true
		}
	}
	for pc := range p.Code {
		if in := &p.Code[pc]; in.Per == lir.Lane && !inside[pc] {
			t.Fatalf("instruction %d, %v, is interpreted in %s", pc, in.Op, what)
		}
	}
}

// TestMachineCodeAddresses: lanes access memory at addresses of their own, and with numbers that
// their simdgroups share, as the interpreter does. 20 threads fill part of a vector, and half of it
// has no place for numbers of 64 bits.
func TestMachineCodeAddresses(t *testing.T) {
	needMachineCode(t)
	k := kernelsOf(t, `
kernel void addresses(device long *out [[buffer(0)]], device const int *in [[buffer(1)]],
                      uint i [[thread_position_in_grid]], uint l [[thread_index_in_threadgroup]],
                      uint s [[simdgroup_index_in_threadgroup]], uint n [[threads_per_threadgroup]]) {
  device const int *p = in + (i * 7 & 31);
  device long *to = out + i * 4;
  long sum = 0;
  for (uint k = 0; k < 5 + (i & 3); ++k) {
    if (k & 1 && *p > 0) { p += 3 * s + 1; sum -= p[s]; } else { p = *p < 0 ? p - 1 : p + 2; }
    sum = sum * 3 + *p + p[2] + in[s * 4 + k];
    p = sum & 8 ? p : in + (sum & 63);
    if (i % 5 != 2) to[k & 3] = sum + n;
    if ((sum & 7) == i % 8) to[3] ^= to[k & 1];
  }
}`)["addresses"]
	in := make([]byte, 4*200)
	for i := range len(in) / 4 {
		binary.LittleEndian.PutUint32(in[4*i:], uint32((i*2654435761)>>7%4001-2000))
	}
	for _, threads := range []int{1, 8, 20, 32, 96, 250, 256, 300} {
		run := func(k *exec.Kernel) []byte {
			out := make([]byte, 8*4*threads)
			sp := &exec.Space{}
			sp.Set(1, exec.Object{Data: out[:8*4*threads-16]}) // the last accesses are outside
			sp.Set(2, exec.Object{Data: in[:4*61], ReadOnly: true})
			e := exec.NewEngine(1)
			defer e.Close()
			require.NoError(t, e.Run(t.Context(), k, &exec.Launch{Grid: [3]int{threads}, Group: [3]int{threads},
				Space: sp, Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0)}}))
			return out
		}
		want := run(k)
		for _, o := range machineCodes(Options{}, Options{Blocks: 1}, Options{Blocks: 2, Spill: true},
			Options{Cold: true}) {
			k := exec.NewKernel(k.Func(), exec.Options{Backend: backend{Machine: o}})
			require.Equal(t, want, run(k), "%d threads, %+v", threads, o)
			p, err := compiled(k, [3]int{threads, 1, 1})
			require.NoError(t, err)
			back := slices.IndexFunc(p.lir.Code, func(in lir.Inst) bool { return in.Op == lir.OpBack })
			loop := slices.ContainsFunc(p.ranges, func(r *Range) bool {
				return r.From <= int(p.lir.Code[back].Target) && back < r.To
			})
			require.True(t, loop || threads == 1 || o.Blocks > 0,
				"the loop is interpreted with %d threads, %+v\n%v", threads, o, p.lir)
		}
	}
}

// TestMachineCodeObjects: a range finds an object although the variable that its address comes from
// is not used any more, and another has its place.
func TestMachineCodeObjects(t *testing.T) {
	needMachineCode(t)
	k := testlaunch.NewRandomKernel(2087)
	want, err := k.Oracle(ref.Run)
	require.NoError(t, err)
	kernel := exec.NewKernel(k.Module.Funcs[0], exec.Options{Backend: backend{Strip: lir.SimdWidth, Machine: Options{}}})
	have, err := k.Run(exec.NewEngine(1), kernel, nil)
	k.Require(t, "an address whose root is not live", want, have, err)
}

// TestMachineCodeSharedOperations: operations on numbers that all threads share have the
// interpreter's results on special operands.
func TestMachineCodeSharedOperations(t *testing.T) {
	needMachineCode(t)
	for _, c := range []struct{ typ, result, ops string }{
		{"int", "int", bitOperations + "|abs(a)"}, {"float", "float", roundings + "|atan2(a, b)|sinpi(a)"},
		{"half", "half", narrowFunctions}, {"bfloat", "bfloat", roundings + "|exp(a)"}, {"float", "int", "int(a)|uint(a)"},
		{"float", "short", "short(a)|uchar(a)"}, {"half", "int", "int(a)|uint(a)"},
	} {
		for _, op := range strings.Split(c.ops, "|") {
			k := kernelsOf(t, fmt.Sprintf(`
kernel void operation(device %s *out [[buffer(0)]], device const %s *in [[buffer(1)]],
                      uint g [[threadgroup_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {
  %s a = in[g / %d], b = in[g %% %d];
  if (t %% 32 == g %% 29) out[g] = %s(%s);
}`, c.result, c.typ, c.typ, operandCount, operandCount, c.result, op))["operation"]
			run := func(b backend) []byte {
				out := make([]byte, operandCount*operandCount*sizeOf(c.result))
				sp := &exec.Space{}
				sp.Set(1, exec.Object{Data: out})
				sp.Set(2, exec.Object{Data: operandsOf(c.typ), ReadOnly: true})
				e := exec.NewEngine(1)
				defer e.Close()
				k := exec.NewKernel(k.Func(), exec.Options{Backend: b})
				require.NoError(t, e.Run(t.Context(), k, &exec.Launch{Grid: [3]int{32 * operandCount * operandCount},
					Group: [3]int{32}, Space: sp, Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0)}}))
				sameNaNs(c.result, out)
				return out
			}
			want := run(backend{})
			for _, o := range machineCodes(Options{}) {
				have := run(backend{Machine: o})
				for at := 0; at < len(want); at += sizeOf(c.result) {
					end := at + sizeOf(c.result)
					require.Equal(t, want[at:end], have[at:end], "%s of %s, operands %d and %d, %+v", op, c.typ,
						at/sizeOf(c.result)/operandCount, at/sizeOf(c.result)%operandCount, o)
				}
			}
		}
	}
}
