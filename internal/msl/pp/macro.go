package pp

import (
	"slices"

	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// macro is one definition of a macro. Redefining a name creates a new macro.
type macro struct {
	name     string
	pos      diag.Pos // the name in the definition; NoPos if built in
	function bool
	variadic bool     // the last parameter takes all remaining arguments
	params   []string // "..." is called __VA_ARGS__
	body     []item
	plain    bool   // the body consists of tokens only
	expand   []bool // by parameter: whether its argument is needed macro-expanded
	builtin  builtin
	language bool // predefined by a dialect, or by the caller for a program in one
	active   int  // number of contexts on the stack that disable this macro
}

// item is one part of a macro's body.
type item struct {
	tok   token.Token
	op    itemOp
	paste bool // preceded by ##
	param int  // for opParam and opString
}

// itemOp is the operation of an item in a macro's body.
type itemOp uint8

const (
	opToken    itemOp = iota
	opParam           // an argument
	opString          // # and an argument
	opVaOpt           // the beginning of __VA_OPT__(
	opVaString        // the beginning of #__VA_OPT__(
	opVaEnd           // the end of __VA_OPT__
)

// same reports whether two definitions are equivalent, so that a redefinition is harmless.
func (m *macro) same(o *macro) bool {
	if m.builtin != o.builtin || m.function != o.function || m.variadic != o.variadic || !slices.Equal(m.params,
		o.params) || len(m.body) != len(o.body) {
		return false
	}
	for i := range m.body {
		a, b := &m.body[i], &o.body[i]
		if a.op != b.op || a.paste != b.paste || a.param != b.param || a.tok.Text != b.tok.Text ||
			i > 0 && (a.tok.Flags^b.tok.Flags)&token.SpaceBefore != 0 {
			return false
		}
	}
	return true
}
