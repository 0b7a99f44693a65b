//go:build (darwin || linux) && (amd64 || arm64)

package ccall

import (
	"fmt"
	"strings"

	"github.com/puremetal/puremetal/internal/typeenc"
)

// LocKind says what kind of place a part of an argument or result is in.
type LocKind uint8

// The kinds of places.
const (
	InInt     LocKind = iota // a general-purpose register
	InFloat                  // a vector register
	OnStack                  // the stack
	ResultPtr                // arm64's x8, which holds the address for an indirect result
)

// Loc is the place of one part of an argument or result.
type Loc struct {
	Kind   LocKind
	Index  int // the register's number, or bytes from the first stack argument
	Size   int // bytes
	Offset int // bytes from the start of the value's memory image
}

// Placement says where an argument or result is. Where Indirect is set, its
// one Loc holds not the value but the address of a copy of it.
type Placement struct {
	Indirect bool
	Locs     []Loc
}

// layout is what a calling convention makes of a signature.
type layout struct {
	args       []Placement
	ret        Placement
	stackBytes int // of arguments, not rounded
}

// registers names the registers of an architecture.
type registers struct{ args, results, floats []string }

func registersOf(arch string) registers {
	switch arch {
	case "amd64":
		return registers{
			args:    []string{"rdi", "rsi", "rdx", "rcx", "r8", "r9"},
			results: []string{"rax", "rdx"},
			floats:  []string{"xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7"},
		}
	case "arm64":
		return registers{
			args:    []string{"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7"},
			results: []string{"x0", "x1"},
			floats:  []string{"v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7"},
		}
	}
	return registers{}
}

// text writes a placement: register names joined by commas, "[8:24]" for 24
// bytes from stack offset 8, and "&" before the place of an address.
func (pl Placement) text(ints, floats []string) string {
	parts := make([]string, len(pl.Locs))
	for i, l := range pl.Locs {
		switch l.Kind {
		case InInt:
			parts[i] = ints[l.Index]
		case InFloat:
			parts[i] = floats[l.Index]
		case OnStack:
			parts[i] = fmt.Sprintf("[%d:%d]", l.Index, l.Size)
		case ResultPtr:
			parts[i] = "x8"
		}
	}
	s := strings.Join(parts, ",")
	if pl.Indirect {
		s = "&" + s
	}
	return s
}

// passable returns an error naming a type that this package does not pass by
// value. None of them occurs by value in the frameworks this project binds.
func passable(t *typeenc.Type) error {
	switch t.Kind {
	case typeenc.Invalid, typeenc.Void, typeenc.Unknown, typeenc.BitField:
		return fmt.Errorf("%s has no size", t.Kind)
	case typeenc.LongDouble, typeenc.Int128, typeenc.Uint128, typeenc.Complex:
		return fmt.Errorf("%s is not supported by value", t.Kind)
	case typeenc.Array:
		return fmt.Errorf("%s is an array, which C does not pass by value", t)
	case typeenc.Vector:
		return passableVector(t)
	case typeenc.Struct, typeenc.Union:
		if t.Opaque {
			return fmt.Errorf("%s %s has no known size", t.Kind, t.Name)
		}
		if t.Size == 0 {
			return fmt.Errorf("%s %s is empty", t.Kind, t.Name)
		}
		if t.Align > 16 {
			return fmt.Errorf("%s %s is aligned to %d bytes, more than 16", t.Kind, t.Name, t.Align)
		}
		return passableFields(t)
	}
	return nil
}

func passableVector(t *typeenc.Type) error {
	if t.Size > 16 {
		return fmt.Errorf("vector %s of %d bytes is wider than a register of 16", t, t.Size)
	}
	if t.Len == 1 {
		return fmt.Errorf("vector %s of one element is passed differently by different compilers", t)
	}
	return nil
}

func passableFields(t *typeenc.Type) error {
	for i := range t.Fields {
		f := &t.Fields[i]
		for f.Kind == typeenc.Array {
			f = f.Elem
		}
		if f.Kind == typeenc.BitField || (f.IsAggregate() && f.Size == 0 && !f.Opaque) {
			continue
		}
		if err := passable(f); err != nil {
			return fmt.Errorf("%s %s: %w", t.Kind, t.Name, err)
		}
	}
	return nil
}

func roundUp(n, align int) int { return (n + align - 1) / align * align }
