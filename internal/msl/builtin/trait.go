package builtin

import (
	"strings"

	"github.com/puremetal/puremetal/internal/msl/types"
)

// TraitForm is a spelling of a trait.
type TraitForm uint8

// The spellings of a trait.
const (
	NoTrait        TraitForm = iota
	TraitClassForm           // is_same<A, B>, a class with ::value or ::type
	TraitValueForm           // is_same_v<A, B>
	TraitTypeForm            // decay_t<A>
)

// LookupTrait returns the trait spelled by a name, and the form of the spelling.
func LookupTrait(name string) (*Class, TraitForm) {
	if c := LookupClass(name); c != nil {
		if c.Kind == TraitClass || c.Kind == TypeTraitClass {
			return c, TraitClassForm
		}
		return nil, NoTrait
	}
	if base, ok := strings.CutSuffix(name, "_v"); ok {
		if c := LookupClass(base); c != nil && c.Kind == TraitClass {
			return c, TraitValueForm
		}
	}
	if base, ok := strings.CutSuffix(name, "_t"); ok {
		if c := LookupClass(base); c != nil && c.Kind == TypeTraitClass {
			return c, TraitTypeForm
		}
	}
	return nil, NoTrait
}

// TraitValue returns the value of a trait: a bool, or an integer for rank, extent, alignment_of and
// vec_size. For extent, which takes a dimension from the caller, it is that of the first. ok is
// false for traits that depend on declarations or user-defined conversions, which the checker
// evaluates.
func TraitValue(name string, args ...types.Qualified) (v types.Value, ok bool) {
	if len(args) == 0 || args[0].Type == nil {
		return types.Value{}, false
	}
	q := args[0]
	t := q.Type
	if len(args) == 2 {
		if name == "is_same" {
			return types.BoolValue(q == args[1]), true
		}
		if name == "is_base_of" {
			base, _ := t.(*types.Struct)
			derived, _ := args[1].Type.(*types.Struct)
			return types.BoolValue(base != nil && derived != nil && (base == derived || derived.DerivesFrom(base) != nil)), true
		}
		return types.Value{}, false
	}
	if b, ok := boolTrait(name, q); ok {
		return types.BoolValue(b), true
	}
	n := int64(0)
	switch name {
	case "rank":
		for a, ok := t.(*types.Array); ok; a, ok = a.Elem.(*types.Array) {
			n++
		}
	case "extent":
		if a, ok := t.(*types.Array); ok && a.Len != types.Unsized {
			n = int64(a.Len)
		}
	case "alignment_of":
		n = int64(t.Align())
	case "vec_size":
		n = int64(types.LenOf(t))
	default:
		return types.Value{}, false
	}
	return types.IntValue(types.ULong, n), true
}

// boolTrait evaluates boolean traits of one type.
func boolTrait(name string, q types.Qualified) (value, ok bool) {
	t := q.Type
	basic, _ := t.(*types.Basic)
	record, _ := t.(*types.Struct)
	ref, _ := t.(*types.Reference)
	_, vector := t.(*types.Vector)
	_, packed := t.(*types.Packed)
	_, pointer := t.(*types.Pointer)
	_, function := t.(*types.Func)
	_, enum := t.(*types.Enum)
	_, array := t.(*types.Array)
	arithmetic := basic != nil && basic.IsArithmetic()
	elem := basic // also for a vector: generated programs rely on vectors of integers being integral
	if vector {
		elem = types.ElemOf(t)
	}
	if elem != nil && !elem.IsArithmetic() {
		elem = nil
	}
	void := t == types.Type(types.Void)
	switch name {
	case "is_void":
		return void, true
	case "is_null_pointer":
		return t == types.Type(types.Nullptr), true
	case "is_integral":
		return elem != nil && elem.IsInteger(), true
	case "is_floating_point":
		return elem != nil && elem.IsFloat(), true
	case "is_arithmetic":
		return arithmetic, true
	case "is_fundamental":
		return basic != nil, true
	case "is_compound":
		return basic == nil, true
	case "is_scalar":
		return arithmetic || enum || pointer || t == types.Type(types.Nullptr), true
	case "is_vector":
		return vector || packed, true
	case "is_packed_vector":
		return packed, true
	case "is_unpacked_vector":
		return vector, true
	case "is_matrix":
		_, matrix := t.(*types.Matrix)
		return matrix, true
	case "is_array":
		return array, true
	case "is_enum":
		return enum, true
	case "is_union":
		return record != nil && record.IsUnion(), true
	case "is_class":
		return record != nil && !record.IsUnion(), true
	case "is_function":
		return function, true
	case "is_pointer":
		return pointer, true
	case "is_reference":
		return ref != nil, true
	case "is_lvalue_reference":
		return ref != nil && !ref.RValue, true
	case "is_rvalue_reference":
		return ref != nil && ref.RValue, true
	case "is_object":
		return !function && ref == nil && !void, true
	case "is_const":
		return q.Const, true
	case "is_volatile":
		return q.Volatile, true
	case "is_signed":
		return arithmetic && basic.IsSigned(), true
	case "is_unsigned":
		return arithmetic && !basic.IsSigned(), true
	case "__is_valid_simdgroup_type": // as listed in the functions' entries
		elem := types.ElemOf(t)
		return elem != nil && types.LenOf(t) > 0 && !packed && !enum && elem.IsArithmetic() && elem.Size() <= 4 &&
			elem != types.Bool && elem != types.BFloat, true
	case "is_empty":
		return record != nil && record.IsEmpty(), true
	}
	return false, false
}

