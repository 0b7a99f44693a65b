package tensor_test

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/compute/tensor"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// noOperations are the methods of a scope that are no operations.
var noOperations = []string{"Close", "Err", "Inner", "RotaryTable"}

// onIntegers are the operations that do not take floating-point numbers.
var onIntegers = []string{"BitAnd", "BitNot", "BitOr", "BitXor", "PopCount", "ShiftLeft", "ShiftRight"}

// specialOperations are the operations whose arguments do not follow from their types. Operands are
// Float32 [4 4].
var specialOperations = map[string]func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor{
	"Assign": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		src, dst := p.pick(), p.pick() // dst last: its memory is the result's
		if p.r.IntN(2) == 0 {
			s.Assign(dst.Slice(0, 1, 3), src.Slice(0, 0, 2))
		} else {
			s.Assign(dst, src)
		}
		p.alias = true
		return dst
	},
	"Contiguous": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		x := p.pick()
		p.alias = x.IsContiguous()
		return s.Contiguous(x)
	},
	"Reshape": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		x := p.pick()
		p.alias = x.IsContiguous()
		return s.Reshape(x, 2, 8)
	},
	"Keep": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		x := p.pick()
		kept, err := s.Keep(x)
		if err != nil {
			return x // the scope has failed
		}
		p.kept = append(p.kept, kept)
		p.alias = true
		return kept
	},
	"Attention": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		return s.Attention(p.pick(), p.pick(), p.pick(), p.pick(), 0.5)
	},
	"GroupedAttention": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		return s.GroupedAttention(p.shaped(s, 1, 2, 4, 2), p.shaped(s, 1, 1, 4, 2), p.shaped(s, 1, 1, 4, 2),
			tensor.GroupedAttention{Mask: p.pick(), Sinks: p.shaped(s, 2)})
	},
	"AppendCache": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		keys, values := s.Copy(p.shaped(s, 1, 1, 4, 2)), s.Copy(p.shaped(s, 1, 1, 4, 2))
		turned := s.AppendCache(p.shaped(s, 2, 2, 2), p.shaped(s, 2, 1, 2), p.shaped(s, 2, 1, 2),
			s.RotaryTable(tensor.Rotary{Features: 2}), tensor.CacheRows{Keys: keys, Values: values,
				Places: tensor.Of(s, []int32{0, 0, 1, 2, 1, 0, 3, 4}, 2, 4)})
		return s.Concat(0, turned.Reshape(8), keys.Reshape(8), values.Reshape(8))
	},
	"CachedAttention": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		return s.CachedAttention(p.shaped(s, 2, 2, 4), tensor.GroupedAttention{Sinks: p.shaped(s, 2)},
			tensor.CacheRows{Keys: p.shaped(s, 1, 1, 4, 4), Values: p.shaped(s, 1, 1, 4, 4),
				Places: tensor.Of(s, []int32{0, 0, 1, 2, 1, 0, 3, 4}, 2, 4)})
	},
	"Rope": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		at := s.Cast(p.shaped(s, 2), tensor.Int32)
		return s.Rope(p.shaped(s, 1, 2, 2, 4), at, s.RotaryTable(tensor.Rotary{Features: 4}))
	},
	"Sample": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		return s.Sample(p.pick(), p.shaped(s, 4), tensor.Sampling{Temperature: 1, TopP: 0.9})
	},
	"Pack": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		w, err := s.Pack(s.Tile(p.pick(), 1, 8), tensor.Q8_0, 0, 0)
		if err != nil {
			return nil // the scope has the error
		}
		return s.Unpack(w, tensor.Float32).Slice(1, 0, 4)
	},
	"PenalizeRepetition": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		return s.PenalizeRepetition(p.pick(), p.indices(s).Index(0, 1), 1.5)
	},
	"Unpack": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		return s.Unpack(p.packed(s, tensor.PackedF32), tensor.Float32)
	},
	"Embed": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		return s.Embed(p.packed(s, tensor.PackedF32), p.indices(s).Index(0, 1), tensor.Float32)
	},
	"MatMulPacked": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		return s.MatMulPacked(p.pick(), p.packed(s, tensor.PackedF32))
	},
	"MatMulTernary": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		return s.MatMulTernary(p.shaped(s, 2, 8), p.packed(s, tensor.I2_S))
	},
	"AvgPool": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		return s.AvgPool(p.pick(), tensor.Window{Size: []int{2, 2}})
	},
	"MaxPool": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		return s.MaxPool(p.pick(), tensor.Window{Size: []int{2, 2}})
	},
	"BandPart": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor { return s.BandPart(p.pick(), 1, 0) },
	"BatchNorm": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		return s.BatchNorm(p.pick(), p.pick(), s.Square(p.pick()), p.pick(), p.pick(), 0.1)
	},
	"Cast":   func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor { return s.Cast(p.pick(), tensor.Float16) },
	"Concat": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor { return s.Concat(1, p.pick(), p.pick()) },
	"Stack":  func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor { return s.Stack(1, p.pick(), p.pick()) },
	"Conv": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		return s.Conv(p.shaped(s, 1, 1, 4, 4), p.shaped(s, 4, 1, 2, 2), tensor.Window{}, 1)
	},
	"ConvTranspose": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		return s.ConvTranspose(p.shaped(s, 1, 4, 2, 2), p.shaped(s, 4, 1, 2, 2), tensor.Window{}, 1)
	},
	"DepthToSpace": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		return s.DepthToSpace(p.shaped(s, 4, 2, 2), 2)
	},
	"SpaceToDepth": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		return s.SpaceToDepth(p.shaped(s, 1, 4, 4), 2)
	},
	"Dequantize": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		return s.Dequantize(s.Cast(p.pick(), tensor.Int8), p.pick(), nil, tensor.Float32)
	},
	"Quantize": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		return s.Quantize(p.pick(), p.pick(), nil, tensor.Int8)
	},
	"FFT":   func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor { return s.FFT(p.shaped(s, 2, 4, 2), 1) },
	"IFFT":  func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor { return s.IFFT(p.shaped(s, 2, 4, 2), 1) },
	"RFFT":  func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor { return s.RFFT(p.pick(), 1) },
	"IRFFT": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor { return s.IRFFT(p.shaped(s, 2, 4, 2), false, 1) },
	"Full":  func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor { return s.Full(tensor.Float32, 0.25, 4, 4) },
	"Normal": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		return s.Normal(p.r.Uint64(), tensor.Float32, 0, 1, 4, 4)
	},
	"Uniform": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		return s.Uniform(p.r.Uint64(), tensor.Float32, 0, 1, 4, 4)
	},
	"Range": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor { return s.Range(tensor.Float32, 16, 0, 0.125) },
	"Gather": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		return s.Gather(p.pick(), p.indices(s), 1)
	},
	"GatherND": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		return s.GatherND(p.pick(), p.indices(s).Slice(1, 0, 2))
	},
	"TakeAlong": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		return s.TakeAlong(p.pick(), p.indices(s), 1)
	},
	"PutAlong": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		return s.PutAlong(p.pick(), p.indices(s), p.pick(), 1, "set")
	},
	"Scatter": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		return s.Scatter(p.pick(), p.indices(s).Index(0, 1), p.pick(), 0, "add")
	},
	"ScatterND": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		return s.ScatterND(p.pick(), p.indices(s).Slice(1, 0, 1), p.pick(), "add")
	},
	"OneHot": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		return s.OneHot(p.indices(s).Index(1, 0), 4, -1, tensor.Float32)
	},
	"GroupNorm": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		return s.GroupNorm(p.pick(), p.pick().Index(0, 1), p.pick().Index(0, 2), 2, 0.1)
	},
	"LayerNorm": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		return s.LayerNorm(p.pick(), p.pick(), p.pick(), 0.1)
	},
	"RMSNorm": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor { return s.RMSNorm(p.pick(), p.pick(), 0.1) },
	"AddRMSNorm": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		sum, normal := s.AddRMSNorm(p.pick(), p.pick(), p.pick(), 0.1)
		return s.Concat(0, sum, normal)
	},
	"LocalResponseNorm": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		return s.LocalResponseNorm(p.pick(), 3, 0.5, 0.75, 1, 1)
	},
	"RNN": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		return s.RNN(p.shaped(s, 2, 2, 4), tensor.RNN{Recurrence: p.recurrence(s, 1)})
	},
	"GRU": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		return s.GRU(p.shaped(s, 2, 2, 4), tensor.GRU{Recurrence: p.recurrence(s, 3)})
	},
	"LSTM": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		states, cells := s.LSTM(p.shaped(s, 2, 2, 4), tensor.LSTM{Recurrence: p.recurrence(s, 4)})
		return s.Concat(0, states, cells)
	},
	"MatMulInt8": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		return s.MatMulInt8(s.Cast(p.pick(), tensor.Int8), s.Cast(p.pick(), tensor.Int8))
	},
	"Pad": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		return s.Pad(p.pick(), []int{1, -1}, []int{0, 1}, tensor.PadConstant, 0.5)
	},
	"Resize": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		return s.Resize(p.pick(), tensor.ResizeLinear, 3, 6)
	},
	"Tile": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor { return s.Tile(p.pick(), 1, 2) },
	"TopK": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		values, indices := s.TopK(p.pick(), 1, 2)
		return s.Concat(1, values, s.Cast(indices, tensor.Float32))
	},
	"Where": func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
		return s.Where(s.Greater(p.pick(), tensor.Scalar(0.5)), p.pick(), p.pick())
	},
}

