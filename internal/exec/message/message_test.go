package message

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
)

// printing returns a valid instruction that prints operands of the given types in a format.
func printing(t *testing.T, format string, types ...ir.Type) *ir.Instr {
	t.Helper()
	m := &ir.Module{}
	f := m.NewFunc("k")
	b := ir.NewBuilder(f)
	args := []*ir.Value{b.Int(ir.TI32, 0)}
	for _, typ := range types {
		args = append(args, b.Const(typ, make([]uint64, typ.Lanes())...))
	}
	b.Print(ir.LogInfo, format, args...)
	in := f.Body.Instrs[len(f.Body.Instrs)-1]
	b.Return()
	require.NoError(t, m.Verify(), format)
	return in
}

// value is an operand.
type value struct {
	typ  ir.Type
	bits []uint64
}

func i32(v int64) value   { return value{ir.TI32, []uint64{uint64(uint32(v))}} }
func i64(v int64) value   { return value{ir.TI64, []uint64{uint64(v)}} }
func f32(v float64) value { return value{ir.TF32, []uint64{uint64(math.Float32bits(float32(v)))}} }

func vector(k ir.Kind, lanes ...value) value {
	v := value{typ: ir.Vector(k, len(lanes))}
	for _, l := range lanes {
		v.bits = append(v.bits, l.bits...)
	}
	return v
}

