package softgraph

import (
	"fmt"
	"maps"

	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// mapDef is the definition of an elementwise operation of package tensorop.
func mapDef(op string, scalars ...float32) def {
	return def{
		instr: &tensorop.Instr{Op: op, Scalars: scalars},
		infer: func(in []spec) ([]spec, error) {
			var types []tensorop.Type
			var shapes [][]int
			for _, s := range in {
				types = append(types, s.typ)
				shapes = append(shapes, s.shape)
			}
			t, err := tensorop.Check(op, types...)
			if err != nil {
				return nil, err
			}
			shape, err := tensorop.BroadcastShapes(op, shapes...)
			return []spec{{t, shape}}, err
		},
		grad: gradientOf(op),
	}
}

// apply adds an elementwise operation.
func (g *graph) apply(op, name string, inputs ...*tensor) (*tensor, error) {
	return g.add1(op, name, mapDef(op), inputs...)
}

// applyWith adds an elementwise operation with parameters.
func (g *graph) applyWith(op, name string, scalars []float32, inputs ...*tensor) (*tensor, error) {
	return g.add1(op, name, mapDef(op, scalars...), inputs...)
}

// cast adds a conversion to a type.
func (g *graph) cast(t *tensor, to tensorop.Type, name string) (*tensor, error) {
	return g.add1("cast", name, def{
		instr: &tensorop.Instr{Op: "cast"},
		infer: func(in []spec) ([]spec, error) {
			if in[0].typ.Complex() && !to.Complex() {
				return nil, fmt.Errorf("%v to %v loses the imaginary part", in[0].typ, to)
			}
			return []spec{{to, in[0].shape}}, nil
		},
		grad: func(g *graph, op *operation, dy []*tensor) ([]*tensor, error) {
			from := op.inputs[0].typ
			if !from.Float() {
				return []*tensor{nil}, nil
			}
			dx, err := g.cast(dy[0], from, "")
			return []*tensor{dx}, err
		},
	}, t)
}

// logical converts a tensor to booleans, which the results of comparisons are.
func (g *graph) logical(t *tensor) (*tensor, error) {
	if t.typ == tensorop.Bool {
		return t, nil
	}
	return g.cast(t, tensorop.Bool, "")
}

// elementwiseMethods are the methods with a tensor for each argument of an elementwise operation.
func elementwiseMethods() adapter.Methods {
	m := adapter.Methods{}
	unary := map[string]string{
		"absolute": "abs", "absoluteSquare": "square", "acos": "acos", "acosh": "acosh", "asin": "asin",
		"asinh": "asinh",
		"atan":  "atan", "atanh": "atanh", "bitwiseNOT": "bit_not", "bitwisePopulationCount": "popcount",
		"ceil": "ceil",
		"cos":  "cos", "cosh": "cosh", "erf": "erf", "exponentBase10": "exp10", "exponentBase2": "exp2",
		"exponent": "exp",
		"floor":    "floor", "isFinite": "is_finite", "isInfinite": "is_inf", "isNaN": "is_nan",
		"logarithmBase10": "log10",
		"logarithmBase2":  "log2", "logarithm": "log", "negative": "neg", "not": "not", "reLU": "relu",
		"reciprocalSquareRoot": "rsqrt", "reciprocal": "reciprocal", "reverseSquareRoot": "rsqrt", "rint": "rint",
		"round": "round", "sigmoid": "sigmoid", "sign": "sign", "sin": "sin", "sinh": "sinh", "squareRoot": "sqrt",
		"square": "square", "tan": "tan", "tanh": "tanh", "truncate": "trunc", "identity": "cast",
	}
	for name, op := range unary {
		m[name+"WithTensor:name:"] = method(func(g *graph, a *args) (*tensor, error) {
			t := a.tensor(0)
			if op == "cast" {
				return g.cast(t, t.typ, a.name(1))
			}
			return g.apply(op, a.name(1), t)
		})
	}
	binary := map[string]string{
		"addition": "add", "atan2": "atan2", "bitwiseAND": "bit_and", "bitwiseLeftShift": "shift_left",
		"bitwiseOR": "bit_or", "bitwiseRightShift": "shift_right", "bitwiseXOR": "bit_xor", "divisionNoNaN": "div_nan",
		"division": "div", "equal": "equal", "floorModulo": "floor_mod", "greaterThanOrEqualTo": "greater_equal",
		"greaterThan": "greater", "lessThanOrEqualTo": "less_equal", "lessThan": "less", "logicalAND": "and",
		"logicalNAND": "nand", "logicalNOR": "nor", "logicalOR": "or", "logicalXNOR": "xnor", "logicalXOR": "xor",
		"maximum": "max_number", "maximumWithNaNPropagation": "max", "minimum": "min_number",
		"minimumWithNaNPropagation": "min", "modulo": "mod", "multiplication": "mul", "notEqual": "not_equal",
		"power": "pow", "subtraction": "sub",
	}
	for name, op := range binary {
		m[name+"WithPrimaryTensor:secondaryTensor:name:"] = method(func(g *graph, a *args) (*tensor, error) {
			return g.apply(op, a.name(2), a.tensor(0), a.tensor(1))
		})
	}
	maps.Copy(m, adapter.Methods{
		"castTensor:toType:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.cast(a.tensor(0), a.dataType(1), a.name(2))
		}),
		"clampWithTensor:minValueTensor:maxValueTensor:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.apply("clamp", a.name(3), a.tensor(0), a.tensor(1), a.tensor(2))
		}),
		"selectWithPredicateTensor:truePredicateTensor:falsePredicateTensor:name:": method(
			func(g *graph, a *args) (*tensor, error) {
				p, err := g.logical(a.tensor(0))
				if err != nil {
					return nil, err
				}
				return g.apply("select", a.name(3), p, a.tensor(1), a.tensor(2))
			}),
		"leakyReLUWithTensor:alpha:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.applyWith("leaky_relu", a.name(2), []float32{float32(a.double(1))}, a.tensor(0))
		}),
		"leakyReLUWithTensor:alphaTensor:name:": method(func(g *graph, a *args) (*tensor, error) {
			x, alpha := a.tensor(0), a.tensor(1)
			zero, err := g.constant(0, spec{x.typ, nil})
			if err != nil {
				return nil, err
			}
			scaled, err := g.apply("mul", "", x, alpha)
			if err != nil {
				return nil, err
			}
			below, err := g.apply("less", "", x, zero)
			if err != nil {
				return nil, err
			}
			return g.apply("select", a.name(2), below, scaled, x)
		}),
		"signbitWithTensor:name:": method(func(g *graph, a *args) (*tensor, error) {
			x := a.tensor(0)
			one, err := g.constant(1, spec{x.typ, nil})
			if err != nil {
				return nil, err
			}
			signed, err := g.apply("copysign", "", one, x)
			if err != nil {
				return nil, err
			}
			zero, err := g.constant(0, spec{x.typ, nil})
			if err != nil {
				return nil, err
			}
			return g.apply("less", a.name(1), signed, zero)
		}),
	})
	return m
}

