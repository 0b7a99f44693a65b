// Package token defines the tokens of the Metal Shading Language and the scanner that reads them
// from source text.
//
// The scanner returns preprocessor tokens: all names are Ident, because a macro may have the name
// of a keyword, and a newline is the AtLineStart flag of the next token. The preprocessor turns
// names into keywords at the end. A token's text is a slice of the source and not a copy, unless a
// backslash-newline splits it.
package token
