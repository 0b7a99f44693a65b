package check

import (
	"strconv"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// syntaxWarnings warns about code whose syntax alone says that it probably does not mean what its
// author thinks. It sees the text of a template once and not each instance. The rules are clang's.
func (c *checker) syntaxWarnings(file *ast.File) {
	for _, d := range file.Decls {
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				c.precedence(n)
				c.xorAsPower(n)
			case *ast.IfStmt:
				c.at = n.Pos()
				c.danglingElse(n)
				if empty, ok := n.Then.(*ast.EmptyStmt); ok && n.Else == nil && n.Cond != nil {
					c.emptyBody("if statement", n.Cond.End(), empty)
				}
			case *ast.BlockStmt:
				for i := range len(n.List) - 1 {
					c.emptyLoop(n.List[i], n.List[i+1])
				}
			}
			return true
		})
	}
}

// precedence warns about operators that C++ groups in an unexpected way: x & 1 == 0 is x & (1 ==
// 0), and x << 1 + y is x << (1 + y).
func (c *checker) precedence(x *ast.BinaryExpr) {
	left, _ := x.X.(*ast.BinaryExpr)
	right, _ := x.Y.(*ast.BinaryExpr)
	switch x.Op {
	case token.Amp, token.Pipe, token.Caret:
		if compares(left) == compares(right) || bitwise(left) || bitwise(right) {
			return // comparisons on both sides are joined on purpose
		}
		inner := left
		if compares(right) {
			inner = right
		}
		c.warnf(diag.Precedence, at{x.OpPos}, "'%s' has lower precedence than '%s', which is evaluated first",
			x.Op, inner.Op)
	case token.Shl, token.Shr:
		for _, side := range [...]*ast.BinaryExpr{left, right} {
			if side != nil && (side.Op == token.Plus || side.Op == token.Minus) {
				c.warnf(diag.ShiftPrecedence, at{side.OpPos}, "'%s' has lower precedence than '%s', which is evaluated first",
					x.Op, side.Op)
			}
		}
	}
}

func compares(x *ast.BinaryExpr) bool {
	if x == nil {
		return false
	}
	switch x.Op {
	case token.Eq, token.Ne, token.Less, token.LessEq, token.Greater, token.GreaterEq:
		return true
	}
	return false
}

func bitwise(x *ast.BinaryExpr) bool {
	return x != nil && (x.Op == token.Amp || x.Op == token.Pipe || x.Op == token.Caret)
}

// xorAsPower warns about 2 ^ 8 and 10 ^ 3: decimal literals that look like a power.
func (c *checker) xorAsPower(x *ast.BinaryExpr) {
	if x.Op != token.Caret || x.OpPos.InMacro() {
		return
	}
	base, ok1 := decimal(x.X)
	exponent, ok2 := decimal(x.Y)
	if !ok1 || !ok2 || base != 2 && base != 10 {
		return
	}
	meant := "a power"
	switch {
	case base == 10:
		meant = "'1e" + strconv.FormatInt(exponent, 10) + "'"
	case exponent < 31:
		meant = "'1 << " + strconv.FormatInt(exponent, 10) + "'"
	case exponent < 63:
		meant = "'1L << " + strconv.FormatInt(exponent, 10) + "'"
	}
	c.warnf(diag.XorAsPower, at{x.OpPos}, "'%d ^ %d' is %d: '^' is exclusive or; did you mean %s?", base, exponent,
		base^exponent, meant)
}

// decimal returns the value of a decimal literal without a suffix.
func decimal(x ast.Expr) (int64, bool) {
	lit, ok := x.(*ast.IntLit)
	if !ok || lit.Pos().InMacro() || len(lit.Text) > 1 && lit.Text[0] == '0' {
		return 0, false
	}
	v, err := strconv.ParseInt(lit.Text, 10, 64)
	return v, err == nil
}

// danglingElse warns about if (a) if (b) x; else y; whose else belongs to the second if.
func (c *checker) danglingElse(s *ast.IfStmt) {
	if s.Else != nil {
		return
	}
	if pos := trailingElse(s.Then); pos != diag.NoPos {
		c.warnf(diag.DanglingElse, at{pos}, "this 'else' belongs to the inner 'if'; add braces to make that clear")
	}
}

// trailingElse returns the position of the else with which a statement without braces ends, or
// NoPos.
func trailingElse(s ast.Stmt) diag.Pos {
	for {
		switch x := s.(type) {
		case *ast.IfStmt:
			if x.Else == nil {
				return diag.NoPos
			}
			return x.ElsePos
		case *ast.ForStmt:
			s = x.Body
		case *ast.RangeForStmt:
			s = x.Body
		case *ast.WhileStmt:
			s = x.Body
		case *ast.AttrStmt:
			s = x.Stmt
		default:
			return diag.NoPos
		}
	}
}

// emptyLoop warns about a loop that ends with a semicolon if the next statement looks like its
// body: it is in braces, or indented more than the loop.
func (c *checker) emptyLoop(s, next ast.Stmt) {
	var body ast.Stmt
	header := s.Pos()
	what := "for loop"
	switch s := s.(type) {
	case *ast.ForStmt:
		body = s.Body
		for _, part := range [...]ast.Node{s.Init, s.Cond, s.Post} {
			if part != nil {
				header = part.End()
			}
		}
	case *ast.WhileStmt:
		body, what = s.Body, "while loop"
		if s.Cond != nil {
			header = s.Cond.End()
		}
	}
	empty, ok := body.(*ast.EmptyStmt)
	if !ok || next.Pos().InMacro() {
		return
	}
	files := c.prog.Files
	if _, braces := next.(*ast.BlockStmt); braces ||
		files.Position(next.Pos()).Column > files.Position(s.Pos()).Column {
		c.emptyBody(what, header, empty)
	}
}

// emptyBody warns about a body that is a semicolon on the line where the statement's header ends.
func (c *checker) emptyBody(what string, header diag.Pos, body *ast.EmptyStmt) {
	if header.InMacro() || body.Pos().InMacro() {
		return
	}
	if files := c.prog.Files; files.Position(header).Line == files.Position(body.Pos()).Line {
		c.warnf(diag.EmptyBody, body,
			"%s has an empty body; put the semicolon on a line of its own if that is intended", what)
	}
}