// leafMethods are those that add placeholders, constants and variables.
func leafMethods() adapter.Methods {
	placeholder := func(g *graph, a *args, s spec, name string) (*tensor, error) {
		t, err := g.add1("placeholder", name, leafDef(s, leaf{placeholder: true}))
		if err == nil {
			g.mu.Lock()
			g.placeholders = append(g.placeholders, t)
			g.mu.Unlock()
		}
		return t, err
	}
	shape := func(a *args, i int) []int {
		if a.c.ID(i) == 0 {
			return nil
		}
		return append([]int{}, a.ints(i)...)
	}
	data := func(a *args, i int) []byte {
		b, err := a.c.RT.GoBytes(a.c.ID(i))
		if err != nil {
			a.fail("the data: %w", err)
		}
		return b
	}
	return adapter.Methods{
		"placeholderWithShape:dataType:name:": method(func(g *graph, a *args) (*tensor, error) {
			return placeholder(g, a, spec{a.dataType(1), shape(a, 0)}, a.name(2))
		}),
		"placeholderWithShape:name:": method(func(g *graph, a *args) (*tensor, error) {
			return placeholder(g, a, spec{tensorop.Float32, shape(a, 0)}, a.name(1))
		}),
		"constantWithScalar:dataType:": method(func(g *graph, a *args) (*tensor, error) {
			return g.constant(a.double(0), spec{a.dataType(1), nil})
		}),
		"constantWithScalar:shape:dataType:": method(func(g *graph, a *args) (*tensor, error) {
			return g.constant(a.double(0), spec{a.dataType(2), shape(a, 1)})
		}),
		"constantWithRealPart:imaginaryPart:": method(func(g *graph, a *args) (*tensor, error) {
			return g.complexConstant(a.double(0), a.double(1), spec{tensorop.Complex64, nil})
		}),
		"constantWithRealPart:imaginaryPart:dataType:": method(func(g *graph, a *args) (*tensor, error) {
			return g.complexConstant(a.double(0), a.double(1), spec{a.dataType(2), nil})
		}),
		"constantWithRealPart:imaginaryPart:shape:dataType:": method(func(g *graph, a *args) (*tensor, error) {
			return g.complexConstant(a.double(0), a.double(1), spec{a.dataType(3), shape(a, 2)})
		}),
		"constantWithData:shape:dataType:": method(func(g *graph, a *args) (*tensor, error) {
			m, err := newMemory(spec{a.dataType(2), shape(a, 1)}, data(a, 0))
			if err != nil {
				return nil, err
			}
			return g.add1("constant", "", leafDef(m.spec, leaf{constant: m}))
		}),
		"variableWithData:shape:dataType:name:": method(func(g *graph, a *args) (*tensor, error) {
			m, err := newMemory(spec{a.dataType(2), shape(a, 1)}, data(a, 0))
			if err != nil {
				return nil, err
			}
			return g.add1("variable", a.name(3), leafDef(m.spec, leaf{variable: m}))
		}),
		"readVariable:name:": method(func(g *graph, a *args) (*tensor, error) {
			t := a.tensor(0)
			return g.cast(t, t.typ, a.name(1))
		}),
		"assignVariable:withValueOfTensor:name:": operationMethod(func(g *graph, a *args) (*operation, error) {
			return g.assign(a.tensor(0), a.tensor(1), a.name(2))
		}),
	}
}

// assign adds an operation that sets a variable, or the variable of a read, at the end of a run.
func (g *graph) assign(v, value *tensor, name string) (*operation, error) {
	if v.op.def.leaf.variable == nil {
		return nil, fmt.Errorf("assignVariable: the tensor is the result of a %s and not a variable", v.op.kind)
	}
	_, err := g.add("assign", name, def{
		assigns: v.op,
		infer: func(in []spec) ([]spec, error) {
			if in[0].typ != v.typ || tensorop.Elements(in[0].shape) != tensorop.Elements(v.shape) {
				return nil, fmt.Errorf("a value %v for the variable %v", in[0], v.spec)
			}
			return nil, nil
		},
	}, value)
	if err != nil {
		return nil, err
	}
	return g.last, nil
}
