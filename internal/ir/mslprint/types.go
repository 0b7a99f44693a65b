package mslprint

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/puremetal/puremetal/internal/ir"
)

var kindNames = [ir.Matrix + 1]string{ir.I1: "bool", ir.I8: "uchar", ir.I16: "ushort", ir.I32: "uint", ir.I64: "ulong",
	ir.F16: "half", ir.BF16: "bfloat", ir.F32: "float"}

var signedNames = [ir.Matrix + 1]string{ir.I8: "char", ir.I16: "short", ir.I32: "int", ir.I64: "long"}

func lanes(name string, n int) string {
	if n > 1 {
		return fmt.Sprintf("%s%d", name, n)
	}
	return name
}

// typeName returns the name of the type of numbers or truth values.
func typeName(t ir.Type) string { return lanes(kindNames[t.Kind], t.Lanes()) }

// signedName returns the name of the signed counterpart of a type of integers.
func signedName(t ir.Type) string { return lanes(signedNames[t.Kind], t.Lanes()) }

var textureNames = [ir.TexDepthCubeArray + 1]string{ir.Tex1D: "texture1d", ir.Tex1DArray: "texture1d_array",
	ir.Tex2D: "texture2d", ir.Tex2DArray: "texture2d_array", ir.Tex2DMS: "texture2d_ms",
	ir.Tex2DMSArray: "texture2d_ms_array", ir.Tex3D: "texture3d", ir.TexCube: "texturecube",
	ir.TexCubeArray: "texturecube_array", ir.TexBuffer: "texture_buffer", ir.TexDepth2D: "depth2d",
	ir.TexDepth2DArray: "depth2d_array", ir.TexDepth2DMS: "depth2d_ms", ir.TexDepth2DMSArray: "depth2d_ms_array",
	ir.TexDepthCube: "depthcube", ir.TexDepthCubeArray: "depthcube_array"}

// typ returns the text of any type.
func (p *printer) typ(t ir.Type) string {
	switch t.Kind {
	case ir.Pointer:
		return t.Space.String() + " uchar*"
	case ir.Texture:
		return fmt.Sprintf("%s<%s, access::%s>", textureNames[t.Dim], kindNames[t.Elem], t.Access)
	case ir.Sampler:
		return "sampler"
	case ir.Matrix:
		return fmt.Sprintf("simdgroup_matrix<%s, 8, 8>", kindNames[t.Elem])
	}
	return typeName(t)
}

// literal returns the text of a constant.
func literal(in *ir.Instr) string {
	t := in.Result().Type
	first := in.Lane(0)
	same := true
	var texts []string
	for i := range t.Lanes() {
		same = same && in.Lane(i) == first
		texts = append(texts, scalarLiteral(t.Kind, in.Lane(i)))
	}
	switch {
	case t.Lanes() == 1:
		return texts[0]
	case same:
		texts = texts[:1]
	}
	return typeName(t) + "(" + strings.Join(texts, ", ") + ")"
}

func scalarLiteral(k ir.Kind, bits uint64) string {
	switch k {
	case ir.I1:
		return strconv.FormatBool(bits&1 != 0)
	case ir.I8, ir.I16:
		return fmt.Sprintf("%s(%d)", kindNames[k], bits)
	case ir.I32:
		return integer(bits, 32) + "u"
	case ir.I64:
		return integer(bits, 64) + "ul"
	}
	x := float64(float32(ir.BitsFloat(k, bits)))
	if math.IsNaN(x) || math.IsInf(x, 0) {
		if k == ir.F32 {
			return fmt.Sprintf("as_type<float>(%#xu)", bits)
		}
		return fmt.Sprintf("as_type<%s>(ushort(%#x))", kindNames[k], bits)
	}
	text := strconv.FormatFloat(x, 'g', -1, 32)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	text += "f"
	if k != ir.F32 {
		return kindNames[k] + "(" + text + ")"
	}
	if text[0] == '-' {
		return "(" + text + ")"
	}
	return text
}

// integer returns a number in the base that is easier to read.
func integer(bits uint64, width int) string {
	if bits > 1<<16 && (width-strings.Count(strconv.FormatUint(bits, 2), "1") < 8 || bits&0xff == 0xff ||
		bits&0xff == 0) {
		return fmt.Sprintf("%#x", bits)
	}
	return strconv.FormatUint(bits, 10)
}