// typicalOperation returns a call of an operation whose arguments follow from their types, or nil.
func typicalOperation(name string) func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
	m, _ := reflect.TypeFor[*tensor.Scope]().MethodByName(name)
	operand := (*poisonProgram).operand
	if slices.Contains(onIntegers, name) {
		operand = func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
			return s.Cast(p.pick(), tensor.Int32)
		}
	}
	switch f := m.Func.Interface().(type) {
	case func(s *tensor.Scope, x *tensor.Tensor) *tensor.Tensor:
		return func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor { return f(s, operand(p, s)) }
	case func(s *tensor.Scope, a, b *tensor.Tensor) *tensor.Tensor:
		return func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor { return f(s, operand(p, s), operand(p, s)) }
	case func(s *tensor.Scope, a, b, c *tensor.Tensor) *tensor.Tensor:
		return func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
			return f(s, operand(p, s), operand(p, s), operand(p, s))
		}
	case func(s *tensor.Scope, x *tensor.Tensor, axis int) *tensor.Tensor:
		return func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor { return f(s, operand(p, s), p.r.IntN(2)) }
	case func(s *tensor.Scope, x *tensor.Tensor, axes ...int) *tensor.Tensor:
		return func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor { return f(s, operand(p, s), p.r.IntN(2)) }
	case func(s *tensor.Scope, x *tensor.Tensor, axis int, descending bool) *tensor.Tensor:
		return func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor {
			return f(s, operand(p, s), 1, p.r.IntN(2) == 0)
		}
	case func(s *tensor.Scope, x *tensor.Tensor, a float32) *tensor.Tensor:
		return func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor { return f(s, operand(p, s), 0.75) }
	case func(s *tensor.Scope, x *tensor.Tensor, a, b float32) *tensor.Tensor:
		return func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor { return f(s, operand(p, s), 0.75, 0.25) }
	}
	return nil
}

