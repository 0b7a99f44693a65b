package token

import "github.com/puremetal/puremetal/internal/msl/diag"

// Flags say what stood before a token.
type Flags uint8

// The flags of a token.
const (
	AtLineStart  Flags = 1 << iota // the first token of its line
	SpaceBefore                    // white space or a comment before it
	NoExpand                       // a name that is no macro any more, because it came out of that macro's own expansion
	AfterMistake                   // it, or something left out before it, was reported: that it does not fit is no news
)

// Token is one token: 24 bytes, passed by value.
type Token struct {
	Kind  Kind
	Flags Flags
	Pos   diag.Pos
	Text  string
}

// End returns the position just behind the token. For a token that a macro brought it is the
// token's own position.
func (t Token) End() diag.Pos {
	if t.Pos < 0 {
		return t.Pos
	}
	return t.Pos + diag.Pos(len(t.Text))
}

// Is reports whether the token is a name spelled so: for words that mean something in one place
// only.
func (t Token) Is(name string) bool { return t.Kind == Ident && t.Text == name }

// String gives the token as messages quote it.
func (t Token) String() string {
	if t.Kind == EOF {
		return "end of file"
	}
	return "'" + t.Text + "'"
}
