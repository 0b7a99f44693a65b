package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/pp"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// declarations returns a text as a list of declarations, without macros. Before each is a line
// with what it declares:
//
//	//@ function memcpy
func declarations(text string) (string, error) {
	files, sink := diag.NewFileSet(), diag.NewSink()
	toks := pp.Process(files, files.AddFile("library", text), pp.Options{}, sink)
	for _, d := range sink.Diagnostics() {
		return "", fmt.Errorf("%v: %s", files.Position(d.Pos), d.Message)
	}
	var b strings.Builder
	for toks[0].Kind != token.EOF {
		n := declEnd(toks)
		kind, name := declares(toks[:n])
		b.WriteString("//@ " + kind + " " + name + "\n" + expanded(files, toks[:n]) + "\n")
		toks = toks[n:]
	}
	return b.String(), nil
}

// declEnd returns the number of tokens of the first declaration.
func declEnd(toks []token.Token) int {
	depth := 0
	for i, t := range toks {
		switch t.Kind {
		case token.LParen, token.LBrack, token.LBrace:
			depth++
		case token.RParen, token.RBrack, token.RBrace:
			depth--
			if depth == 0 && t.Kind == token.RBrace && (i+1 == len(toks) || toks[i+1].Kind != token.Semi) {
				return i + 1
			}
		case token.Semi:
			if depth == 0 {
				return i + 1
			}
		case token.EOF:
			return i
		}
	}
	return len(toks)
}

// declares returns what a declaration declares: function, value or type, or a template of one, and
// its name.
func declares(toks []token.Token) (kind, name string) {
	template := ""
	for toks[0].Kind == token.KwTemplate {
		template = "-template"
		toks = toks[1+anglesEnd(toks[1:]):]
	}
	kind, name = declaresPlain(toks)
	return kind + template, name
}

// declaresPlain is declares without templates.
func declaresPlain(toks []token.Token) (kind, name string) {
	switch toks[0].Kind {
	case token.KwStruct, token.KwUnion:
		at := slices.IndexFunc(toks, func(t token.Token) bool {
			return t.Kind == token.Colon || t.Kind == token.LBrace || t.Kind == token.Semi
		})
		return "type", toks[at-1].Text
	case token.KwTypedef:
		return "type", toks[len(toks)-2].Text
	case token.KwUsing:
		if toks[2].Kind == token.Assign {
			return "type", toks[1].Text
		}
		return "value", toks[len(toks)-2].Text
	}
	for i := 0; i < len(toks); i++ {
		switch toks[i].Kind {
		case token.Less:
			i += anglesEnd(toks[i:]) - 1
		case token.KwOperator:
			name := "operator"
			for i++; toks[i].Kind != token.LParen; i++ {
				name += toks[i].Text
			}
			return "function", name
		case token.LParen:
			if toks[0].Kind == token.KwConstant { // the constructor of a constant
				return "value", toks[i-1].Text
			}
			return "function", toks[i-1].Text
		case token.Assign, token.LBrack, token.Semi:
			return "value", toks[i-1].Text
		}
	}
	panic("a declaration without a name in a dialect's library")
}

// anglesEnd returns the number of tokens of a list in angle brackets.
func anglesEnd(toks []token.Token) int {
	angles, depth := 0, 0
	for i, t := range toks {
		switch t.Kind {
		case token.LParen:
			depth++
		case token.RParen:
			depth--
		case token.Less:
			if depth == 0 {
				angles++
			}
		case token.Greater:
			if depth == 0 {
				angles--
			}
		case token.Shr:
			if depth == 0 {
				angles -= 2
			}
		}
		if angles <= 0 {
			return i + 1
		}
	}
	return len(toks)
}

// expanded returns the text of tokens, some of which macros made.
func expanded(files *diag.FileSet, toks []token.Token) string {
	var b strings.Builder
	for i, t := range toks {
		gap := ""
		f := files.File(t.Pos)
		switch use, at := files.Use(t.Pos); {
		case use != nil:
			before := toks[max(i, 1)-1]
			if _, last := files.Use(before.Pos); i > 0 && at != last {
				gap = "\n"
			} else if i > 0 && t.Flags&(token.SpaceBefore|token.AtLineStart) != 0 || joined(before.Text, t.Text) {
				gap = " "
			}
		case i > 0 && f != nil && f.Contains(toks[i-1].Pos) && t.Pos >= toks[i-1].End():
			if gap = f.Text[f.Offset(toks[i-1].End()):f.Offset(t.Pos)]; strings.Contains(gap, "#") {
				gap = "\n"
			}
		case i > 0:
			gap = "\n"
		}
		b.WriteString(gap + t.Text)
	}
	return b.String()
}

// joined reports whether two tokens could be one without a blank.
func joined(a, b string) bool {
	kind := func(c byte) int {
		switch {
		case strings.IndexByte("+-*/%<>=&|^!:.#", c) >= 0:
			return 1
		case strings.IndexByte("(){}[];,?~", c) >= 0:
			return 2
		}
		return 3
	}
	k := kind(a[len(a)-1])
	return k != 2 && k == kind(b[0])
}