// operations returns calls of all operations, by their names in order.
func operations(t *testing.T) (all []func(p *poisonProgram, s *tensor.Scope) *tensor.Tensor, names []string) {
	t.Helper()
	special := maps.Clone(specialOperations)
	for m := range methodsOfScope() {
		f := special[m]
		delete(special, m)
		if f == nil {
			f = typicalOperation(m)
		}
		require.NotNil(t, f, "specialOperations has no call of Scope.%s", m)
		all, names = append(all, f), append(names, m)
	}
	require.Empty(t, special, "no methods of Scope")
	return all, names
}

// methodsOfScope returns the names of all operations.
func methodsOfScope() func(yield func(string) bool) {
	return func(yield func(string) bool) {
		typ := reflect.TypeFor[*tensor.Scope]()
		for i := range typ.NumMethod() {
			if name := typ.Method(i).Name; !slices.Contains(noOperations, name) && !yield(name) {
				return
			}
		}
	}
}

// reader reads a Float32 tensor [4 4], or a part of it.
type reader func(ctx context.Context, p *poisonProgram, x *tensor.Tensor) ([]float64, error)

// widen returns numbers as float64, or the error.
func widen(list []float32, err error) ([]float64, error) {
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(list))
	for i, x := range list {
		out[i] = float64(x)
	}
	return out, nil
}