// TestText: numbers are formatted as by the C library, whose printf produced the expected texts.
func TestText(t *testing.T) {
	for _, k := range []struct {
		format string
		arg    value
		want   string
	}{
		{"% #0.3F", f32(100000.0), " 100000.000"},
		{"% #01.10F", f32(math.NaN()), " NAN"},
		{"% #1e", f32(1.0), " 1.000000e+00"},
		{"% .3E", f32(3.14159), " 3.142E+00"},
		{"% 0.0G", f32(-1.5), "-2"},
		{"% 0.3G", f32(1234567.0), " 1.23E+06"},
		{"% 01.10e", f32(0.0), " 0.0000000000e+00"},
		{"% 012.10G", f32(65504.0), " 00000065504"},
		{"% 07.0E", f32(0.1), " 01E-01"},
		{"% 07.10hi", i32(2147483647), "-0000000001"},
		{"% 07.3F", f32(65504.0), " 65504.000"},
		{"% 07A", f32(math.NaN()), "    NAN"},
		{"% e", f32(1234567.0), " 1.234567e+06"},
		{"% e", f32(3.14159), " 3.141590e+00"},
		{"% f", f32(1e30), " 1000000015047466219876688855040.000000"},
		{"%#.0hho", i32(2147483647), "0377"},
		{"%#0.0F", f32(3.14159), "3."},
		{"%#0.10G", f32(1e30), "1.000000015E+30"},
		{"%#0.10g", f32(-1.5), "-1.500000000"},
		{"%#012.0hx", i32(65), "        0x41"},
		{"%#07.10o", i32(-1), "037777777777"},
		{"%#1.0e", f32(math.Inf(-1)), "-inf"},
		{"%#12f", f32(0.1), "    0.100000"},
		{"%#1hhX", i32(189866258), "0X12"},
		{"%#7hhX", i32(2147483647), "   0XFF"},
		{"%#G", f32(1234567.0), "1.23457E+06"},
		{"%#G", f32(3.14159), "3.14159"},
		{"%+ #7.10G", f32(1e-5), "+9.999999747E-06"},
		{"%+ .0hd", i32(65), "+65"},
		{"%+ 0.0hhd", i32(-789846445), "+83"},
		{"%+ 012hhd", i32(-200), "+00000000056"},
		{"%+ 07.0hhi", i32(70000), "   +112"},
		{"%+ 0g", f32(65504.0), "+65504"},
		{"%+ 7.0F", f32(1e-5), "     +0"},
		{"%+ A", f32(1.0), "+0X1P+0"},
		{"%+ d", i32(-1), "-1"},
		{"%+.0hd", i32(-1), "-1"},
		{"%+012.3g", f32(0.0001), "+000000.0001"},
		{"%+07.10e", f32(1e6), "+1.0000000000e+06"},
		{"%+07F", f32(1e-5), "+0.000010"},
		{"%+12A", f32(65504.0), "+0X1.FFCP+15"},
		{"%+12e", f32(3.14159), "+3.141590e+00"},
		{"%+1hd", i32(200), "+200"},
		{"%+7.3a", f32(1e6), "+0x1.e84p+19"},
		{"%+e", f32(math.Copysign(0, -1)), "-0.000000e+00"},
		{"%- #F", f32(1e-5), " 0.000010"},
		{"%- .0A", f32(-2.5), "-0X1P+1"},
		{"%- .0E", f32(1e30), " 1E+30"},
		{"%- .0f", f32(math.Inf(1)), " inf"},
		{"%- 0.10hi", i32(70000), " 0000004464"},
		{"%- 07f", f32(1e30), " 1000000015047466219876688855040.000000"},
		{"%- 1.10f", f32(100000.0), " 100000.0000000000"},
		{"%- 1.3F", f32(math.Inf(1)), " INF"},
		{"%- 7.0hhi", i32(1), " 1     "},
		{"%- 7.3A", f32(65504.0), " 0X1.FFCP+15"},
		{"%- 7A", f32(1e6), " 0X1.E848P+19"},
		{"%- hhd", i32(2147483647), "-1"},
		{"%-#012E", f32(65504.0), "6.550400E+04"},
		{"%-#07x", i32(-1), "0xffffffff"},
		{"%-#1.10ho", i32(65), "0000000101"},
		{"%-#7.0e", f32(1e-5), "1.e-05 "},
		{"%-+#012.10e", f32(1e6), "+1.0000000000e+06"},
		{"%-+.3E", f32(math.Copysign(0, -1)), "-0.000E+00"},
		{"%-+1hd", i32(2147483647), "-1"},
		{"%-+f", f32(3.14159), "+3.141590"},
		{"%-.10hhi", i32(2147483647), "-0000000001"},
		{"%-.3ho", i32(-200), "177470"},
		{"%-012A", f32(1e6), "0X1.E848P+19"},
		{"%-01X", i32(-200), "FFFFFF38"},
		{"%-0hX", i32(2147483647), "FFFF"},
		{"%-12.3hhu", i32(65), "065         "},
		{"%-12.3x", i32(-1), "ffffffff    "},
		{"%-12F", f32(0.0), "0.000000    "},
		{"%-12G", f32(math.Inf(1)), "INF         "},
		{"%-12a", f32(1e30), "0x1.93e594p+99"},
		{"%-7.0G", f32(math.Inf(-1)), "-INF   "},
		{"%-7.3hu", i32(607774034), "58706  "},
		{"%-c", i32(47), "/"},
		{"%-c", i32(52), "4"},
		{"%.0A", f32(math.Inf(1)), "INF"},
		{"%.0hi", i32(2147483647), "-1"},
		{"%.0hx", i32(-1), "ffff"},
		{"%.0hx", i32(2147483647), "ffff"},
		{"%.10f", f32(1e6), "1000000.0000000000"},
		{"%.10hhd", i32(65), "0000000065"},
		{"%.3A", f32(0.1), "0X1.99AP-4"},
		{"%0.0E", f32(1e6), "1E+06"},
		{"%0.0g", f32(math.Copysign(0, -1)), "-0"},
		{"%0.10hhi", i32(-2147483648), "0000000000"},
		{"%0.3hi", i32(-2147483648), "000"},
		{"%0.3x", i32(-200), "ffffff38"},
		{"%01.0hhu", i32(-1711484397), "19"},
		{"%01.10e", f32(1e6), "1.0000000000e+06"},
		{"%01.10o", i32(65), "0000000101"},
		{"%012.0F", f32(65504.0), "000000065504"},
		{"%012.10E", f32(1e30), "1.0000000150E+30"},
		{"%012.3d", i32(65), "         065"},
		{"%012.3hhi", i32(65), "         065"},
		{"%012hhd", i32(-2147483648), "000000000000"},
		{"%012o", i32(70000), "000000210560"},
		{"%01hhi", i32(1), "1"},
		{"%01hi", i32(-1), "-1"},
		{"%07.0hhi", i32(-200), "     56"},
		{"%07.0hu", i32(2147483647), "  65535"},
		{"%07.10g", f32(-1.5), "-0001.5"},
		{"%07.10hho", i32(0), "0000000000"},
		{"%07.3A", f32(0.0001), "0X1.A37P-14"},
		{"%07.3E", f32(math.NaN()), "    NAN"},
		{"%07hi", i32(-1), "-000001"},
		{"%0g", f32(1e30), "1e+30"},
		{"%0hX", i32(-957415819), "FE75"},
		{"%0hho", i32(-1), "377"},
		{"%1.0A", f32(math.Copysign(0, -1)), "-0X0P+0"},
		{"%1.0hhd", i32(65), "65"},
		{"%1.0i", i32(70000), "70000"},
		{"%1.0u", i32(-200), "4294967096"},
		{"%1.10F", f32(65504.0), "65504.0000000000"},
		{"%12.0E", f32(math.Inf(-1)), "        -INF"},
		{"%12.10E", f32(65504.0), "6.5504000000E+04"},
		{"%12.10e", f32(1.0), "1.0000000000e+00"},
		{"%12.10hho", i32(70000), "  0000000160"},
		{"%12.10hhu", i32(2147483647), "  0000000255"},
		{"%12.3hX", i32(1), "         001"},
		{"%12.3u", i32(-200), "  4294967096"},
		{"%12F", f32(1e6), "1000000.000000"},
		{"%12c", i32(52), "           4"},
		{"%12e", f32(1e30), "1.000000e+30"},
		{"%12hhX", i32(-1), "          FF"},
		{"%12hhx", i32(70000), "          70"},
		{"%1G", f32(-1.5), "-1.5"},
		{"%1a", f32(math.Inf(1)), "inf"},
		{"%1e", f32(-2.5), "-2.500000e+00"},
		{"%1f", f32(0.1), "0.100000"},
		{"%1hhX", i32(-200), "38"},
		{"%1hhX", i32(-2147483648), "0"},
		{"%1hhX", i32(65), "41"},
		{"%1hu", i32(2147483647), "65535"},
		{"%1u", i32(-200), "4294967096"},
		{"%7.0hd", i32(1), "      1"},
		{"%7.10u", i32(-1201628302), "3093338994"},
		{"%7.3i", i32(200), "    200"},
		{"%7.3u", i32(1705799265), "1705799265"},
		{"%7F", f32(-1.5), "-1.500000"},
		{"%7G", f32(65504.0), "  65504"},
		{"%7c", i32(106), "      j"},
		{"%7c", i32(71), "      G"},
		{"%A", f32(0.0001), "0X1.A36E2EP-14"},
		{"%A", f32(65504.0), "0X1.FFCP+15"},
		{"%c", i32(59), ";"},
		{"%c", i32(94), "^"},
		{"%c", i32(95), "_"},
		{"%f", f32(-2.5), "-2.500000"},
		{"%hd", i32(1), "1"},
		{"%hhx", i32(-1), "ff"},
		{"%ho", i32(0), "0"},
		{"%ho", i32(65), "101"},
		{"%hx", i32(-200), "ff38"},
		{"%u", i32(-2147483648), "2147483648"},
	} {
		assert.Equal(t, k.want, Text(printing(t, k.format, k.arg.typ), k.arg.bits), "%q of %v", k.format, k.arg)
	}
}

