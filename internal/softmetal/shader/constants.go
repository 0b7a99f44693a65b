package shader

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"

	"github.com/puremetal/puremetal/internal/ir"
)

// Value is a function constant's value as the host gave it.
type Value struct {
	Type ir.DataType
	Data []byte // as the language lays the type out
}

// Values are the values of function constants: an MTLFunctionConstantValues. The zero Values have
// none.
type Values struct {
	index map[int]Value
	name  map[string]Value
}

// Set sets the constant of an index.
func (v *Values) Set(index int, x Value) {
	if v.index == nil {
		v.index = map[int]Value{}
	}
	v.index[index] = x
}

// SetNamed sets the constant of a name.
func (v *Values) SetNamed(name string, x Value) {
	if v.name == nil {
		v.name = map[string]Value{}
	}
	v.name[name] = x
}

// Reset takes all values away.
func (v *Values) Reset() { v.index, v.name = nil, nil }

// Clone returns a copy. Data is shared: it never changes.
func (v *Values) Clone() *Values {
	return &Values{maps.Clone(v.index), maps.Clone(v.name)}
}

// of returns the value of a constant. A value set by name takes precedence over one set by index.
func (v *Values) of(c *ir.FunctionConstant) (Value, bool) {
	if x, ok := v.name[c.Name]; ok {
		return x, true
	}
	x, ok := v.index[c.Index]
	return x, ok
}

// ConstantSize returns the size of a function constant's type as the language lays it out, 0 for a
// type that no constant has.
func ConstantSize(t ir.DataType) int {
	if s := t.Shape(); !s.IsMatrix() {
		return s.Size()
	}
	return 0
}

// needsConstants reports whether a function cannot be used without values.
func needsConstants(list []ir.FunctionConstant) bool {
	for i := range list {
		if list[i].Required {
			return true
		}
	}
	return false
}

// resolve returns the values of a function's constants by index.
func (v *Values) resolve(function string, list []ir.FunctionConstant) (map[int][]byte, *Error) {
	out := map[int][]byte{}
	for i := range list {
		c := &list[i]
		x, ok := v.of(c)
		if !ok {
			if c.Required {
				return nil, failf(CompileFailure, "function '%s': function constant '%s' at index %d has no value", function,
					c.Name, c.Index)
			}
			continue
		}
		if c.Data != x.Type {
			return nil, failf(CompileFailure,
				"function '%s': function constant '%s' at index %d is of type %s, and the value given is of type %v",
				function, c.Name, c.Index, c.Data, x.Type)
		}
		out[c.Index] = x.Data
	}
	return out, nil
}

// constantsKey returns a text that is the same for equal constants only.
func constantsKey(m map[int][]byte) string {
	if len(m) == 0 {
		return ""
	}
	var b bytes.Buffer
	for _, i := range sortedKeys(m) {
		fmt.Fprintf(&b, "%d:", i)
		b.Write(binary.AppendUvarint(nil, uint64(len(m[i]))))
		b.Write(m[i])
	}
	return b.String()
}
