package ir

import (
	"fmt"
	"strings"
	"sync"
)

// A signature is written as words for the operands, an arrow, and words for the results:
//
//	int float num bool bits data   numbers, truth values, both: scalars or vectors; with 1 appended, scalars only
//	vec                            data with two lanes or more
//	equatable any                  data or a pointer; whatever may be loaded
//	ptr ptr! tex sampler mat       a handle; ptr! may be written through
//	handle                         an address, texture or sampler
//	i32 i1 f32 ptr.constant ...    exactly this type
//	=k i1=k i32=k elem=k           operand k's type; truth values or i32, one for each of its lanes; the type of one of its lanes or elements
//	int~k float~k bits~k           numbers, as many as operand k has lanes
//	lane=k texel=k pos=k texval=k  a lane's share of matrix k; coordinates of a texel or a sample of texture k, and what they find
//
// If these words do not determine a result's type, the instruction gives it.
type signature struct {
	args, results []term
}

type term struct {
	word  string // before = or ~
	ref   int    // operand that = or ~ refers to, or -1
	given bool   // the word leaves the type open
	exact Type   // if the word is a type
}

var signatures = sync.OnceValue(func() *[numOps]signature {
	var sigs [numOps]signature
	for op := range opTable {
		before, after, _ := strings.Cut(opTable[op].Sig, "->")
		sigs[op] = signature{parseTerms(before), parseTerms(after)}
	}
	return &sigs
})

func parseTerms(s string) (terms []term) {
	for _, w := range strings.Fields(s) {
		t := term{word: w, ref: -1}
		if i := strings.IndexAny(w, "=~"); i >= 0 {
			t.word, t.ref, t.given = w[:i], int(w[i+1]-'0'), w[i] == '~'
		} else if exact, err := ParseType(w); err == nil && exact.Valid() && w != "sampler" {
			t.exact = exact
		} else {
			t.given = w != "sampler"
		}
		terms = append(terms, t)
	}
	return terms
}

// settled returns the type that a term requires given the operands, or false if the term leaves it
// open or refers to an operand of the wrong kind.
func (t *term) settled(args []*Value) (Type, bool) {
	if t.ref < 0 {
		if t.word == "sampler" {
			return TSampler, true
		}
		return t.exact, t.exact != TVoid
	}
	if t.given || t.ref >= len(args) || args[t.ref] == nil {
		return TVoid, false
	}
	o := args[t.ref].Type
	isNum := o.Kind >= I1 && o.Kind <= F32
	switch t.word {
	case "":
		return o, true
	case "i1", "i32":
		k := I1
		if t.word == "i32" {
			k = I32
		}
		return Vector(k, max(1, o.Lanes())), true
	case "elem":
		if o.Kind == Matrix || o.Kind == Texture {
			return Scalar(o.Elem), true
		}
		return o.Element(), isNum
	case "lane":
		return Vector(o.Elem, 2), o.Kind == Matrix
	case "texel":
		return Vector(I32, o.Dim.TexelCoords()), o.Kind == Texture
	case "pos":
		return Vector(F32, o.Dim.SampleCoords()), o.Kind == Texture && o.Dim.SampleCoords() > 0
	case "texval":
		return Vector(o.Elem, 4), o.Kind == Texture
	}
	return TVoid, false
}

// admits reports whether a type matches a term that leaves the type open.
func (t *term) admits(ty Type, args []*Value) bool {
	if !ty.Valid() {
		return false
	}
	word, scalar := strings.CutSuffix(t.word, "1")
	if scalar && ty.N != 1 {
		return false
	}
	if t.ref >= 0 && (t.ref >= len(args) || args[t.ref].Type.N != ty.N) {
		return false
	}
	isData := ty.Kind >= I1 && ty.Kind <= F32
	switch word {
	case "int":
		return ty.Kind.IsInt()
	case "float":
		return ty.Kind.IsFloat()
	case "num":
		return isData && ty.Kind != I1
	case "bool":
		return ty.Kind == I1
	case "bits":
		return ty.Kind.IsInt() || ty.Kind == I1
	case "data":
		return isData
	case "vec":
		return isData && ty.N > 1
	case "equatable":
		return ty.Kind.IsInt() || ty.Kind == I1 || ty.Kind == Pointer
	case "any":
		return true
	case "ptr":
		return ty.Kind == Pointer
	case "ptr!":
		return ty.Kind == Pointer && ty.Space != Constant
	case "tex":
		return ty.Kind == Texture
	case "handle":
		return ty.Kind == Pointer || ty.Kind == Texture || ty.Kind == Sampler
	case "mat":
		return ty.Kind == Matrix
	}
	return false
}

// resultTypes returns the types of op's results for these operands; given is used for those left
// open by the signature.
func resultTypes(op Op, args []*Value, given Type) []Type {
	sig := &signatures()[op]
	types := make([]Type, 0, 2)
	for i := range sig.results {
		ty, ok := sig.results[i].settled(args)
		if !ok {
			ty = given
		}
		types = append(types, ty)
	}
	return types
}

// ParseType parses a type's text form.
func ParseType(s string) (Type, error) {
	parts := strings.Split(s, ".")
	bad := func() (Type, error) { return TVoid, fmt.Errorf("ir: %q is not a type", s) }
	switch {
	case s == "sampler":
		return TSampler, nil
	case parts[0] == "ptr" && len(parts) == 2:
		for sp := Thread; sp < numSpaces; sp++ {
			if spaceNames[sp] == parts[1] {
				return PointerTo(sp), nil
			}
		}
	case parts[0] == "mat" && len(parts) == 2:
		if k := kindByName(parts[1]); k.IsFloat() {
			return MatrixOf(k), nil
		}
	case parts[0] == "tex" && len(parts) == 4:
		t := Type{Kind: Texture, N: 1, Elem: kindByName(parts[2])}
		for d := range numTextureDims {
			if textureDims[d].name == parts[1] {
				t.Dim = d
			}
		}
		for a := range numAccesses {
			if accessNames[a] == parts[3] {
				t.Access = a
			}
		}
		if t.Valid() {
			return t, nil
		}
	case len(parts) == 1:
		t := Type{N: 1}
		name := s
		if n := len(s); n > 2 && s[n-2] == 'x' && s[n-1] >= '2' && s[n-1] <= '4' {
			name, t.N = s[:n-2], s[n-1]-'0'
		}
		t.Kind = kindByName(name)
		if t.Kind >= I1 && t.Kind <= F32 {
			return t, nil
		}
	}
	return bad()
}

func kindByName(name string) Kind {
	for k := range numKinds {
		if kindNames[k] == name {
			return k
		}
	}
	return Void
}
