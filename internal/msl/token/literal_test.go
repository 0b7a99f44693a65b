package token

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseInt(t *testing.T) {
	for text, want := range map[string]IntLit{
		"0":                    {0, NoSuffix, 10},
		"42u":                  {42, SuffixU, 10},
		"1'000'000":            {1000000, NoSuffix, 10},
		"0x7fL":                {127, SuffixL, 16},
		"0XFFul":               {255, SuffixUL, 16},
		"0b1011LU":             {11, SuffixUL, 2},
		"0755":                 {493, NoSuffix, 8},
		"00":                   {0, NoSuffix, 8},
		"7ll":                  {7, SuffixL, 10},
		"7ULL":                 {7, SuffixUL, 10},
		"18446744073709551615": {math.MaxUint64, NoSuffix, 10},
	} {
		got, err := ParseInt(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"0x", "0b", "0b2", "09", "1lL", "1x", "0x1g", "1h", "2f", "0x'1", "1uu", "0b12"} {
		_, err := ParseInt(text)
		assert.ErrorIs(t, err, ErrBadNumber, text)
	}
	lit, err := ParseInt("18446744073709551617")
	assert.ErrorIs(t, err, ErrTooLarge)
	assert.EqualValues(t, 1, lit.Value, "the low bits")
}

func TestParseFloat(t *testing.T) {
	for _, tc := range []struct {
		text   string
		value  float64
		suffix Suffix
	}{
		{"1.0", 1, NoSuffix}, {".5f", .5, SuffixF}, {"2.h", 2, SuffixH}, {"1.5bf", 1.5, SuffixBF}, {"1e3F", 1000, SuffixF},
		{"1'0.2'5", 10.25, NoSuffix}, {"0x1p-2", .25, NoSuffix}, {"0x1.8p1f", 3, SuffixF}, {"0x.8P0h", .5, SuffixH},
		{"1e999", math.Inf(1), NoSuffix}, {"1e-999", 0, NoSuffix}, {"1.0L", 1, SuffixL}, {"0x1p+0bf", 1, SuffixBF},
	} {
		lit, err := ParseFloat(tc.text)
		require.NoError(t, err, tc.text)
		assert.Equal(t, tc.suffix, lit.Suffix, tc.text)
		assert.Equal(t, tc.value, lit.Float64(), tc.text)
	}
	for _, text := range []string{".", "1e", "1e+", "0x1.8", "0x.p1", "1.0g", "1.2.3", "1'.0", "1.'0", "1p3.", "1.0ff",
		"1.0fh", "0xe+1"} {
		_, err := ParseFloat(text)
		assert.ErrorIs(t, err, ErrBadNumber, text)
	}
}

// TestFloatRoundsOnce tests values that would be rounded wrongly by way of double or float.
func TestFloatRoundsOnce(t *testing.T) {
	parse := func(text string) FloatLit {
		lit, err := ParseFloat(text)
		require.NoError(t, err)
		return lit
	}
	zeros := strings.Repeat("0", 60)
	tie := "1.00048828125" // halfway between 1 and the next half, 1 + 2^-10
	assert.Equal(t, 1.0, parse(tie).Half())
	assert.Equal(t, 1+math.Ldexp(1, -10), parse(tie+zeros+"1").Half())
	assert.Equal(t, 1.0, parse("1.00048828124"+strings.Repeat("9", 60)).Half())
	assert.Equal(t, 1.0, parse("1.00390625").BFloat())
	assert.Equal(t, 1.0078125, parse("1.00390625"+zeros+"1").BFloat())
	assert.Equal(t, float32(math.Nextafter32(1, 2)), parse("1.000000059604644775390625"+zeros+"1").Float32())

	assert.Equal(t, 65504.0, parse("65519.99").Half())
	assert.Equal(t, math.Inf(1), parse("65520.0").Half())
	assert.Equal(t, math.Ldexp(1, -24), parse("6e-8").Half(), "the least half")
	assert.Equal(t, 0.0, parse("2e-8").Half())
	assert.Equal(t, math.Inf(1), parse("3.4e38").BFloat())
	assert.Equal(t, math.Ldexp(255, 120), parse("3.389e38").BFloat())
	assert.Equal(t, 0.1, parse("0.1").Float64())
	assert.Equal(t, float32(0.1), parse("0.1").Float32())
	assert.Equal(t, 0.0999755859375, parse("0.1").Half())
	assert.Equal(t, 0.10009765625, parse("0.1").BFloat())
	assert.Equal(t, 0.0, parse("0.0").Half())
}

func TestParseChar(t *testing.T) {
	for _, tc := range []struct {
		text   string
		value  int64
		prefix string
	}{
		{"'a'", 'a', ""}, {`'\n'`, 10, ""}, {`'\0'`, 0, ""}, {`'\377'`, -1, ""}, {`'\xff'`, -1, ""}, {`'\''`, '\'', ""},
		{`'"'`, '"', ""},
		{"'ab'", 'a'<<8 | 'b', ""}, {"L'é'", 'é', "L"}, {`U'\U0001F600'`, 0x1F600, "U"}, {`u'\u00e9'`, 0xe9, "u"},
		{"u8'x'", 'x', "u8"}, {`'\?'`, '?', ""},
	} {
		v, prefix, err := ParseChar(tc.text)
		require.NoError(t, err, tc.text)
		assert.Equal(t, tc.value, v, tc.text)
		assert.Equal(t, tc.prefix, prefix, tc.text)
	}
	for _, text := range []string{"''", `'\x'`, `'\xfff'`, `'\400'`, `'\u12'`, `'\ud800'`, "'", "x", `'\U00110000'`} {
		_, _, err := ParseChar(text)
		assert.ErrorIs(t, err, ErrBadEscape, text)
	}
}

func TestUnquote(t *testing.T) {
	for _, tc := range []struct{ text, value, prefix string }{
		{`""`, "", ""}, {`"abc"`, "abc", ""}, {`"a\tb\"\\"`, "a\tb\"\\", ""}, {`u8"é"`, "é", "u8"},
		{`"\u00e9\xe9"`, "é\xe9", ""},
		{`R"(a\n"b)"`, `a\n"b`, ""}, {`LR"xy(a)x")xy"`, `a)x"`, "L"}, {`R"()"`, "", ""}, {`"\1012"`, "A2", ""},
		{"\"a\xffb\\t\"", "a\xffb\t", ""},
	} {
		v, prefix, err := Unquote(tc.text)
		require.NoError(t, err, tc.text)
		assert.Equal(t, tc.value, v, tc.text)
		assert.Equal(t, tc.prefix, prefix, tc.text)
	}
	for _, text := range []string{`"a`, `a`, `"`, `R"`, `R"x(a)"`, `R"("`, ""} {
		_, _, err := Unquote(text)
		assert.Error(t, err, text)
	}
}

func FuzzLiterals(f *testing.F) {
	for _, seed := range []string{"1", "0x1p-2f", "'a'", `"\u00e9"`, `R"x(y)x"`, `(R"`, "1e9999999999", "0.1h"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<10 {
			return
		}
		checkInt(t, text)
		checkFloat(t, text)
		checkText(t, text)
	})
}