// readers are the functions of package tensor that take elements to the host.
var readers = map[string]reader{
	"Data": func(ctx context.Context, _ *poisonProgram, x *tensor.Tensor) ([]float64, error) {
		return widen(tensor.Data[float32](ctx, x))
	},
	"Item": func(ctx context.Context, _ *poisonProgram, x *tensor.Tensor) ([]float64, error) {
		v, err := tensor.Item[float32](ctx, x.Index(0, 1).Index(0, 2))
		return widen([]float32{v}, err)
	},
	"ToFloat64": func(ctx context.Context, _ *poisonProgram, x *tensor.Tensor) ([]float64, error) {
		return tensor.ToFloat64(ctx, x)
	},
	"ToNPY": func(ctx context.Context, _ *poisonProgram, x *tensor.Tensor) ([]float64, error) {
		a, err := tensor.ToNPY(ctx, x)
		if err != nil {
			return nil, err
		}
		return bytesAsNumbers(a.Data), nil
	},
	"SaveNPY": func(ctx context.Context, p *poisonProgram, x *tensor.Tensor) ([]float64, error) {
		file := filepath.Join(p.dir, "x.npy")
		if err := tensor.SaveNPY(ctx, file, x); err != nil {
			return nil, err
		}
		raw, err := os.ReadFile(file)
		return bytesAsNumbers(raw), err
	},
	"SaveNPZ": func(ctx context.Context, p *poisonProgram, x *tensor.Tensor) ([]float64, error) {
		file := filepath.Join(p.dir, "x.npz")
		if err := tensor.SaveNPZ(ctx, file, map[string]*tensor.Tensor{"x": x}); err != nil {
			return nil, err
		}
		raw, err := os.ReadFile(file)
		return bytesAsNumbers(raw), err
	},
	"ToMatrix32": func(ctx context.Context, _ *poisonProgram, x *tensor.Tensor) ([]float64, error) {
		m, err := tensor.ToMatrix32(ctx, x)
		return widen(m.Data, err)
	},
	"ToMatrix64": func(ctx context.Context, _ *poisonProgram, x *tensor.Tensor) ([]float64, error) {
		m, err := tensor.ToMatrix64(ctx, x)
		return m.Data, err
	},
	"ShareMatrix32": func(ctx context.Context, p *poisonProgram, x *tensor.Tensor) ([]float64, error) {
		if !x.IsContiguous() {
			return tensor.ToFloat64(ctx, x)
		}
		// It waits as Sync does, and so returns failures that the elements do not depend on.
		if p.e.Sync(ctx) != nil {
			p.synced = true
		}
		m, err := tensor.ShareMatrix32(ctx, x)
		return widen(slices.Clone(m.Data), err)
	},
}

func bytesAsNumbers(raw []byte) []float64 {
	out := make([]float64, len(raw))
	for i, b := range raw {
		out[i] = float64(b)
	}
	return out
}

// TestReaders: TestPoisoned reads by all functions of the package that give elements of a tensor to
// the host.
func TestReaders(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skip("the source is not here") // the tests run from a bundle
	}
	var found []string
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.IsExported() && reads(fn.Type) {
				found = append(found, fn.Name.Name)
			}
		}
	}
	assert.ElementsMatch(t, found, slices.Collect(maps.Keys(readers)))
}

// reads reports whether a function takes a context and tensors.
func reads(f *ast.FuncType) bool {
	ctx, tensors := false, false
	for _, p := range f.Params.List {
		ast.Inspect(p.Type, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				ctx, tensors = ctx || id.Name == "Context", tensors || id.Name == "Tensor"
			}
			return true
		})
	}
	return ctx && tensors
}
