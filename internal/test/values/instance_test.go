package values

import (
	"fmt"
	"strings"

	"github.com/puremetal/puremetal/internal/msl/builtin"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// instance is an overload of a library function on numbers, and the kernel that calls it once per
// thread.
type instance struct {
	*builtin.Instance
	name  string       // of the kernel
	in    []types.Type // of parameters that are read
	out   []types.Type // of the result and of parameters that are written
	width int          // lanes of the widest parameter
}

// instanceOf returns the instance, or false for a function that is not on numbers.
func instanceOf(i *builtin.Instance, number int) (instance, bool) {
	x := instance{Instance: i, name: fmt.Sprintf("k%d_%s", number, i.Fn.Name)}
	isNumber := func(t types.Type) bool {
		switch t := t.(type) {
		case *types.Basic:
			return t.IsArithmetic()
		case *types.Vector:
			return true
		}
		return false
	}
	if !isNumber(i.Result.Type) {
		return x, false
	}
	x.out = append(x.out, i.Result.Type)
	for _, p := range i.Params {
		if r, ok := p.Type.(*types.Reference); ok && isNumber(r.Elem.Type) {
			x.out = append(x.out, r.Elem.Type)
			continue
		}
		if !isNumber(p.Type) {
			return x, false
		}
		x.in = append(x.in, p.Type)
		x.width = max(x.width, types.LenOf(p.Type))
	}
	return x, len(x.in) > 0
}

const firstOut = 8 // the slot of the first output

// spelled returns the function's full name.
func (x *instance) spelled() string {
	switch {
	case x.Fn.Name == "not": // a keyword, which is used as an operator
		return "not"
	case x.Fn.Namespace == "":
		return "::" + x.Fn.Name
	}
	return x.Fn.Namespace + "::" + x.Fn.Name
}

// kernelText returns the kernel's text.
func (x *instance) kernelText() string {
	var params, args, before, after []string
	for j, t := range x.in {
		params = append(params, fmt.Sprintf("device const %s *a%d [[buffer(%d)]]", t, j, j))
	}
	for j, t := range x.out {
		params = append(params, fmt.Sprintf("device %s *r%d [[buffer(%d)]]", t, j, firstOut+j))
	}
	in, out := 0, 1
	for _, p := range x.Params {
		if r, ok := p.Type.(*types.Reference); ok {
			before = append(before, fmt.Sprintf("%s o%d = %s(0);", r.Elem.Type, out, r.Elem.Type))
			after = append(after, fmt.Sprintf("r%d[i] = o%d;", out, out))
			args = append(args, fmt.Sprintf("o%d", out))
			out++
			continue
		}
		args = append(args, fmt.Sprintf("a%d[i]", in))
		in++
	}
	params = append(params, "uint i [[thread_position_in_grid]]")
	return fmt.Sprintf("kernel void %s(%s) { %s r0[i] = %s(%s); %s }\n", x.name, strings.Join(params, ", "),
		strings.Join(before, " "),
		x.spelled(), strings.Join(args, ", "), strings.Join(after, " "))
}

// stride returns the bytes between consecutive values of a type in a buffer.
func stride(t types.Type) int { return t.Size() }

// fill writes values to a buffer, by thread and lane; value returns the value for each.
func fill(t types.Type, threads int, value func(thread, lane int) uint64) []byte {
	elem, n := types.ElemOf(t), types.LenOf(t)
	data := make([]byte, threads*stride(t))
	for i := range threads {
		for l := range n {
			put(data[i*stride(t)+l*elem.Size():], elem.Size(), value(i, l))
		}
	}
	return data
}

// laneOf reads a lane of a thread's value.
func laneOf(t types.Type, data []byte, thread, lane int) uint64 {
	elem := types.ElemOf(t)
	return get(data[thread*stride(t)+lane*elem.Size():], elem.Size())
}
