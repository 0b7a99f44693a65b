package softmps

import (
	"math"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps/mpsdata"
	"github.com/puremetal/puremetal/internal/typeenc"
)

// unlimited is the default of sizes that mean "as much as there is".
const unlimited = math.MaxInt64

// doubleOne is the word of a double with the value 1.
const doubleOne = 0x3ff0000000000000

// origin is an MTLOrigin in a matrix: X is the row, Y the column, and Z is 0.
type origin struct{ row, column, z int }

// words returns a property of the kernel; a property that was never set is zero.
func (k *Kernel) words(name string) []uintptr { return k.properties[name] }

// set sets a property.
func (k *Kernel) set(name string, words ...uintptr) {
	if k.properties == nil {
		k.properties = map[string][]uintptr{}
	}
	k.properties[name] = words
}

// number returns an integer property, or a default if it was never set.
func (k *Kernel) number(name string, otherwise int) int {
	if w := k.properties[name]; w != nil {
		return int(w[0])
	}
	return otherwise
}

func (k *Kernel) origin(name string) origin {
	w := k.properties[name]
	if w == nil {
		return origin{}
	}
	return origin{int(w[0]), int(w[1]), int(w[2])}
}

func (k *Kernel) float(name string) float32 {
	if w := k.properties[name]; w != nil {
		return math.Float32frombits(uint32(w[0]))
	}
	return 0
}

func (k *Kernel) double(name string, otherwise float64) float64 {
	if w := k.properties[name]; w != nil {
		return math.Float64frombits(uint64(w[0]))
	}
	return otherwise
}

// withProperties adds getters and setters to a class of kernels for those properties in the tables
// that are not objects and that the class does not define itself. defaults are integers.
func withProperties(c adapter.Class, defaults map[string]uintptr) adapter.Class {
	if c.Methods == nil {
		c.Methods = adapter.Methods{}
	}
	owner := mpsdata.Tables.Owner(c.Name)
	for _, m := range owner.Methods {
		name, words := m.Name, propertyWords(m.Enc)
		if strings.Contains(name, ":") || words == 0 || c.Methods[name] != nil {
			continue
		}
		zero := slices.Repeat([]uintptr{0}, words)
		zero[0] = defaults[name]
		c.Methods[name] = adapter.Method(func(k kernelState, c *objcsoft.Call) {
			if w := k.kernel().words(name); w != nil {
				c.ReturnWords(w...)
				return
			}
			c.ReturnWords(zero...)
		})
		set := adapter.Setter(name)
		if c.Methods[set] == nil && slices.ContainsFunc(owner.Methods,
			func(m adapter.Signature) bool { return m.Name == set }) {
			c.Methods[set] = adapter.Method(func(k kernelState, c *objcsoft.Call) {
				k.kernel().set(name, slices.Clone(c.Words(0))...)
			})
		}
	}
	return c
}

// propertyWords returns how many words a getter's result takes, 0 for objects and for nothing.
func propertyWords(enc string) int {
	sig, err := typeenc.ParseMethod(enc)
	if err != nil || sig.Ret.IsObject() || sig.Ret.Size == 0 {
		return 0
	}
	return max(1, int(sig.Ret.Size+7)/8)
}
