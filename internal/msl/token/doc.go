// Package token defines the tokens of the Metal Shading Language and the scanner that splits source
// text into them.
//
// The scanner returns preprocessor tokens: all names are Ident, because a macro may have the name
// of a keyword, and a newline is represented by the AtLineStart flag of the next token. The
// preprocessor finally turns names into keywords. A token's text is a slice of the source rather
// than a copy, unless a backslash-newline splits it.
package token
