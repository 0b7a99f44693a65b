package ast

import (
	"strconv"
	"strings"
)

// NameString returns a name roughly as in source, with template arguments in the prefix form of
// Print.
func NameString(n *Name) string {
	var b strings.Builder
	for i := range n.Parts {
		part := &n.Parts[i]
		if i > 0 || n.Global {
			b.WriteString("::")
		}
		if part.Template {
			b.WriteString("template ")
		}
		switch part.Kind {
		case PartIdent:
			b.WriteString(part.Ident)
		case PartDestructor:
			b.WriteString("~" + part.Ident)
		case PartOperator:
			b.WriteString("operator" + OpString(part.Op))
		case PartConversion:
			b.WriteString("operator " + TypeString(part.Type))
		case PartDecltype:
			b.WriteString(TypeString(part.Type))
		}
		if part.HasArgs {
			b.WriteString("<" + templateArgs(part.Args) + ">")
		}
	}
	return b.String()
}

func templateArgs(list []TemplateArg) string {
	var out []string
	for i := range list {
		if a := &list[i]; a.Type != nil {
			out = append(out, TypeString(a.Type))
		} else {
			out = append(out, ExprString(a.X))
		}
	}
	return strings.Join(out, ", ")
}

func exprs(list []Expr, sep string) string {
	out := make([]string, len(list))
	for i, x := range list {
		out[i] = ExprString(x)
	}
	return strings.Join(out, sep)
}

// form is one parenthesized prefix form.
func form(list ...string) string { return "(" + words(list...) + ")" }

// opt returns the prefix form of an optional expression.
func opt(x Expr) string {
	if x == nil {
		return "_"
	}
	return ExprString(x)
}

// ExprString returns the prefix form of an expression: (+ a (* b c)).
func ExprString(x Expr) string {
	switch x := x.(type) {
	case *BadExpr:
		return "(bad)"
	case *IntLit:
		return x.Text
	case *FloatLit:
		return x.Text
	case *CharLit:
		return x.Text
	case *StringLit:
		return strings.Join(x.Texts, " ")
	case *BoolLit:
		return strconv.FormatBool(x.Value)
	case *NullptrLit:
		return "nullptr"
	case *ThisExpr:
		return "this"
	case *NameExpr:
		return NameString(x.Name)
	case *ParenExpr:
		return form("paren", ExprString(x.X))
	case *UnaryExpr:
		return form(OpString(x.Op), ExprString(x.X))
	case *PostfixExpr:
		return form("post"+OpString(x.Op), ExprString(x.X))
	case *BinaryExpr:
		return form(OpString(x.Op), ExprString(x.X), ExprString(x.Y))
	case *AssignExpr:
		return form(OpString(x.Op), ExprString(x.X), ExprString(x.Y))
	case *CondExpr:
		return form("?:", ExprString(x.Cond), opt(x.Then), ExprString(x.Else))
	case *CallExpr:
		return form("call", ExprString(x.Fun), exprs(x.Args, " "))
	case *ConstructExpr:
		if x.Brace {
			return form("make", TypeString(x.Type), "{"+exprs(x.Args, " ")+"}")
		}
		return form("make", TypeString(x.Type), exprs(x.Args, " "))
	case *IndexExpr:
		return form("index", ExprString(x.X), ExprString(x.Index))
	case *MemberExpr:
		if x.Arrow {
			return form("->", ExprString(x.X), NameString(x.Name))
		}
		return form(".", ExprString(x.X), NameString(x.Name))
	case *CastExpr:
		return form(x.Kind.String(), TypeString(x.Type), ExprString(x.X))
	case *InitList:
		return "{" + exprs(x.Elems, " ") + "}"
	case *DesignatedInit:
		if x.Field != nil {
			return form("field", x.Field.Name, ExprString(x.X))
		}
		if x.High != nil {
			return form("at", ExprString(x.Index), "...", ExprString(x.High), ExprString(x.X))
		}
		return form("at", ExprString(x.Index), ExprString(x.X))
	case *SizeofExpr:
		op := "sizeof"
		if x.Align {
			op = "alignof"
		}
		if x.Type != nil {
			return form(op, "type", TypeString(x.Type))
		}
		return form(op, ExprString(x.X))
	case *SizeofPackExpr:
		return form("sizeof...", ident(x.Pack))
	case *NoexceptExpr:
		return form("noexcept", ExprString(x.X))
	case *LambdaExpr:
		return lambda(x)
	case *FoldExpr:
		return form("fold", OpString(x.Op), opt(x.X), opt(x.Y))
	case *PackExpr:
		return form("...", ExprString(x.X))
	case *TypeValue:
		return form("type", TypeString(x.Type))
	}
	return "(?)"
}

