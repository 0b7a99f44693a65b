package packed

import (
	"fmt"
	"math"
	"slices"
)

// Format is how weights are packed.
type Format uint8

// The formats. Those up to I2_S are types of GGUF files: plain numbers, and blocks with scales
// inside. MLX's have their scales apart: Affine, with biases too, and floating-point numbers of 4
// and 8 bits.
const (
	PackedF32 Format = iota + 1
	PackedF16
	PackedBF16
	Q4_0
	Q4_1
	Q5_0
	Q5_1
	Q8_0
	Q2_K
	Q3_K
	Q4_K
	Q5_K
	Q6_K
	IQ4_NL
	IQ4_XS
	TQ1_0
	TQ2_0
	MXFP4
	NVFP4
	I2_S
	Affine
	MLXFP4
	MLXNVFP4
	MLXFP8
	formats
)

// formatInfo is a format's name, the elements and the bytes of a block, and, of MLX's formats with
// floating-point numbers, their bits and how many have a scale.
type formatInfo struct {
	name         string
	block, bytes int
	bits, group  int
}

var formatInfos = [formats]formatInfo{
	PackedF32: {name: "f32", block: 1, bytes: 4}, PackedF16: {name: "f16", block: 1, bytes: 2},
	PackedBF16: {name: "bf16", block: 1, bytes: 2},
	Q4_0:       {name: "q4_0", block: 32, bytes: 18}, Q4_1: {name: "q4_1", block: 32, bytes: 20},
	Q5_0: {name: "q5_0", block: 32, bytes: 22}, Q5_1: {name: "q5_1", block: 32, bytes: 24},
	Q8_0: {name: "q8_0", block: 32, bytes: 34},
	Q2_K: {name: "q2_K", block: 256, bytes: 84}, Q3_K: {name: "q3_K", block: 256, bytes: 110},
	Q4_K: {name: "q4_K", block: 256, bytes: 144}, Q5_K: {name: "q5_K", block: 256, bytes: 176},
	Q6_K:   {name: "q6_K", block: 256, bytes: 210},
	IQ4_NL: {name: "iq4_nl", block: 32, bytes: 18}, IQ4_XS: {name: "iq4_xs", block: 256, bytes: 136},
	TQ1_0: {name: "tq1_0", block: 256, bytes: 54}, TQ2_0: {name: "tq2_0", block: 256, bytes: 66},
	MXFP4: {name: "mxfp4", block: 32, bytes: 17}, NVFP4: {name: "nvfp4", block: 64, bytes: 36},
	I2_S:     {name: "I2_S", block: 128, bytes: 32},
	Affine:   {name: "mlx"},
	MLXFP4:   {name: "mlx-mxfp4", bits: 4, group: 32},
	MLXNVFP4: {name: "mlx-nvfp4", bits: 4, group: 16},
	MLXFP8:   {name: "mlx-mxfp8", bits: 8, group: 32},
}

// Valid tells whether f is one of the formats.
func (f Format) Valid() bool { return f > 0 && f < formats }

// String returns the format's name, as in "q4_K" and "mlx-mxfp4".
func (f Format) String() string {
	if !f.Valid() {
		return fmt.Sprintf("Format(%d)", uint8(f))
	}
	return formatInfos[f].name
}

// FormatOf returns the format with a name.
func FormatOf(name string) (Format, bool) {
	for f := Format(1); f < formats; f++ {
		if formatInfos[f].name == name {
			return f, true
		}
	}
	return 0, false
}

// Block returns how many elements have a block of a format of GGUF files, and its bytes; zeros for
// MLX's formats.
func (f Format) Block() (elements, bytes int) {
	if !f.Valid() {
		return 0, 0
	}
	return formatInfos[f].block, formatInfos[f].bytes
}

// Ternary tells whether the elements are -1, 0 and 1 times a scale.
func (f Format) Ternary() bool { return f == TQ1_0 || f == TQ2_0 || f == I2_S }

// Packs tells whether package tensorop packs weights in the format.
func (f Format) Packs() bool {
	return f == Q8_0 || f == Q4_0 || f == Q4_K || f == TQ2_0 || f == MXFP4 || f == I2_S || f == Affine
}

// Layout is the shape of packed weights, and how they are packed.
type Layout struct {
	Format        Format
	Rows, Columns int
	Bits, Group   int // of Affine: 2, 3, 4, 5, 6 or 8, and 32, 64 or 128
}

// i2sTail is how many bytes follow the codes of I2_S weights: the scale, and a gap.
const i2sTail = 32

// maxColumns is the limit of columns: kernels count a row's bits with an int.
const maxColumns = 1<<28 - 1

// Check completes the layout of MLX's formats with floating-point numbers, and returns an error
// about one that is impossible.
func (l *Layout) Check() error {
	switch {
	case !l.Format.Valid():
		return fmt.Errorf("packed weights: no format %d", l.Format)
	case l.Rows < 0 || l.Columns < 0:
		return fmt.Errorf("packed weights: %d rows of %d columns", l.Rows, l.Columns)
	case l.Rows > math.MaxInt32 || l.Columns > maxColumns || l.Format == I2_S && l.Rows*l.Columns > math.MaxInt32:
		return fmt.Errorf("packed weights: %d rows of %d columns of %v are above the limits: %d rows, "+
			"%d columns, and %d elements of %v", l.Rows, l.Columns, l.Format, math.MaxInt32, maxColumns, math.MaxInt32,
			I2_S)
	}
	info := formatInfos[l.Format]
	block := info.block
	switch {
	case l.Format == Affine:
		if !slices.Contains([]int{2, 3, 4, 5, 6, 8}, l.Bits) || !slices.Contains([]int{32, 64, 128}, l.Group) {
			return fmt.Errorf("packed weights: %d bits in groups of %d; there are 2, 3, 4, 5, 6 and 8 bits, "+
				"and groups of 32, 64 and 128", l.Bits, l.Group)
		}
		block = l.Group
	case info.bits > 0:
		l.Bits, l.Group = info.bits, info.group
		block = l.Group
	}
	if l.Format == I2_S {
		if n := l.Rows * l.Columns; n%block != 0 {
			return fmt.Errorf("packed weights: %d elements are not a multiple of %d, the block of %v", n, block,
				l.Format)
		}
		return nil
	}
	if l.Columns%block != 0 {
		return fmt.Errorf("packed weights: rows of %d elements are not a multiple of %d, the block of %v", l.Columns,
			block, l.Format)
	}
	return nil
}

// RowBytes returns the bytes of a row, and 0 for I2_S, whose blocks may cross rows.
func (l Layout) RowBytes() int {
	switch info := formatInfos[l.Format]; {
	case l.Format == I2_S:
		return 0
	case info.block > 0:
		return l.Columns / info.block * info.bytes
	}
	return l.Columns * l.Bits / 8
}

// Bytes returns the bytes of all rows.
func (l Layout) Bytes() int {
	if l.Format == I2_S {
		return l.Rows*l.Columns/4 + i2sTail
	}
	return l.Rows * l.RowBytes()
}

// RowScales returns how many scales a row has that are not in its blocks.
func (l Layout) RowScales() int {
	if l.Group == 0 {
		return 0
	}
	return l.Columns / l.Group
}
