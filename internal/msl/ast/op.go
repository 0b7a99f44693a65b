package ast

import "github.com/puremetal/puremetal/internal/msl/token"

// OpString returns an operator as written. As operator names, LParen and LBrack are () and [].
func OpString(op token.Kind) string {
	switch op {
	case token.LParen:
		return "()"
	case token.LBrack:
		return "[]"
	case token.KwNew:
		return " new"
	case token.KwDelete:
		return " delete"
	}
	return op.String()
}
