package tensor

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/npy"
)

// FromNPY returns a tensor with a copy of an array of package npy. Its element type is typ, or that
// of the array if typ is 0. Metal has no float64: an array of float64 needs a floating-point typ,
// to which its elements are rounded; those of other types are converted as by [Scope.Cast]. The
// tensor belongs to the scope.
func FromNPY(s *Scope, a *npy.Array, typ Type) *Tensor {
	const op = "from npy"
	if f, ok := s.begin(op); !ok {
		return f
	}
	t, err := s.fromNPY(a, typ)
	if err != nil {
		return s.fail(op, nil, err)
	}
	return t
}

// fromNPY is FromNPY, but does not record its error.
func (s *Scope) fromNPY(a *npy.Array, typ Type) (*Tensor, error) {
	if a == nil {
		return nil, errors.New("the array is nil")
	}
	own := npyTypes()[a.Type]
	switch {
	case typ != 0 && !typ.valid():
		return nil, fmt.Errorf("%s to %v: %w", a.Type, typ, ErrType)
	case a.Type == npy.Float64 && !typ.IsFloat():
		return nil, fmt.Errorf("elements of float64, which Metal does not have; "+
			"give Float32, Float16 or BFloat16 to round to: %w", ErrType)
	case a.Type == npy.Float64:
		raw := make([]byte, 0, len(a.Data)/8*typ.Size())
		for i := 0; i+8 <= len(a.Data); i += 8 {
			raw = appendFloat(raw, typ, math.Float64frombits(binary.LittleEndian.Uint64(a.Data[i:])))
		}
		return s.put(typ, raw, a.Shape)
	case own == 0:
		return nil, fmt.Errorf("elements of %q: %w", string(a.Type), ErrType)
	}
	t, err := s.put(own, a.Data, a.Shape)
	if err != nil || typ == 0 || typ == own {
		return t, err
	}
	defer t.Close()
	made, err := s.run("cast", 0, []shaped{{typ, a.Shape}}, []*Tensor{t},
		func(b *tensorop.Builder, out, in []tensorop.Operand) { b.Copy(out[0], in[0]) })
	if err != nil {
		return nil, err
	}
	return made[0], nil
}

// npyTypes are the element types that both packages have.
func npyTypes() map[npy.Type]Type {
	return map[npy.Type]Type{npy.Float32: Float32, npy.Float16: Float16, npy.Int8: Int8, npy.Int16: Int16,
		npy.Int32: Int32, npy.Int64: Int64, npy.Uint8: Uint8, npy.Uint16: Uint16, npy.Uint32: Uint32,
		npy.Uint64: Uint64, npy.Bool: Bool}
}

// ToNPY waits for the tensor's elements and returns a copy of them. NumPy has no bfloat16: convert
// it with [Scope.Cast] first.
func ToNPY(ctx context.Context, t *Tensor) (*npy.Array, error) {
	if err := t.Err(); err != nil {
		return nil, err
	}
	a := &npy.Array{Shape: t.Shape()}
	for have, typ := range npyTypes() {
		if typ == t.Type() {
			a.Type = have
		}
	}
	if a.Type == "" {
		return nil, t.failure("to npy", fmt.Errorf("NumPy has no such elements; convert with Cast first: %w", ErrType))
	}
	a.Data = make([]byte, t.Len()*t.Type().Size())
	if err := t.download(ctx, a.Data); err != nil {
		return nil, t.failure("to npy", err)
	}
	return a, nil
}

// LoadNPY reads the array of a .npy file. typ is the element type as for [FromNPY]. Errors name the
// file. The tensor belongs to the scope.
func LoadNPY(s *Scope, file string, typ Type) *Tensor {
	const op = "load npy"
	if f, ok := s.begin(op); !ok {
		return f
	}
	a, err := npy.ReadFile(file)
	if err != nil {
		return s.fail(op, nil, err)
	}
	t, err := s.fromNPY(a, typ)
	if err != nil {
		return s.fail(op, nil, fmt.Errorf("%s: %w", file, err))
	}
	return t
}

// LoadNPZ reads the arrays of a .npz file, which numpy.savez writes, by their names. typ is the
// element type as for [FromNPY]; limits are those of the file's contents. Errors name the file and
// the array, and the result is then nil. The tensors belong to the scope.
func LoadNPZ(s *Scope, file string, typ Type, limits npy.ArchiveOptions) map[string]*Tensor {
	const op = "load npz"
	if _, ok := s.begin(op); !ok {
		return nil
	}
	entries, err := npy.ReadArchiveFile(file, limits)
	if err != nil {
		s.fail(op, nil, err)
		return nil
	}
	all := make(map[string]*Tensor, len(entries))
	for _, e := range entries {
		if all[e.Name], err = s.fromNPY(e.Array, typ); err != nil {
			s.fail(op, nil, fmt.Errorf("%s: entry %q: %w", file, e.Name, err))
			return nil
		}
	}
	return all
}

// SaveNPY waits for the tensor's elements and writes them to a .npy file, which it creates or
// overwrites. Errors name the file.
func SaveNPY(ctx context.Context, file string, t *Tensor) error {
	a, err := ToNPY(ctx, t)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return npy.WriteFile(file, a)
}

// SaveNPZ waits for the elements of tensors and writes them to a .npz file, for numpy.load, sorted
// by their names. It creates or overwrites the file once it has all elements. Errors name the file
// and the array.
func SaveNPZ(ctx context.Context, file string, tensors map[string]*Tensor) error {
	if ctx == nil {
		return fmt.Errorf("%s: a nil context: %w", file, compute.ErrNil)
	}
	entries := make([]npy.Entry, 0, len(tensors))
	for _, name := range slices.Sorted(maps.Keys(tensors)) {
		a, err := ToNPY(ctx, tensors[name])
		if err != nil {
			return fmt.Errorf("%s: entry %q: %w", file, name, err)
		}
		entries = append(entries, npy.Entry{Name: name, Array: a})
	}
	return npy.WriteArchiveFile(file, entries...)
}
