package ir_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
)

func TestEvalCondition(t *testing.T) {
	float := func(x float32) uint64 { return uint64(math.Float32bits(x)) }
	values := map[int]uint64{1: 1, 2: 0, 3: 7, 4: float(0.5), 5: 0xffff_fff9, 6: 200, 7: float(float32(math.Inf(1))),
		8:  float(float32(math.NaN())),
		10: 0x3c00, 11: 0x3f80, 12: 1 << 63}
	value := func(i int) (uint64, bool) { v, ok := values[i]; return v, ok }
	for cond, want := range map[string]bool{
		"fc1.bool": true, "!fc1.bool": false, "fc1.bool && fc2.bool": false, "fc1.bool || fc9.bool": true,
		"fc2.bool && fc9.bool":        false,
		"(fc3.i32 == 7) && !fc2.bool": true, "fc3.i32": true, "fc2.i32": false, "defined(fc9)": false,
		"defined(fc3)":     true,
		"fc3.i32 / 2 == 3": true, "fc3.i32 % 4 == 3": true, "-fc3.i32 < 0": true, "^fc3.i32 == -8": true,
		"fc3.i32 & 8 != 0": false, "fc3.i32 | 8 == 15": true, "fc3.i32 ^ 2 == 5": true, "fc3.i32 << 2 == 28": true,
		"fc5.i32 == -7": true, "fc5.i32 >> 1 == -4": true, "fc5.i32 / 2 == -3": true, "fc5.i32 % 4 == -3": true,
		"fc5.u32 == u32(4294967289)": true, "fc5.u32 >> 1 == u32(2147483644)": true,
		"fc5.u32 / u32(2) == u32(2147483644)": true,
		"fc6.u8 == u8(200)":                   true, "fc6.i8 == -56": true, "u8(fc6.u8 + u8(100)) == u8(44)": true,
		"i8(fc6.u8) < 0":          true,
		"i32(2147483647 + 1) < 0": true, "u32(-1) == u32(4294967295)": true, "u64(-1) > u64(1)": true,
		"fc12.i64 < fc2.i64": true,
		"fc12.u64 > fc2.u64": true, "fc3.i32 / 0 == 0": true, "fc3.i32 % 0 == 7": true,
		"fc3.u32 / u32(0) == u32(0)": true,
		"fc12.i64 / -1 == fc12.i64":  true, "fc12.i64 % -1 == 0": true,
		"cond(fc1.bool, fc3.i32, 9) == 7": true, "cond(fc2.bool, fc9.i32, 9) == 9": true,
		"cond(defined(fc9), fc9.u32, u32(3)) == u32(3)": true,
		"fc4.f32 < 1.0": true, "fc4.f32 * 2.0 == 1.0": true, "f32(fc4.f32 / 3.0) == f32(0.16666667)": true,
		"f32(0.1) == 0.1": false,
		"fc7.f32 > 1e30":  true, "fc8.f32 == fc8.f32": false, "fc8.f32 != fc8.f32": true, "fc8.f32 < 1.0": false,
		"fc8.f32": true, "(1.0 / 0.0) == fc7.f32": true,
		"fc10.f16 == 1.0": true, "fc11.bf16 == 1.0": true, "f16(2049) == 2048.0": true, "bf16(257) == 256.0": true,
		"f16(70000) == (1.0 / 0.0)":   true,
		"f32(16777217) == 16777216.0": true, "f32(fc12.u64) == 9.223372036854775808e+18": true,
		"f32(fc12.i64) < 0.0": true, "f32(fc1.bool) == 1.0": true,
		"i32(2.9) == 2": true, "i32(-2.9) == -2": true, "i32(1e30) == 2147483647": true,
		"i32(-1e30) == -2147483648": true, "i32(fc8.f32) == 0": true,
		"u32(-1.0) == u32(0)": true, "u32(1e30) == u32(4294967295)": true,
		"u64(1e19) == u64(10000000000000000000)": true, "u8(300.0) == u8(255)": true,
		"i64(1e30) == 9223372036854775807": true, "bool(fc3.i32)": true, "bool(0.0)": false,
		"1 + 2 * 3 == 7 && 8 >> 1 + 1 == 5": true, "2 - 1 - 1 == 0 || 1 / 0 == 1": true,
		"!!fc1.bool": true, "- -1 == 1": true,
		" ( 1 ) ":            true,
		"i32(true) + 1 == 2": true, "fc1.bool == true": true, "+fc3.i32 == 7": true,
	} {
		got, err := ir.EvalCondition(cond, value)
		require.NoError(t, err, cond)
		assert.Equal(t, want, got, cond)
	}
	for _, cond := range []string{"fc9.i32", "", "x", "fc1", "fc1.x", "fc1.bool + fc3.i32", "fc3.i32 + fc3.u32", "f(fc1)",
		"fc1.bool ==", "fc4.f32 % 2.0", "fc4.f32 & 1",
		"!fc3.i32", "-fc1.bool", "^fc4.f32", "fc1.bool < fc2.bool", "cond(fc1.bool, 1, 2.0)", "cond(fc1.bool, 1)",
		"i32()", "defined(x)", "1 << 2.0", `"a"`,
		"x.i32", "fcx.i32", "fc-1.i32", "99999999999999999999", "&fc3.i32", "i32(1)(2)", "fc3.i32 &^ 1", "1i",
		"(1", "1)", "1 2", "1;", "defined(fc3", "defined(fc3, fc4)", "i32(1,)", "cond(1, 2 3)", "fc3.i32.i32", "(fc3).i32",
		"'a'", "0x10", "1 == $", "fc3.1", "fc3.", "!",
		strings.Repeat("(", 1e6) + "1" + strings.Repeat(")", 1e6), strings.Repeat("-", 1e6) + "1"} {
		_, err := ir.EvalCondition(cond, value)
		assert.Error(t, err, "%.50s", cond)
	}
}

func TestConditionVerified(t *testing.T) {
	build := func(when string) error {
		m := &ir.Module{}
		f := m.NewFunc("k")
		f.Constants = []ir.FunctionConstant{{Name: "c", Index: 3, Type: "i1"}}
		f.Args = []ir.Arg{{Kind: ir.ArgBuffer, Space: "device", When: when}}
		ir.NewBuilder(f).Return()
		return m.Verify()
	}
	require.NoError(t, build("!fc3.bool && defined(fc3)"))
	require.ErrorContains(t, build("fc4.bool"), `condition "fc4.bool" is not valid: "fc4" is not a function constant`)
	require.ErrorContains(t, build("defined(fc4)"), `"fc4" is not a function constant`)
	require.ErrorContains(t, build("fc3.bool +"), "is not valid")
	require.ErrorContains(t, build("fc3.bool + 1"), "+ does not apply to truth value and signed integer")
}
