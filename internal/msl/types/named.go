package types

import (
	"regexp"
	"strings"
	"sync"
)

// namedTypes are the types whose names need no template arguments.
var namedTypes = sync.OnceValue(func() map[string]Type {
	m := map[string]Type{
		"size_t": ULong, "ptrdiff_t": Long, "intptr_t": Long, "uintptr_t": ULong,
		"int8_t": Char, "int16_t": Short, "int32_t": Int, "int64_t": Long,
		"uint8_t": UChar, "uint16_t": UShort, "uint32_t": UInt, "uint64_t": ULong,
	}
	add := func(t Type) {
		for _, prefix := range []string{"", "simd_", "vector_"} {
			if _, basic := t.(*Basic); prefix != "" && basic {
				continue
			}
			m[prefix+t.String()] = t
		}
	}
	for _, b := range basics {
		m[b.name] = b
		if !b.IsArithmetic() {
			continue
		}
		for n := 2; n <= 4; n++ {
			add(VectorOf(b, n))
			p := PackedOf(b, n)
			m[p.String()] = p
		}
	}
	for _, b := range []*Basic{Float, Half, BFloat} {
		for c := 2; c <= 4; c++ {
			for r := 2; r <= 4; r++ {
				t := MatrixOf(b, c, r)
				m[t.String()] = t
				m["simd_"+t.String()] = t
				m["matrix_"+t.String()] = t
			}
		}
		s := SimdgroupMatrixOf(b)
		m[s.String()] = s
	}
	for _, b := range []*Basic{Int, UInt, Bool, Float, ULong, Long} {
		m["atomic_"+b.name] = AtomicOf(b)
	}
	m["sampler"] = Sampler
	return m
})

// Named returns the type with a name that needs no template arguments: "uint16_t", "float3",
// "packed_half4", "atomic_int", "simdgroup_float8x8". A leading metal:: is ignored.
func Named(name string) (Type, bool) {
	t, ok := namedTypes()[strings.TrimPrefix(name, "metal::")]
	return t, ok
}

// Predeclared reports whether Metal declares a type with a name outside of namespace metal, in the
// header that each program begins with: scalars, vectors and packed vectors. A program cannot
// declare something else of this name outside of namespaces.
func Predeclared(name string) bool {
	if strings.HasPrefix(name, "simd_") || strings.HasPrefix(name, "metal::") {
		return false
	}
	switch t, _ := Named(name); t.(type) {
	case *Basic, *Vector, *Packed:
		return true
	}
	return false
}

// reservedName are the names that the header reserves in the same way, some of them only that of
// older systems: of vectors that Metal does not have, and of numbers.
var reservedName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(vector_|packed_)?((bool|u?(char|short|int|long|llong)|half|float)(8|16)|` +
		`(double|quad|u?llong)(2|3|4|8|16))$|^(quad|complex|imaginary|u?llong)$`)
})

// Reserved reports whether Metal reserves a name outside of namespace metal, for no type.
func Reserved(name string) bool { return reservedName().MatchString(name) }
