package typed

import (
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// Stmt is a statement.
type Stmt interface{ Pos() diag.Pos }

// StmtPos is the position that statements embed.
type StmtPos struct{ At diag.Pos }

// Pos implements Stmt.
func (p StmtPos) Pos() diag.Pos { return p.At }

// Block is a list of statements with a scope of its own.
type Block struct {
	StmtPos
	List []Stmt
	End  diag.Pos
}

// VarDecl brings a variable into being; Init may be nil (the value is then indeterminate).
// An Init that is a Construct runs the constructor on the variable itself.
type VarDecl struct {
	StmtPos
	Var  *Var
	Init Expr
}

// ExprStmt evaluates an expression for its effect.
type ExprStmt struct {
	StmtPos
	X Expr
}

// If takes a bool condition; Else may be nil.
type If struct {
	StmtPos
	Cond Expr
	Then *Block
	Else *Block
}

// Loop is every loop: Init runs once in the loop's scope; Cond (nil: true) is tested before each
// round if TestFirst, else after it; Post runs after each round, also after a Continue, and before
// Cond in a loop that tests last.
type Loop struct {
	StmtPos
	Init      []Stmt
	Cond      Expr
	Post      Expr
	Body      *Block
	TestFirst bool
	// Unroll is the factor of #pragma unroll or [[unroll]]: 0 none given, -1 as often as there are
	// rounds, 1 not at all.
	Unroll int
}

// Switch jumps to the case with the value of X, which falls through to the next as in C.
type Switch struct {
	StmtPos
	X     Expr
	Cases []*Case
}

// Case is a run of statements with its labels. Default may stand besides values.
type Case struct {
	StmtPos
	Values  []types.Value
	Default bool
	Body    []Stmt
}

// Break leaves the innermost Loop or Switch.
type Break struct{ StmtPos }

// Continue starts the next round of the innermost Loop.
type Continue struct{ StmtPos }

// Return leaves the function; X is nil for void.
type Return struct {
	StmtPos
	X Expr
}

// Discard is discard_fragment, which compute functions may call only through shared code.
type Discard struct{ StmtPos }
