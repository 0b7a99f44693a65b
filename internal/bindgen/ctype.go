package bindgen

import "strings"

// CType is a type as Objective-C spells it: "NSUInteger", "id<MTLBuffer>",
// "NSArray<id<MTLFunction>> *", "const NSUInteger *", "NSError **", or a block, "void
// (^)(id<MTLFunction>, NSError *)".
type CType struct {
	Name       string // the identifier before protocols, generic arguments and stars; "" for a block
	Args       []CType
	Const      bool // the innermost pointee is const
	Stars      int
	Block      *BlockType
	ConstStars bool // the pointer itself points at const pointers: "X * const *"
}

// BlockType is the signature of a block.
type BlockType struct {
	Ret    CType
	Params []CType
}

// String returns the canonical spelling.
func (t CType) String() string {
	if t.Block != nil {
		ps := make([]string, len(t.Block.Params))
		for i, p := range t.Block.Params {
			ps[i] = p.String()
		}
		if len(ps) == 0 {
			ps = []string{"void"}
		}
		return t.Block.Ret.String() + " (^)(" + strings.Join(ps, ", ") + ")"
	}
	var b strings.Builder
	if t.Const {
		b.WriteString("const ")
	}
	b.WriteString(t.Name)
	if len(t.Args) > 0 {
		b.WriteByte('<')
		for i, a := range t.Args {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(a.String())
		}
		b.WriteByte('>')
	}
	switch {
	case t.ConstStars:
		b.WriteString(" * const *")
	case t.Stars > 0:
		b.WriteByte(' ')
		b.WriteString(strings.Repeat("*", t.Stars))
	}
	return b.String()
}

// IsVoid reports whether t is plain void.
func (t CType) IsVoid() bool { return t.Name == "void" && t.Stars == 0 }

// elem returns a pointer's element type.
func (t CType) elem() CType {
	t.Stars--
	t.Const = false
	t.ConstStars = false
	return t
}

// maxTypeDepth limits the nesting of generic arguments and blocks.
const maxTypeDepth = 8

// parseType parses one type at the cursor.
func (p *parser) parseType(depth int) (CType, error) {
	var t CType
	if depth > maxTypeDepth {
		return t, p.errorf("type nested deeper than %d", maxTypeDepth)
	}
	if p.peekIdent("const") {
		p.next()
		t.Const = true
	}
	name, err := p.ident("a type")
	if err != nil {
		return t, err
	}
	t.Name = name
	if p.peekPunct("<") {
		p.next()
		for {
			a, err := p.parseType(depth + 1)
			if err != nil {
				return t, err
			}
			t.Args = append(t.Args, a)
			if p.peekPunct(",") {
				p.next()
				continue
			}
			break
		}
		if err := p.punct(">"); err != nil {
			return t, err
		}
	}
	for p.peekPunct("*") {
		p.next()
		t.Stars++
		if p.peekIdent("const") {
			p.next()
			if err := p.punct("*"); err != nil {
				return t, err
			}
			t.Stars++
			t.ConstStars = true
		}
		if t.Stars > 2 {
			return t, p.errorf("more than two stars after %s", t.Name)
		}
	}
	if p.peekPunct("(") && p.peekAt(1, "^") {
		p.next()
		p.next()
		if err := p.punct(")"); err != nil {
			return t, err
		}
		params, err := p.parseBlockParams(depth)
		if err != nil {
			return t, err
		}
		return CType{Block: &BlockType{Ret: t, Params: params}}, nil
	}
	return t, nil
}

// parseBlockParams parses "(void)" or "(type, type)".
func (p *parser) parseBlockParams(depth int) ([]CType, error) {
	if err := p.punct("("); err != nil {
		return nil, err
	}
	if p.peekIdent("void") && p.peekAt(1, ")") {
		p.next()
		p.next()
		return nil, nil
	}
	var params []CType
	for {
		t, err := p.parseType(depth + 1)
		if err != nil {
			return nil, err
		}
		params = append(params, t)
		if p.peekPunct(",") {
			p.next()
			continue
		}
		return params, p.punct(")")
	}
}
