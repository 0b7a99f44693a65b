package shader

import "github.com/puremetal/puremetal/internal/ir"

// Function is a function of a library, with its function constants set or not. It never changes
// once it has been returned.
type Function struct {
	Library *Library
	Name    string
	Type    FunctionType

	kernel    *ir.Func // nil for other types
	entry     int      // of a visible function in tables
	unset     bool     // constants that it needs have no values
	constants map[int][]byte
}

// IR returns a kernel as it was compiled, nil for other types. It must not be changed.
func (f *Function) IR() *ir.Func { return f.kernel }

// Constants returns the function constants that the function uses.
func (f *Function) Constants() []ir.FunctionConstant {
	if f.kernel == nil {
		return nil
	}
	return f.kernel.Constants
}

// Entry is the function's entry in a visible function table, or 0 if it is not visible.
func (f *Function) Entry() uint64 { return uint64(f.entry) }

func (f *Function) specialize(values *Values) *Error {
	m, err := values.resolve(f.Name, f.kernel.Constants)
	if err != nil {
		return err
	}
	f.constants, f.unset = m, false
	return nil
}

// Args returns the arguments that a kernel with these constants has, in the order of its
// declaration.
func (f *Function) Args() []ir.Arg {
	if f.kernel == nil {
		return nil
	}
	var args []ir.Arg
	for i := range f.kernel.Args {
		if a := &f.kernel.Args[i]; f.exists(a) {
			args = append(args, *a)
		}
	}
	return args
}

// exists reports whether an argument exists with the function's constants; without values, every
// argument that could exist does.
func (f *Function) exists(a *ir.Arg) bool {
	if f.unset || a.Condition == "" && a.When == "" {
		return true
	}
	if a.When != "" {
		holds, err := ir.EvalCondition(a.When, f.constant)
		return err != nil || holds
	}
	for i := range f.kernel.Constants {
		if c := &f.kernel.Constants[i]; c.Name == a.Condition {
			data := f.constants[c.Index]
			return len(data) > 0 && data[0] != 0
		}
	}
	return true
}

// constant returns the bits of a function constant's value, of a vector those of its first
// elements.
func (f *Function) constant(index int) (bits uint64, ok bool) {
	data, ok := f.constants[index]
	for n, b := range data[:min(len(data), 8)] {
		bits |= uint64(b) << (8 * n)
	}
	return bits, ok
}
