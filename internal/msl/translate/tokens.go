package translate

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// tokens are the tokens of a program after the preprocessor, and the edits that they want. What a
// reader sees is made of them: package source puts the edits back into files and macros.
type tokens struct {
	files  *diag.FileSet
	list   []token.Token
	order  []int32 // the tokens by position
	edits  map[int]*edit
	frozen map[int]*edit // those that do not depend on an instance
}

// edit is what a token becomes: text before, the token itself unless it is replaced, text after.
type edit struct {
	lead, trail   string // outside the macro that made the token, if any
	before, after string
	replaced      bool
	tight         bool // without the space before it
	eats          bool // without the space after it
	dropped       bool // with what is between it and others that are dropped
	text          string
}

func newTokens(files *diag.FileSet, list []token.Token) *tokens {
	t := &tokens{files: files, list: list, order: make([]int32, len(list)), edits: map[int]*edit{}}
	for i := range list {
		t.order[i] = int32(i)
	}
	slices.SortStableFunc(t.order, func(a, b int32) int { return cmp.Compare(list[a].Pos, list[b].Pos) })
	return t
}

// first returns the index of a node's first token; -1 if it has none, because a rewrite made it.
func (t *tokens) first(n ast.Node) int { return t.at(n.Pos()) }

// last returns the index of a node's last token.
func (t *tokens) last(n ast.Node) int { return t.index(n.End(), token.Token.End) }

// at returns the index of the token that begins at a position; -1 if there is none.
func (t *tokens) at(p diag.Pos) int { return t.index(p, func(k token.Token) diag.Pos { return k.Pos }) }

// index returns the index of the last token with a position; -1 if there is none.
func (t *tokens) index(p diag.Pos, of func(token.Token) diag.Pos) int {
	after := sort.Search(len(t.order), func(i int) bool { return of(t.list[t.order[i]]) > p })
	if after == 0 || of(t.list[t.order[after-1]]) != p {
		return -1
	}
	return int(t.order[after-1])
}

func (t *tokens) edit(i int) *edit {
	e := t.edits[i]
	if e == nil {
		e = &edit{}
		t.edits[i] = e
	}
	return e
}

// copyOf returns the tokens with the edits that some of them have.
func (t *tokens) copyOf(first, last int, of *tokens) *tokens {
	c := *t
	c.edits = map[int]*edit{}
	for i := first; i <= last; i++ {
		if e := of.frozen[i]; e != nil {
			x := *e
			c.edits[i] = &x
		}
	}
	return &c
}

// freeze keeps the edits so far for copies.
func (t *tokens) freeze() {
	t.frozen = make(map[int]*edit, len(t.edits))
	for i, e := range t.edits {
		x := *e
		t.frozen[i] = &x
	}
}

// before puts text before a token. Nodes are visited from the outside in, so text that is there
// already belongs to a node around and stays first.
func (t *tokens) before(i int, text string) { t.edit(i).before += text }

// after puts text after a token.
func (t *tokens) after(i int, text string) {
	e := t.edit(i)
	e.after = text + e.after
}

// around puts text around the tokens of a node. Where the node is more than a macro made, or all of
// it, the text goes outside the macro's use.
func (t *tokens) around(first, last int, before, after string) {
	if t.outside(first, first-1, last, last+1) {
		t.edit(first).lead += before
	} else {
		t.before(first, before)
	}
	if t.outside(last, last+1, first, first-1) {
		e := t.edit(last)
		e.trail = after + e.trail
	} else {
		t.after(last, after)
	}
}

// outside reports whether an end of a node is the end of a macro's use, and the node's other end is
// not within that use.
func (t *tokens) outside(end, beyond, other, beyondOther int) bool {
	use, at := t.files.Use(t.list[end].Pos)
	in := func(i int) bool {
		if i < 0 || i >= len(t.list) {
			return false
		}
		u, p := t.files.Use(t.list[i].Pos)
		return u != nil && p == at
	}
	return use != nil && !in(beyond) && (!in(other) || !in(beyondOther))
}

// replace replaces a token. An empty text removes it.
func (t *tokens) replace(i int, text string) {
	e := t.edit(i)
	e.replaced, e.text = true, text
}

// want returns the text that takes the place of a token.
func (t *tokens) want(i int) string {
	e := t.edits[i]
	if e == nil {
		return t.list[i].Text
	}
	return e.lead + t.inner(i) + e.trail
}

// inner is want without what goes outside a macro.
func (t *tokens) inner(i int) string {
	e := t.edits[i]
	switch {
	case e == nil:
		return t.list[i].Text
	case e.replaced:
		return e.before + e.text + e.after
	}
	return e.before + t.list[i].Text + e.after
}

// changed reports whether a token has an edit, at its place.
func (t *tokens) changed(i int) bool { return t.edits[i] != nil && t.inner(i) != t.list[i].Text }

// closing returns the index of the bracket that closes the one at i.
func (t *tokens) closing(i int) int {
	depth := 0
	for ; i < len(t.list); i++ {
		switch t.list[i].Kind {
		case token.LParen, token.LBrack, token.LBrace:
			depth++
		case token.RParen, token.RBrack, token.RBrace:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(t.list) - 1
}

// span returns the edited text of some tokens with the white space and the comments between them.
// Within a macro there is no such text: then a space goes where the tokens need one.
func (t *tokens) span(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		switch e, last := t.edits[i], t.edits[i-1]; {
		case i == from:
		case e != nil && (e.tight || e.dropped && last != nil && last.dropped):
		case last != nil && last.eats && last.text == "":
		default:
			b.WriteString(t.between(i))
		}
		b.WriteString(t.want(i))
	}
	return b.String()
}

// between returns the text between a token and the one before.
func (t *tokens) between(i int) string {
	a, b := t.list[i-1], t.list[i]
	if a.Pos > 0 && b.Pos > 0 {
		if f := t.files.File(a.Pos); f != nil && f.Contains(b.Pos) && b.Pos >= a.End() {
			if text := f.Text[f.Offset(a.End()):f.Offset(b.Pos)]; !strings.Contains(text, "#") {
				return text
			}
		}
	}
	return t.gap(i)
}

// gap returns a space if one is needed between a token and the one before.
func (t *tokens) gap(i int) string {
	if t.list[i].Flags&(token.SpaceBefore|token.AtLineStart) != 0 {
		return " "
	}
	before, text := t.want(i-1), t.want(i)
	if before == "" || text == "" {
		return ""
	}
	a, b := before[len(before)-1], text[0]
	if word(a) && word(b) || strings.IndexByte(operators, a) >= 0 && strings.IndexByte(operators, b) >= 0 {
		return " "
	}
	return ""
}

// operators are the characters of which operators of more than one have.
const operators = "+-*/%&|^!=<>:.#"

func word(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
