package tensorop

import (
	"fmt"
	"strings"
)

// opKind says which types an operation takes.
type opKind uint8

const (
	anyType  opKind = iota // any type but complex numbers
	number                 // floating-point numbers and integers
	floating               // floating-point numbers
	integer                // integers
	logical                // integers and Bool
)

// op is an elementwise operation. Its arguments have one type; the result has that type, or is a
// Bool if the operation is a test.
type op struct {
	args, scalars int
	kind          opKind
	test          bool
	format        string // %[1]s and so on are the arguments, then the scalars; {T} is the value type
	integers      string // the format for integers, if another
	helpers       []string
}

// expr is an operation's arguments as text.
type expr struct {
	typ           Type
	args, scalars []string
	types         []Type
}

// Ops returns the names of the elementwise operations.
func Ops() []string {
	var names []string
	for name := range opTable() {
		names = append(names, name)
	}
	return names
}

func lookup(name string) (op, error) {
	if d, ok := opTable()[name]; ok {
		return d, nil
	}
	return op{}, fmt.Errorf("tensorop: there is no elementwise operation %q", name)
}

// accepts tells whether an operation of this kind takes a type.
func (k opKind) accepts(t Type) bool {
	switch k {
	case number:
		return t.Float() || t.Integer()
	case floating:
		return t.Float()
	case integer:
		return t.Integer()
	case logical:
		return t.Integer() || t == Bool
	}
	return t.Valid() && !t.Complex()
}

func (k opKind) String() string {
	return [...]string{"any real type", "numbers", "floating-point numbers", "integers", "integers and bool"}[k]
}

// Check returns an error if the operation does not take arguments of these types, and else the type
// of its result. "cast" gives the type that its user wants, which is not returned.
func Check(name string, args ...Type) (Type, error) {
	d, err := lookup(name)
	if err != nil {
		return 0, err
	}
	if len(args) != d.args {
		return 0, fmt.Errorf("%s: %d arguments; it takes %d", name, len(args), d.args)
	}
	if len(args) == 0 {
		return 0, nil // "fill", of any type
	}
	first := args[0]
	for i, t := range args {
		if name == "select" && i == 0 {
			if t != Bool {
				return 0, fmt.Errorf("select: the condition is %v and not bool", t)
			}
			first = args[1]
			continue
		}
		if t != first {
			return 0, fmt.Errorf("%s: arguments of types %v and %v; they must be equal", name, first, t)
		}
		if !d.kind.accepts(t) && !(name == "cast" && t.Complex()) {
			return 0, fmt.Errorf("%s: takes %v and not %v", name, d.kind, t)
		}
	}
	if d.test {
		return Bool, nil
	}
	return first, nil
}

// write returns the operation as an expression.
func (d op) write(name string, e expr) (string, error) {
	result, err := Check(name, e.types...)
	if err != nil {
		return "", err
	}
	if len(e.scalars) != d.scalars {
		return "", fmt.Errorf("%s: %d parameters; it takes %d", name, len(e.scalars), d.scalars)
	}
	if name == "cast" {
		return cast(e)
	}
	if d.args == 0 {
		return e.typ.Value() + "(" + e.scalars[0] + ")", nil
	}
	if result != e.typ {
		return "", fmt.Errorf("%s: gives %v and not %v", name, result, e.typ)
	}
	of := e.types[len(e.types)-1]
	format := d.format
	if d.integers != "" && !of.Float() {
		format = d.integers
	}
	s := strings.ReplaceAll(format, "{T}", of.Value())
	// Later names first: %12 begins as %1 does.
	all := append(append([]string(nil), e.args...), e.scalars...)
	for i := len(all) - 1; i >= 0; i-- {
		s = strings.ReplaceAll(s, fmt.Sprintf("$%d", i+1), all[i])
	}
	return s, nil
}

// cast converts a value. Floating-point numbers are rounded toward zero and saturated to become
// integers, and NaN becomes 0; integers wrap around; anything but 0 is true.
func cast(e expr) (string, error) {
	from, to, v := e.types[0], e.typ, e.args[0]
	switch {
	case from == to:
		return v, nil
	case from.Complex() && to.Complex():
		return v, nil
	case from.Complex():
		return "", fmt.Errorf("cast: %v to %v loses the imaginary part; take the real part instead", from, to)
	case to.Complex():
		return "float2(float(" + v + "), 0.0f)", nil
	case to == Bool:
		return "(" + v + " != 0)", nil
	case from.Float() && to.Integer():
		low, high := limits(to)
		t := to.Value()
		return fmt.Sprintf("(%[1]s != %[1]s ? %[2]s(0) : %[1]s >= %[4]s ? numeric_limits<%[2]s>::max() : "+
			"%[1]s <= %[3]s ? numeric_limits<%[2]s>::min() : %[2]s(%[1]s))", v, t, low, high), nil
	}
	return to.Value() + "(" + v + ")", nil
}

// limits returns an integer type's least value and the one after its largest, as floats.
func limits(t Type) (low, high string) {
	bits := t.Size() * 8
	if t.Signed() {
		return fmt.Sprintf("-0x1p%df", bits-1), fmt.Sprintf("0x1p%df", bits-1)
	}
	return "0.0f", fmt.Sprintf("0x1p%df", bits)
}

// Parameters returns a slice of as many zeros as the operation takes parameters.
func Parameters(name string) []float32 { return make([]float32, opTable()[name].scalars) }