func TestTextOfOthers(t *testing.T) {
	for _, k := range []struct {
		format string
		args   []value
		want   string
	}{
		{"", nil, ""},
		{"100%% of it%%", nil, "100% of it%"},
		{"%d of %d: %.2f!", []value{i32(3), i32(-4), f32(0.125)}, "3 of -4: 0.12!"},
		{"%ld %lu %lx", []value{i64(math.MinInt64), i64(-1), i64(255)}, "-9223372036854775808 18446744073709551615 ff"},
		{"%d %u", []value{i64(-5), i64(-5)}, "-5 18446744073709551611"},
		{"%ld %lu", []value{i32(-5), i32(-5)}, "-5 4294967291"},
		{"%v4d", []value{vector(ir.I32, i32(1), i32(-2), i32(3), i32(4))}, "1,-2,3,4"},
		{"<%.1v2f|%5.1v3f>", []value{vector(ir.F32, f32(1), f32(2.25)), vector(ir.F32, f32(1), f32(-2), f32(3))},
			"<1.0,2.2|  1.0, -2.0,  3.0>"},
		{"%v2hhd %v3hlx", []value{vector(ir.I32, i32(200), i32(1)), vector(ir.I32, i32(1), i32(16), i32(255))},
			"-56,1 1,10,ff"},
		{"%p", []value{i64(0x10000000004)}, "0x10000000004"},
		{"%c%c", []value{i32('o'), i32('k')}, "ok"},
	} {
		var types []ir.Type
		var words []uint64
		for _, a := range k.args {
			types, words = append(types, a.typ), append(words, a.bits...)
		}
		in := printing(t, k.format, types...)
		assert.Equal(t, len(words), Words(in))
		assert.Equal(t, k.want, Text(in, words), k.format)
	}
}

func TestName(t *testing.T) {
	m := &ir.Module{Logs: []ir.Log{{Subsystem: "a", Category: "b"}}}
	assert.Equal(t, ir.Log{Subsystem: "a", Category: "b"}, (&Message{Module: m, Log: 1}).Name())
	for _, n := range []uint32{0, 2, math.MaxUint32} {
		assert.Zero(t, (&Message{Module: m, Log: n}).Name())
	}
}

// FuzzText: with any format, the text of a valid instruction can be produced, and no conversion
// makes it long.
func FuzzText(f *testing.F) {
	for _, s := range []string{"%d", "%v4f", "%1024d %.1024x", "%a%g%c%p", "%-+ #0.3v2hld", "%99999999999999999999d",
		"%"} {
		f.Add(s, uint64(1)<<63)
	}
	f.Fuzz(func(t *testing.T, format string, bits uint64) {
		var types []ir.Type
		var words []uint64
		n := 0
		for _, p := range ir.LogPieces(format) {
			k := p.Conversion
			if k == nil {
				continue
			}
			n++
			if !k.Valid() || k.Letter == 's' {
				return
			}
			typ := ir.Vector(ir.I32, k.Lanes)
			switch {
			case k.IsFloat():
				typ = ir.Vector(ir.F32, k.Lanes)
			case k.Letter == 'p':
				typ = ir.TI64
			}
			if k.Lanes == 1 {
				typ = ir.Scalar(typ.Kind)
			}
			types = append(types, typ)
			for range k.Lanes {
				words = append(words, bits>>(64-typ.Kind.Bits()))
			}
		}
		text := Text(printing(t, format, types...), words)
		assert.LessOrEqual(t, len(text), len(format)+n*4*1600)
	})
}
