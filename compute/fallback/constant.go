//go:build !puremetal_nosoftware

package fallback

import (
	"encoding/binary"
	"fmt"
	"reflect"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/softmetal/shader"
	"github.com/puremetal/puremetal/mtl"
)

// preciseFunctions is the setting that has functions mean those of metal::precise.
const preciseFunctions = mtl.MathFloatingPointFunctionsPrecise

// mathOf returns the compiler's math mode.
func mathOf(m mtl.MathMode) shader.MathMode {
	switch m {
	case mtl.MathModeSafe:
		return shader.MathSafe
	case mtl.MathModeRelaxed:
		return shader.MathRelaxed
	}
	return shader.MathFast
}

// valueOf returns a function constant's value in the language's layout.
func valueOf(value any) (x shader.Value, err error) {
	t := reflect.TypeOf(value)
	if t == nil {
		return x, fmt.Errorf("no value")
	}
	elem, n := t, 1
	if t.Kind() == reflect.Array {
		elem, n = t.Elem(), t.Len()
	}
	shape, ok := scalarOf(elem)
	shape.Cols, shape.Rows = 1, n
	if x.Type = ir.DataTypeOf(shape); !ok || x.Type == ir.DataNone {
		return x, fmt.Errorf("a value of type %v, want bool, a number of fixed size or an array of 2 to 4 of them", t)
	}
	x.Data, err = binary.Append(nil, binary.LittleEndian, value)
	return shader.Value{Type: x.Type, Data: append(x.Data, make([]byte, shape.Size()-len(x.Data))...)}, err
}

// scalarOf returns the element of a Go type's shape.
func scalarOf(t reflect.Type) (s ir.DataShape, ok bool) {
	ok = true
	switch reflect.Zero(t).Interface().(type) {
	case bool:
		s.Elem = ir.I1
	case int8:
		s.Elem = ir.I8
	case uint8:
		s.Elem, s.Unsigned = ir.I8, true
	case int16:
		s.Elem = ir.I16
	case uint16:
		s.Elem, s.Unsigned = ir.I16, true
	case int32:
		s.Elem = ir.I32
	case uint32:
		s.Elem, s.Unsigned = ir.I32, true
	case int64:
		s.Elem = ir.I64
	case uint64:
		s.Elem, s.Unsigned = ir.I64, true
	case float32:
		s.Elem = ir.F32
	case mtl.Half:
		s.Elem = ir.F16
	case mtl.BFloat:
		s.Elem = ir.BF16
	default:
		ok = false
	}
	return s, ok
}
