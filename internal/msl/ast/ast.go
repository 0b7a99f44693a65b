// Package ast declares the syntax tree of the Metal Shading Language.
//
// The tree records what was written, not what it means: implicit conversions, overloads, template
// arguments and the layout of types are up to the checker. Four rules hold for every tree that the
// parser builds:
//
//   - A node has a start and an end ([Span]), as positions in the diag.FileSet that the tokens came from.
//   - No child that the grammar requires is nil: what could not be parsed is a [BadExpr], [BadType], [BadStmt] or [BadDecl],
//     and a diagnostic has been reported for it.
//   - Each declarator has its own declaration. `int a, *b;` is two [VarDecl], `struct S { ... } s;` is a [RecordDecl]
//     followed by a [VarDecl] whose type refers to it by a [RecordType].
//   - Ambiguities that names alone cannot resolve remain. `f(x)` is a [CallExpr] unless f is known to be a type; a template
//     argument that may be a type or a value is an expression. The checker decides, and documents it where it does.
package ast

import "github.com/puremetal/puremetal/internal/msl/diag"

// Node is any node of the tree.
type Node interface {
	// Pos is the position of the node's first token.
	Pos() diag.Pos
	// End is where the node's last token ends; see [Span].
	End() diag.Pos
}

// Span is the extent of a node: From is where its first token starts, To where its last token ends.
// A token from a macro has only one position, which is then its end too.
type Span struct{ From, To diag.Pos }

// Pos returns where the first token starts.
func (s Span) Pos() diag.Pos { return s.From }

// End returns where the last token ends.
func (s Span) End() diag.Pos { return s.To }

// File is a translation unit.
type File struct {
	Span
	Decls []Decl

	Broken  []Span          // what could not be parsed
	Lost    map[string]bool // the names in it: their declarations may be missing from the tree
	Partial bool            // the parse ended early, or a bracket that is never closed misled it
}

// Expr is an expression.
type Expr interface {
	Node
	exprNode()
}

// Stmt is a statement.
type Stmt interface {
	Node
	stmtNode()
}

// Decl is a declaration.
type Decl interface {
	Node
	declNode()
}

// TypeExpr is a type as written.
type TypeExpr interface {
	Node
	typeNode()
}