// TraitType returns the result type of a trait such as remove_reference. n is the length for
// make_vector. ok is false if there is no such type, and for traits that the checker evaluates:
// enable_if, conditional and the like.
func TraitType(u *types.Universe, name string, q types.Qualified, n int) (types.Qualified, bool) {
	t := q.Type
	same := func(t types.Type, ok bool) (types.Qualified, bool) { q.Type = t; return q, ok }
	switch name {
	case "type_identity":
		return q, true
	case "remove_const":
		q.Const = false
		return q, true
	case "remove_volatile":
		q.Volatile = false
		return q, true
	case "remove_cv":
		q.Const, q.Volatile = false, false
		return q, true
	case "remove_addrspace":
		q.Space = types.None
		return q, true
	case "remove_reference":
		if r, ok := t.(*types.Reference); ok {
			return unplaced(r.Elem), true
		}
		return q, true
	case "remove_cvref":
		if r, ok := t.(*types.Reference); ok {
			q = r.Elem
		}
		return q.Unqualified(), true
	case "decay":
		return decay(u, q), true
	case "remove_pointer":
		if p, ok := t.(*types.Pointer); ok {
			return unplaced(p.Elem), true
		}
		return q, true
	case "remove_extent", "remove_all_extents":
		a, ok := t.(*types.Array)
		for ; ok; a, ok = t.(*types.Array) {
			t = a.Elem
			if name == "remove_extent" {
				break
			}
		}
		return same(t, true)
	case "add_const":
		q.Const = true
		return q, true
	case "add_volatile":
		q.Volatile = true
		return q, true
	case "add_cv":
		q.Const, q.Volatile = true, true
		return q, true
	case "add_pointer":
		if r, ok := t.(*types.Reference); ok {
			q = r.Elem
		}
		return types.Q(u.Pointer(q)), true
	case "add_lvalue_reference", "add_rvalue_reference":
		if t == types.Type(types.Void) {
			return q, true
		}
		return types.Q(u.Reference(q, name == "add_rvalue_reference")), true
	case "make_signed", "make_unsigned":
		b := types.ElemOf(t)
		if b == nil || !b.IsInteger() || b == types.Bool {
			return q, false
		}
		if name == "make_signed" {
			b = b.ToSigned()
		} else {
			b = b.ToUnsigned()
		}
		return same(types.ScalarOrVector(b, types.LenOf(t)), types.LenOf(t) > 0)
	case "make_scalar":
		b := types.ElemOf(t)
		return same(b, b != nil)
	case "make_vector":
		b, _ := t.(*types.Basic)
		if b == nil || !b.IsArithmetic() {
			return q, false
		}
		v := types.ScalarOrVector(b, n)
		return same(v, v != nil)
	case "make_packed":
		if v, ok := t.(*types.Vector); ok {
			t = types.PackedOf(v.Elem, v.Len)
		}
		return same(t, true)
	case "make_unpacked":
		if p, ok := t.(*types.Packed); ok {
			t = p.Unpacked()
		}
		return same(t, true)
	case "underlying_type":
		if e, ok := t.(*types.Enum); ok {
			return types.Q(e.Underlying), true
		}
	}
	return q, false
}

// unplaced removes the thread address space: T & means thread T &, and removing the reference must
// give T again.
func unplaced(q types.Qualified) types.Qualified {
	if q.Space == types.Thread {
		q.Space = types.None
	}
	return q
}

// decay returns the type of a parameter passed by value.
func decay(u *types.Universe, q types.Qualified) types.Qualified {
	if r, ok := q.Type.(*types.Reference); ok {
		q = r.Elem
	}
	switch t := q.Type.(type) {
	case *types.Array:
		q.Type = t.Elem
		return types.Q(u.Pointer(q))
	case *types.Func:
		return types.Q(u.Pointer(types.Q(t)))
	}
	return q.Unqualified()
}
