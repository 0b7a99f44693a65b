// Package diag is how the compiler talks about source text: positions, diagnostics, their codes,
// and what they look like.
//
// A Pos is four bytes, so that every token and every node of a tree can carry one. It means
// something only together with the FileSet that gave it out. Positive ones are places in a file;
// negative ones are tokens that a macro brought, and lead through the table of expansions both to
// where the macro was used and to where the token is written. Positions are therefore not ordered:
// compare them for equality only, and ask Resolve before comparing places.
//
// Messages are one sentence in lower case without a full stop. A code, once given, keeps its
// meaning for ever: tools and people refer to it. What the compiler does not do yet has codes that
// begin with U and messages that begin with "not supported", so that nobody looks for a mistake in
// a program that has none.
package diag
