package ast

import "strings"

func (p *printer) decl(d Decl) {
	switch d := d.(type) {
	case *BadDecl:
		p.line("bad declaration")
	case *EmptyDecl:
		p.line("%s", words("empty", attrs(d.Attrs)))
	case *NamespaceDecl:
		p.line("%s", words(when(d.Inline, "inline"), "namespace", path(d.Path), attrs(d.Attrs)))
		p.decls(d.Decls)
	case *NamespaceAlias:
		p.line("namespace %s = %s", d.Alias.Name, NameString(d.Target))
	case *UsingDirective:
		p.line("using namespace %s", NameString(d.Name))
	case *UsingDecl:
		p.line("%s", words("using", when(d.Typename, "typename"), NameString(d.Name))+when(d.Pack, "..."))
	case *AliasDecl:
		p.line("%s", words("alias", ident(d.Ident), attrs(d.Attrs), "=", TypeString(d.Type)))
	case *TypedefDecl:
		p.line("%s", words("typedef", ident(d.Ident), attrs(d.Attrs), "=", TypeString(d.Type)))
	case *TemplateDecl:
		if len(d.Params) == 0 {
			p.line("specialization")
		} else {
			p.line("template %s", templateParams(d.Params))
		}
		p.in(func() { p.decl(d.Decl) })
	case *ExplicitInstantiation:
		p.line("%s", words(when(d.Extern, "extern"), "instantiate"))
		p.in(func() { p.decl(d.Decl) })
	case *RecordDecl:
		p.record(d)
	case *AccessDecl:
		p.line("%s:", d.Access)
	case *FriendDecl:
		if d.Type != nil {
			p.line("friend %s", TypeString(d.Type))
			return
		}
		p.line("friend")
		p.in(func() { p.decl(d.Decl) })
	case *EnumDecl:
		underlying := ""
		if d.Underlying != nil {
			underlying = ": " + TypeString(d.Underlying)
		}
		p.line("%s", words("enum", when(d.Scoped, "class"), name(d.Name), attrs(d.Attrs), underlying,
			when(!d.Defined, "declared")))
		p.in(func() {
			for _, e := range d.Items {
				value := ""
				if e.Value != nil {
					value = "= " + ExprString(e.Value)
				}
				p.line("%s", words(ident(e.Ident), attrs(e.Attrs), value))
			}
		})
	case *VarDecl:
		bits := ""
		if d.Bits != nil {
			bits = "bits " + ExprString(d.Bits)
		}
		p.line("%s", words(when(d.Field, "field")+when(!d.Field, "var"), specs(&d.Spec), name(d.Name)+":", TypeString(d.Type),
			bits, attrs(d.Attrs), initial(d.InitKind, d.Init, d.Args)))
	case *BindingDecl:
		p.line("%s", words("bind", specs(&d.Spec), path(d.Names)+":", TypeString(d.Type), attrs(d.Attrs),
			initial(d.InitKind, d.Init, d.Args)))
	case *FuncDecl:
		p.fn(d)
	case *StaticAssertDecl:
		message := ""
		if d.Message != nil {
			message = ExprString(d.Message)
		}
		p.line("%s", words("static_assert", ExprString(d.Cond), message))
	case *LinkageDecl:
		p.line("extern %s", d.Language)
		p.decls(d.Decls)
	}
}

func (p *printer) decls(list []Decl) {
	p.in(func() {
		for _, d := range list {
			p.decl(d)
		}
	})
}

func path(list []*Ident) string {
	out := make([]string, len(list))
	for i, n := range list {
		out[i] = n.Name
	}
	return strings.Join(out, "::")
}

func initial(kind InitKind, init Expr, args []Expr) string {
	switch kind {
	case CopyInit:
		return "= " + ExprString(init)
	case ParenInit:
		return "= (" + exprs(args, " ") + ")"
	case BraceInit:
		return ExprString(init)
	}
	return ""
}

func (p *printer) record(d *RecordDecl) {
	var bases []string
	for i := range d.Bases {
		b := &d.Bases[i]
		bases = append(bases, words(when(b.Virtual, "virtual"), b.Access.String(), TypeString(b.Type)))
	}
	list := ""
	if len(bases) > 0 {
		list = ": " + strings.Join(bases, ", ")
	}
	p.line("%s", words(d.Key.String(), name(d.Name), attrs(d.Attrs), when(d.Final, "final"), list,
		when(d.Anonymous, "anonymous"), when(!d.Defined, "declared")))
	p.decls(d.Members)
}

func (p *printer) fn(d *FuncDecl) {
	what := "func"
	switch {
	case d.Ctor:
		what = "ctor"
	case d.Guide:
		what = "guide"
	case d.Member:
		what = "method"
	}
	result := ""
	if d.Result != nil {
		result = "-> " + TypeString(d.Result)
	}
	p.line("%s", words(what, specs(&d.Spec), name(d.Name)+params(d.Params, d.Variadic), quals(&d.Quals),
		when(d.Override, "override"), when(d.Final, "final"),
		result, when(d.Trailing, "trailing"), attrs(d.Attrs), when(d.Pure, "= 0"), when(d.Deleted, "= delete"),
		when(d.Defaulted, "= default"),
		when(d.Body == nil && !d.Pure && !d.Deleted && !d.Defaulted, "declared")))
	p.in(func() {
		for i := range d.Inits {
			in := &d.Inits[i]
			list := "(" + exprs(in.Args, " ") + ")"
			if in.Brace {
				list = "{" + exprs(in.Args, " ") + "}"
			}
			p.line("init %s%s%s", NameString(in.Name), list, when(in.Pack, "..."))
		}
	})
	if d.Body != nil {
		p.stmts(d.Body.List)
	}
}
