package gguf

import "fmt"

// Type is the type of a tensor's elements, by its number in the format.
type Type uint32

// The types. Those whose numbers are missing are no longer in use. I2_S is that of bitnet.cpp.
const (
	F32     Type = 0
	F16     Type = 1
	Q4_0    Type = 2
	Q4_1    Type = 3
	Q5_0    Type = 6
	Q5_1    Type = 7
	Q8_0    Type = 8
	Q8_1    Type = 9
	Q2_K    Type = 10
	Q3_K    Type = 11
	Q4_K    Type = 12
	Q5_K    Type = 13
	Q6_K    Type = 14
	Q8_K    Type = 15
	IQ2_XXS Type = 16
	IQ2_XS  Type = 17
	IQ3_XXS Type = 18
	IQ1_S   Type = 19
	IQ4_NL  Type = 20
	IQ3_S   Type = 21
	IQ2_S   Type = 22
	IQ4_XS  Type = 23
	I8      Type = 24
	I16     Type = 25
	I32     Type = 26
	I64     Type = 27
	F64     Type = 28
	IQ1_M   Type = 29
	BF16    Type = 30
	TQ1_0   Type = 34
	TQ2_0   Type = 35
	I2_S    Type = 36
	MXFP4   Type = 39
	NVFP4   Type = 40
)

// typeInfo is the name of a type, how many elements have a block, and its bytes.
type typeInfo struct {
	name         string
	block, bytes int
}

// typeInfos are those of the types by their number; see ggml's ggml.c.
var typeInfos = [...]typeInfo{
	F32: {"f32", 1, 4}, F16: {"f16", 1, 2}, BF16: {"bf16", 1, 2}, F64: {"f64", 1, 8},
	I8: {"i8", 1, 1}, I16: {"i16", 1, 2}, I32: {"i32", 1, 4}, I64: {"i64", 1, 8},
	Q4_0: {"q4_0", 32, 18}, Q4_1: {"q4_1", 32, 20}, Q5_0: {"q5_0", 32, 22}, Q5_1: {"q5_1", 32, 24},
	Q8_0: {"q8_0", 32, 34}, Q8_1: {"q8_1", 32, 36},
	Q2_K: {"q2_K", 256, 84}, Q3_K: {"q3_K", 256, 110}, Q4_K: {"q4_K", 256, 144}, Q5_K: {"q5_K", 256, 176},
	Q6_K: {"q6_K", 256, 210}, Q8_K: {"q8_K", 256, 292},
	IQ1_S: {"iq1_s", 256, 50}, IQ1_M: {"iq1_m", 256, 56}, IQ2_XXS: {"iq2_xxs", 256, 66}, IQ2_XS: {"iq2_xs", 256, 74},
	IQ2_S: {"iq2_s", 256, 82}, IQ3_XXS: {"iq3_xxs", 256, 98}, IQ3_S: {"iq3_s", 256, 110},
	IQ4_NL: {"iq4_nl", 32, 18}, IQ4_XS: {"iq4_xs", 256, 136},
	TQ1_0: {"tq1_0", 256, 54}, TQ2_0: {"tq2_0", 256, 66}, I2_S: {"I2_S", 128, 32},
	MXFP4: {"mxfp4", 32, 17}, NVFP4: {"nvfp4", 64, 36},
}

// i2sTail is how many bytes follow the codes of an I2_S tensor: its scale, and a gap.
const i2sTail = 32

func (t Type) info() (x typeInfo, ok bool) {
	if uint64(t) < uint64(len(typeInfos)) {
		x = typeInfos[t]
	}
	return x, x.block > 0
}

// String returns the type's name, as in "q4_K".
func (t Type) String() string {
	if x, ok := t.info(); ok {
		return x.name
	}
	return fmt.Sprintf("type %d", uint32(t))
}

// TypeOf returns the type of a name that [Type.String] returns.
func TypeOf(name string) (Type, bool) {
	for i, x := range typeInfos {
		if x.block > 0 && x.name == name {
			return Type(i), true
		}
	}
	return 0, false
}

// Block returns how many elements have a block in common, and how many bytes it has. Both are 0 for
// an unknown type.
func (t Type) Block() (elements, bytes int) {
	x, _ := t.info()
	return x.block, x.bytes
}

// Size returns how many bytes a tensor of a shape has, outermost dimension first. The last
// dimension must be a multiple of the type's block.
func (t Type) Size(shape ...int) (int64, error) {
	x, ok := t.info()
	if !ok {
		return 0, fmt.Errorf("%v is unknown: %w", t, ErrFormat)
	}
	size := int64(x.bytes)
	for i, n := range shape {
		if n < 0 {
			return 0, fmt.Errorf("shape %v has a negative size: %w", shape, ErrFormat)
		}
		by := int64(n)
		if i == len(shape)-1 {
			if by%int64(x.block) != 0 {
				return 0, fmt.Errorf("rows of %d elements are not a multiple of the block of %v, which has %d: %w",
					n, t, x.block, ErrFormat)
			}
			by /= int64(x.block)
		}
		if by > 0 && size > maxSize/by {
			return 0, fmt.Errorf("shape %v of %v has more than %d bytes: %w", shape, t, int64(maxSize), ErrFormat)
		}
		size *= by
	}
	if len(shape) == 0 && x.block > 1 {
		return 0, fmt.Errorf("a single element is not a multiple of the block of %v, which has %d: %w", t, x.block,
			ErrFormat)
	}
	if t == I2_S {
		size += i2sTail
	}
	return size, nil
}
