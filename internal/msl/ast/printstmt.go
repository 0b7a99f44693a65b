package ast

func (p *printer) stmt(s Stmt) {
	switch s := s.(type) {
	case *BadStmt:
		p.line("bad statement")
	case *EmptyStmt:
		p.line("empty")
	case *BlockStmt:
		p.line("%s", words("block", when(s.Implicit, "implicit")))
		p.stmts(s.List)
	case *DeclStmt:
		for _, d := range s.Decls {
			p.decl(d)
		}
	case *ExprStmt:
		p.line("%s", ExprString(s.X))
	case *AttrStmt:
		p.line("%s", attrs(s.Attrs))
		p.stmt(s.Stmt)
	case *IfStmt:
		p.line("%s", words("if", when(s.Constexpr, "constexpr"), opt0(s.Cond)))
		p.header(s.Init, s.CondVar)
		p.part("then", s.Then)
		if s.Else != nil {
			p.part("else", s.Else)
		}
	case *SwitchStmt:
		p.line("%s", words("switch", opt0(s.Cond)))
		p.header(s.Init, s.CondVar)
		p.stmts(s.Body.List)
	case *CaseStmt:
		switch {
		case s.X == nil:
			p.line("default")
		case s.High != nil:
			p.line("case %s ... %s", ExprString(s.X), ExprString(s.High))
		default:
			p.line("case %s", ExprString(s.X))
		}
	case *ForStmt:
		p.line("for %s %s", opt(s.Cond), opt(s.Post))
		p.header(s.Init, s.CondVar)
		p.part("do", s.Body)
	case *RangeForStmt:
		p.line("for each in %s", ExprString(s.Range))
		p.header(s.Init, nil)
		p.in(func() { p.decl(s.Var) })
		p.part("do", s.Body)
	case *WhileStmt:
		p.line("%s", words("while", opt0(s.Cond)))
		p.header(nil, s.CondVar)
		p.part("do", s.Body)
	case *DoStmt:
		p.line("do while %s", ExprString(s.Cond))
		p.part("do", s.Body)
	case *BreakStmt:
		p.line("break")
	case *ContinueStmt:
		p.line("continue")
	case *ReturnStmt:
		p.line("%s", words("return", opt0(s.X)))
	case *LabelStmt:
		p.line("label %s", ident(s.Label))
	case *GotoStmt:
		p.line("goto %s", ident(s.Label))
	}
}

func (p *printer) stmts(list []Stmt) {
	p.in(func() {
		for _, s := range list {
			p.stmt(s)
		}
	})
}

// part prints a substatement; a block is printed as its statements.
func (p *printer) part(label string, s Stmt) {
	p.line("%s", label)
	if b, ok := s.(*BlockStmt); ok {
		p.stmts(b.List)
		return
	}
	p.in(func() { p.stmt(s) })
}

func (p *printer) header(init Stmt, cond *VarDecl) {
	if init != nil {
		p.part("init", init)
	}
	if cond != nil {
		p.line("cond")
		p.in(func() { p.decl(cond) })
	}
}

// opt0 is opt, but returns "" for nil.
func opt0(x Expr) string {
	if x == nil {
		return ""
	}
	return ExprString(x)
}
