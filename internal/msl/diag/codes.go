package diag

import (
	"cmp"
	"slices"
	"sync"
)

// Code is the stable identifier of a kind of diagnostic, such as "E0101". The first letter is E for
// errors and warnings about the program, U for what the compiler does not support, and T for what
// programs in other languages have and Metal has not.
// Numbers by area:
//
//	E00xx  the compiler as a whole      codes.go
//	E01xx  scanner                      codes_scanner.go
//	E02xx  preprocessor                 codes_pp.go
//	E03xx  parser                       codes_parse.go
//	E1xxx  types and checks             codes_types.go, codes_check.go
//	E13xx  warnings                     codes_warn.go
//	E2xxx  lowering and limits          codes_lower.go
//	U0xxx  not supported                codes_unsupported.go
//	T0xxx  OpenCL C and CUDA C++        codes_dialect.go
type Code string

// Info documents a code.
type Info struct {
	Code Code
	Doc  string // one line
}

// Codes of the compiler as a whole.
const (
	TooManyErrors Code = "E0001"
	Internal      Code = "E0002"
)

var generalCodes = []Info{
	{TooManyErrors, "more errors or warnings than the limit; the rest are not reported"},
	{Internal, "an internal compiler error"},
}

var allCodes = sync.OnceValue(func() []Info {
	all := slices.Concat(generalCodes, scannerCodes, ppCodes, parseCodes, typesCodes, checkCodes, warnCodes, lowerCodes,
		unsupportedCodes, dialectCodes)
	slices.SortStableFunc(all, func(a, b Info) int { return cmp.Compare(a.Code, b.Code) })
	return all
})

// Codes returns all codes, in order.
func Codes() []Info { return slices.Clone(allCodes()) }

// Lookup returns the documentation of a code.
func Lookup(c Code) (Info, bool) {
	all := allCodes()
	i, ok := slices.BinarySearchFunc(all, c, func(a Info, c Code) int { return cmp.Compare(a.Code, c) })
	if !ok {
		return Info{}, false
	}
	return all[i], true
}
