package softgraph

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// args are the arguments of a method of MPSGraph. Its methods stop the reading at the first
// mistake: nothing is computed from arguments that are wrong.
type args struct {
	c *objcsoft.Call
	g *graph
}

// fail stops read.
func (a *args) fail(format string, v ...any) { objcsoft.Fail(fmt.Errorf(format, v...)) }

// read calls f with the arguments of a call, and returns the mistake that stopped it.
func read(c *objcsoft.Call, g *graph, f func(a *args) error) error {
	return objcsoft.Try(func() error { return f(&args{c: c, g: g}) })
}

// tensor returns a tensor argument.
func (a *args) tensor(i int) *tensor {
	t := a.optional(i)
	if t == nil {
		a.fail("argument %d is nil, not a tensor", i)
	}
	return t
}

// optional returns a tensor argument, nil for nil.
func (a *args) optional(i int) *tensor {
	if a.c.ID(i) == 0 {
		return nil
	}
	t, ok := adapter.PayloadOf[*tensor](a.c.RT, a.c.ID(i))
	if !ok {
		a.fail("argument %d is not a tensor", i)
	}
	return t
}

// tensors returns an array of tensors.
func (a *args) tensors(i int) []*tensor {
	list, err := adapter.Payloads[*tensor](a.c.RT, a.c.ID(i))
	if err != nil {
		a.fail("argument %d: %w", i, err)
	}
	return list
}

// ints returns an array of numbers; nil has none.
func (a *args) ints(i int) []int {
	v, err := softmps.Integers(a.c.RT, a.c.ID(i))
	if err != nil {
		a.fail("argument %d: %w", i, err)
	}
	return v
}

func (a *args) int(i int) int        { return int(a.c.Int(i)) }
func (a *args) double(i int) float64 { return a.c.F64(i) }

// dataType returns an argument of type MPSDataType.
func (a *args) dataType(i int) tensorop.Type {
	t, err := softmps.TypeOf(a.c.Uint(i))
	if err != nil {
		a.fail("argument %d: %w", i, err)
	}
	return t
}

// constantInts returns the values of a tensor that says how to compute, such as an axis or a shape.
// It must be a constant, or the shape of a tensor whose shape is known.
func (a *args) constantInts(i int) []int {
	v, err := constantInts(a.tensor(i))
	if err != nil {
		a.fail("argument %d: %w", i, err)
	}
	return v
}

// constantInt returns the value of such a tensor with one element.
func (a *args) constantInt(i int) int {
	v := a.constantInts(i)
	if len(v) != 1 {
		a.fail("argument %d has %d elements and not one", i, len(v))
	}
	return v[0]
}

// axis returns an axis of a tensor: a negative one counts from the end.
func axis(t *tensor, i int) (int, error) {
	if t.shape == nil {
		if i < 0 {
			return 0, fmt.Errorf("axis %d of a tensor whose number of dimensions is unknown", i)
		}
		return i, nil
	}
	rank := len(t.shape)
	if i < -rank || i >= max(rank, 1) {
		return 0, fmt.Errorf("axis %d of a tensor with shape %v", i, t.shape)
	}
	if i < 0 {
		i += rank
	}
	return i, nil
}

// axes returns axes of a tensor, all of them for nil.
func axes(t *tensor, list []int) ([]int, error) {
	if list == nil {
		for i := range t.shape {
			list = append(list, i)
		}
		return list, nil
	}
	out := make([]int, len(list))
	for k, i := range list {
		var err error
		if out[k], err = axis(t, i); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// name returns the operation's name, which is the last argument.
func (a *args) name(i int) string {
	s, err := a.c.RT.GoString(a.c.ID(i))
	if err != nil && a.c.ID(i) != 0 {
		a.fail("the name: %w", err)
	}
	return s
}

// method makes a method that adds operations and returns one tensor, +0.
func method(f func(g *graph, a *args) (*tensor, error)) objcsoft.Imp {
	return methods(func(g *graph, a *args) ([]*tensor, error) {
		t, err := f(g, a)
		return []*tensor{t}, err
	}, func(c *objcsoft.Call, list []*tensor) { c.ReturnShared(list[0].id) })
}

// manyMethod makes a method that adds operations and returns an array of tensors, +0.
func manyMethod(f func(g *graph, a *args) ([]*tensor, error)) objcsoft.Imp {
	return methods(f, returnTensors)
}

func methods(f func(g *graph, a *args) ([]*tensor, error), result func(*objcsoft.Call, []*tensor)) objcsoft.Imp {
	return adapter.Method(func(g *graph, c *objcsoft.Call) {
		var out []*tensor
		err := read(c, g, func(a *args) (err error) {
			out, err = f(g, a)
			return err
		})
		if err != nil {
			adapter.Misuse(c, "%v", err)
			return
		}
		result(c, out)
	})
}

// operationMethod makes a method that adds operations and returns one, +0.
func operationMethod(f func(g *graph, a *args) (*operation, error)) objcsoft.Imp {
	return adapter.Method(func(g *graph, c *objcsoft.Call) {
		var op *operation
		err := read(c, g, func(a *args) (err error) {
			op, err = f(g, a)
			return err
		})
		if err != nil {
			adapter.Misuse(c, "%v", err)
			return
		}
		c.ReturnShared(op.id)
	})
}
