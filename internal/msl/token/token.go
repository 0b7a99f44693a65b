package token

import "github.com/puremetal/puremetal/internal/msl/diag"

// Flags describe what precedes a token, and what holds at it.
type Flags uint8

// The flags of a token.
const (
	AtLineStart  Flags = 1 << iota // the first token of its line
	SpaceBefore                    // white space or a comment before it
	NoExpand                       // a name not to expand: it results from the macro's own expansion
	AfterMistake                   // it, or something omitted before it, has been reported already
	SafeMath                       // #pragma METAL fp math_mode(safe) holds at it
	FastMath                       // math_mode(fast) or math_mode(relaxed) does
)

// Token is a token: 24 bytes, passed by value.
type Token struct {
	Kind  Kind
	Flags Flags
	Pos   diag.Pos
	Text  string
}

// End returns the position just past the token. For a token from a macro it is the token's own
// position.
func (t Token) End() diag.Pos {
	if t.Pos < 0 {
		return t.Pos
	}
	return t.Pos + diag.Pos(len(t.Text))
}

// Is reports whether the token is the given name, for words with a meaning in one context only.
func (t Token) Is(name string) bool { return t.Kind == Ident && t.Text == name }

// String returns the token as quoted in messages.
func (t Token) String() string {
	if t.Kind == EOF {
		return "end of file"
	}
	return "'" + t.Text + "'"
}
