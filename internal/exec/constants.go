package exec

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/opt"
)

// Constant is the value of a function constant, with one number per vector component.
type Constant struct {
	Lanes   [4]uint64
	Defined bool
}

// constantTypes returns the types of a valid function's constants.
func constantTypes(f *ir.Func) []ir.Type {
	var types []ir.Type
	for i := range f.Constants {
		t, _ := ir.ParseType(f.Constants[i].Type) // the verifier has parsed it
		types = append(types, t)
	}
	return types
}

// readConstants appends the values of a function's constants to out, in the function's order.
// values maps the index of a constant to its bytes, in the language's layout.
func readConstants(f *ir.Func, types []ir.Type, values map[int][]byte, out []Constant) ([]Constant, error) {
	for i := range f.Constants {
		c := &f.Constants[i]
		data, ok := values[c.Index]
		t := types[i]
		size := t.Kind.Size()
		switch {
		case !ok && c.Required:
			return nil, fmt.Errorf("%w: function constant %d %q is not set", ErrLaunch, c.Index, c.Name)
		case ok && len(data) < t.Size():
			return nil, fmt.Errorf("%w: function constant %d %q has %d bytes, want %d", ErrLaunch, c.Index, c.Name, len(data),
				t.Size())
		}
		v := Constant{Defined: ok}
		for lane := 0; ok && lane < t.Lanes(); lane++ {
			for b := size - 1; b >= 0; b-- {
				v.Lanes[lane] = v.Lanes[lane]<<8 | uint64(data[lane*size+b])
			}
			if t.Kind == ir.I1 && v.Lanes[lane] != 0 {
				v.Lanes[lane] = 1
			}
		}
		out = append(out, v)
	}
	return out, nil
}

// Specialization returns the values of all function constants of a kernel, for the optimizer to
// substitute.
func Specialization(f *ir.Func, values map[int][]byte) ([]opt.FConst, error) {
	constants, err := readConstants(f, constantTypes(f), values, nil)
	if err != nil {
		return nil, err
	}
	out := make([]opt.FConst, len(constants))
	for i, c := range constants {
		out[i] = opt.FConst{Given: true, Defined: c.Defined, Lanes: c.Lanes}
	}
	return out, nil
}
