package typed

import (
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// Stmt is a statement.
type Stmt interface{ Pos() diag.Pos }

// StmtPos is the position of a statement, embedded in every statement node.
type StmtPos struct{ At diag.Pos }

// Pos implements Stmt.
func (p StmtPos) Pos() diag.Pos { return p.At }

// Block is a list of statements with its own scope.
type Block struct {
	StmtPos
	List []Stmt
	End  diag.Pos
	Math MathMode
}

// MathMode is the precision of math functions in a block.
type MathMode uint8

// The modes. A block that the program does not write has that of the code around it.
const (
	MathAround  MathMode = iota
	MathDefault          // that of the compilation
	MathSafe
	MathFast // or relaxed
)

// VarDecl declares a variable; if Init is nil, its value is indeterminate. An Init that is a
// Construct runs the constructor on the variable itself.
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

// Loop represents every kind of loop. Init runs once in the loop's scope. Cond (nil means true) is
// tested before each iteration if TestFirst, otherwise after it. Post runs after each iteration,
// also after a Continue, and before Cond in a loop that tests last.
type Loop struct {
	StmtPos
	Init      []Stmt
	Cond      Expr
	Post      Expr
	Body      *Block
	TestFirst bool
	// Unroll is the factor of #pragma unroll or [[unroll]]: 0 if absent, -1 for full unrolling, 1
	// for none.
	Unroll int
}

// Switch jumps to the case with the value of X; cases fall through as in C.
type Switch struct {
	StmtPos
	X     Expr
	Cases []*Case
}

// Case is a list of statements with its labels. A case may have values and be the default too.
type Case struct {
	StmtPos
	Values  []types.Value
	Default bool
	Body    []Stmt
}

// Break exits the innermost Loop or Switch.
type Break struct{ StmtPos }

// Continue starts the next iteration of the innermost Loop.
type Continue struct{ StmtPos }

// Return returns from the function; X is nil for void.
type Return struct {
	StmtPos
	X Expr
}

// Discard is discard_fragment, which compute functions can only reach through shared code.
type Discard struct{ StmtPos }
