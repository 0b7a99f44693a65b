// Package token has the words of the Metal Shading Language and the scanner that finds them in
// source text.
//
// What the scanner returns are the preprocessor's tokens: names are all Ident, because a macro may
// be called what a keyword is, and newlines show as the AtLineStart flag of the token behind them.
// The preprocessor turns names into keywords at its end. A token's text is a part of the source,
// never a copy, save where a backslash-newline cuts it in two.
package token