// checkInt compares the value of an integer literal with package big's.
func checkInt(t *testing.T, text string) {
	lit, err := ParseInt(text)
	if err != nil && !errors.Is(err, ErrTooLarge) {
		require.ErrorIs(t, err, ErrBadNumber, "%q", text)
		return
	}
	digits := strings.ReplaceAll(strings.TrimRight(text, "uUlL"), "'", "")
	if lit.Base == 16 || lit.Base == 2 {
		digits = digits[2:]
	}
	want, ok := new(big.Int).SetString(digits, lit.Base)
	require.True(t, ok, "%q has digits that are none of base %d", text, lit.Base)
	require.Equal(t, !want.IsUint64(), err != nil, "%q", text)
	low := new(big.Int).And(want, new(big.Int).SetUint64(math.MaxUint64))
	require.Equal(t, low.Uint64(), lit.Value, "%q", text)
}

// checkFloat checks the rounded values of a floating-point literal: each is representable in its
// type and at most half a step of that type away from the double value.
func checkFloat(t *testing.T, text string) {
	lit, err := ParseFloat(text)
	if err != nil {
		require.ErrorIs(t, err, ErrBadNumber, "%q", text)
		return
	}
	exact := lit.Float64()
	for _, r := range []struct {
		name      string
		v         float64
		precision int
		highest   float64
		least     float64
	}{
		{"half", lit.Half(), 11, 65504, 0x1p-24},
		{"bfloat", lit.BFloat(), 8, 0x1.fep127, 0x1p-133},
		{"float", float64(lit.Float32()), 24, math.MaxFloat32, 0x1p-149},
	} {
		_, e := math.Frexp(exact)
		step := max(math.Ldexp(1, e-r.precision), r.least)
		switch {
		case math.IsInf(r.v, 1):
			require.Greater(t, exact, r.highest, "%q as %s", text, r.name)
		default:
			require.LessOrEqual(t, math.Abs(r.v-exact), step/2, "%q as %s", text, r.name)
			require.LessOrEqual(t, r.v, r.highest, "%q as %s", text, r.name)
			_, e := math.Frexp(r.v)
			unit := max(math.Ldexp(1, e-r.precision), r.least)
			require.Zero(t, math.Mod(r.v, unit), "%q is no %s", text, r.name)
		}
	}
}

// checkText: the value of a literal without escape sequences is the text between its quotes, and an
// unknown escape sequence is part of the literal.
func checkText(t *testing.T, text string) {
	value, prefix, err := Unquote(text)
	if err == nil {
		require.True(t, strings.HasPrefix(text, prefix), "%q", text)
		require.Contains(t, text, `"`)
		if !strings.Contains(text, `\`) {
			require.Contains(t, text, value)
			require.Less(t, len(prefix)+len(value), len(text), "%q", text)
		}
	} else {
		require.ErrorIs(t, err, ErrBadEscape, "%q", text)
	}
	if c, prefix, err := ParseChar(text); err == nil {
		require.True(t, strings.HasPrefix(text, prefix+"'"), "%q", text)
		if body := text[len(prefix)+1 : len(text)-1]; prefix == "" && len(body) == 1 {
			require.EqualValues(t, int8(body[0]), c, "%q", text)
		}
	} else {
		require.ErrorIs(t, err, ErrBadEscape, "%q", text)
	}
	if e := UnknownEscape(text); e != "" {
		require.Equal(t, byte('\\'), e[0], "%q", text)
		require.Contains(t, text, e)
	}
}

func TestUnknownEscape(t *testing.T) {
	for text, want := range map[string]string{`"\n\\q"`: "", `'\q'`: `\q`, `"a\é"`: `\é`, `R"(\q)"`: "", `u8"\x1"`: "",
		"x": "", "": ""} {
		assert.Equal(t, want, UnknownEscape(text), text)
	}
	v, _, err := ParseChar(`'\q'`)
	assert.NoError(t, err)
	assert.EqualValues(t, 'q', v)
}