func lambda(x *LambdaExpr) string {
	var list []string
	switch x.Default {
	case CaptureByCopy:
		list = append(list, "=")
	case CaptureByRef:
		list = append(list, "&")
	}
	for _, c := range x.Captures {
		s := when(c.Ref, "&") + when(c.Copy, "*") + c.Name
		if c.Init != nil {
			s += "=" + ExprString(c.Init)
		}
		list = append(list, s+when(c.Pack, "..."))
	}
	out := words("lambda", "["+strings.Join(list, ", ")+"]", templateParams(x.Template), params(x.Params, x.Variadic),
		when(x.Mutable, "mutable"), quals(&x.Quals), attrs(x.Attrs))
	if x.Result != nil {
		out += " -> " + TypeString(x.Result)
	}
	var p printer
	if x.Body != nil {
		for _, s := range x.Body.List {
			p.stmt(s)
		}
	}
	body := strings.Join(strings.FieldsFunc(p.b.String(), func(r rune) bool { return r == '\n' }), "; ")
	return "(" + out + " {" + body + "})"
}

// String returns the name of the cast.
func (k CastKind) String() string {
	return [...]string{"", "cast", "static_cast", "reinterpret_cast", "const_cast", "dynamic_cast"}[k]
}

// TypeString returns the prefix form of a type: ptr(const device float).
func TypeString(t TypeExpr) string {
	switch t := t.(type) {
	case *BadType:
		return "(bad)"
	case *BasicType:
		return t.Kind.String()
	case *NamedType:
		return words(when(t.Typename, "typename"), NameString(t.Name))
	case *ElaboratedType:
		return words(t.Key.String(), NameString(t.Name))
	case *RecordType:
		return "defined " + words(t.Decl.Key.String(), name(t.Decl.Name))
	case *EnumType:
		return "defined enum " + name(t.Decl.Name)
	case *QualType:
		coherent := when(t.Coherent, "coherent")
		if t.CoherentScope != "" {
			coherent += "(" + t.CoherentScope + ")"
		}
		return words(when(t.Const, "const"), when(t.Volatile, "volatile"), coherent, t.Space.String(), TypeString(t.Elem))
	case *PointerType:
		return when(t.Restrict, "restrict ") + "ptr(" + TypeString(t.Elem) + ")"
	case *MemberPointerType:
		return "memberptr(" + NameString(t.Class) + ", " + TypeString(t.Elem) + ")"
	case *ReferenceType:
		if t.RValue {
			return "rref(" + TypeString(t.Elem) + ")"
		}
		return "ref(" + TypeString(t.Elem) + ")"
	case *ArrayType:
		if t.Len == nil {
			return "array[](" + TypeString(t.Elem) + ")"
		}
		return "array[" + ExprString(t.Len) + "](" + TypeString(t.Elem) + ")"
	case *FuncType:
		return "func(" + words(params(t.Params, t.Variadic), quals(&t.Quals), "->", TypeString(t.Result)) + ")"
	case *AutoType:
		if t.Decltype {
			return "decltype(auto)"
		}
		return "auto"
	case *DecltypeType:
		if t.Typeof {
			return "typeof(" + ExprString(t.X) + ")"
		}
		return "decltype(" + ExprString(t.X) + ")"
	case *PackType:
		return "pack(" + TypeString(t.Elem) + ")"
	}
	return "(?)"
}

// String returns the usual C++ spelling of the type.
func (k BasicKind) String() string {
	return [...]string{"", "void", "bool", "char", "signed char", "unsigned char", "short", "unsigned short", "int",
		"unsigned int",
		"long", "unsigned long", "long long", "unsigned long long", "float", "double", "long double", "wchar_t", "char16_t",
		"char32_t"}[k]
}

func params(list []*Param, variadic bool) string {
	var out []string
	for _, p := range list {
		s := TypeString(p.Type)
		if p.Ident != nil {
			s = p.Ident.Name + ": " + s
		}
		if p.Default != nil {
			s += " = " + ExprString(p.Default)
		}
		out = append(out, words(s, attrs(p.Attrs)))
	}
	if variadic {
		out = append(out, "...")
	}
	return "(" + strings.Join(out, ", ") + ")"
}

func quals(q *FuncQuals) string {
	noexcept := when(q.IsNoexcept, "noexcept")
	if q.Noexcept != nil {
		noexcept = form("noexcept", ExprString(q.Noexcept))
	}
	return words(when(q.Const, "const"), when(q.Volatile, "volatile"), q.Space.String(), when(q.Ref == LValueRef, "&"),
		when(q.Ref == RValueRef, "&&"), noexcept)
}

func templateParams(list []TemplateParam) string {
	if list == nil {
		return ""
	}
	var out []string
	for i := range list {
		p := &list[i]
		s := ident(p.Ident) + when(p.Pack, "...")
		switch p.Kind {
		case TypeParam:
			s = "typename " + s
			if p.DefaultType != nil {
				s += " = " + TypeString(p.DefaultType)
			}
		case ValueParam:
			s += ": " + TypeString(p.Type)
		case TemplateParamTemplate:
			s = "template " + templateParams(p.Params) + " " + s
		}
		if p.Default != nil {
			s += " = " + ExprString(p.Default)
		}
		out = append(out, s)
	}
	return "<" + strings.Join(out, ", ") + ">"
}
