package library

import (
	"fmt"
	"sync"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/shader"
)

// constantValues is the state of MTLFunctionConstantValues.
type constantValues struct {
	mu     sync.Mutex
	values shader.Values
}

// maxConstantIndex is the largest index of a function constant.
const maxConstantIndex = 65535

func errorf(format string, args ...any) error { return fmt.Errorf(format, args...) }

func constantValuesClasses() []adapter.Class {
	return []adapter.Class{{
		Name: "MTLFunctionConstantValues", Protocols: []string{"NSCopying"},
		Alloc: func(o *objcsoft.Object) { o.Payload = &constantValues{} },
		Methods: adapter.Methods{
			"setConstantValue:type:atIndex:":    adapter.Method((*constantValues).setAt),
			"setConstantValues:type:withRange:": adapter.Method((*constantValues).setRange),
			"setConstantValue:type:withName:":   adapter.Method((*constantValues).setNamed),
			"reset": adapter.Method(func(v *constantValues, _ *objcsoft.Call) {
				v.mu.Lock()
				defer v.mu.Unlock()
				v.values.Reset()
			}),
			"copyWithZone:": adapter.Method(func(v *constantValues, c *objcsoft.Call) {
				c.ReturnID(c.RT.NewObject(c.Self.Class(), &constantValues{values: *v.clone()}))
			}),
		},
	}}
}

func (v *constantValues) clone() *shader.Values {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.values.Clone()
}

// valueArgs reads n values of the type of argument 1 from argument 0.
func valueArgs(c *objcsoft.Call, n uint64) (data []byte, size int, ok bool) {
	size = shader.ConstantSize(dataTypeOfMetal(c.Uint(1)))
	if size == 0 {
		adapter.Misuse(c, "type %d is no type of a function constant", c.Uint(1))
		return nil, 0, false
	}
	data = c.Bytes(0, n*uint64(size))
	return data, size, !c.Failed()
}

func (v *constantValues) setAt(c *objcsoft.Call) { v.setMany(c, c.Uint(2), 1) }

func (v *constantValues) setRange(c *objcsoft.Call) {
	r := c.Words(2)
	v.setMany(c, uint64(r[0]), uint64(r[1]))
}

func (v *constantValues) setMany(c *objcsoft.Call, first, n uint64) {
	if first > maxConstantIndex || n > maxConstantIndex+1-first {
		adapter.Misuse(c, "index %d of a function constant is above %d", first+n-1, maxConstantIndex)
		return
	}
	data, size, ok := valueArgs(c, n)
	if !ok {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for i := range int(n) {
		v.values.Set(int(first)+i, shader.Value{Type: dataTypeOfMetal(c.Uint(1)),
			Data: data[i*size : (i+1)*size : (i+1)*size]})
	}
}

func (v *constantValues) setNamed(c *objcsoft.Call) {
	name, ok := nameArg(c, 2)
	if !ok {
		return
	}
	data, _, ok := valueArgs(c, 1)
	if !ok {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.values.SetNamed(name, shader.Value{Type: dataTypeOfMetal(c.Uint(1)), Data: data})
}
