// Package diag defines source positions, diagnostics with their codes, and the output formats of
// diagnostics.
//
// A Pos has four bytes, so that every token and every node of a tree can carry one. It is valid
// only with the FileSet that issued it. A positive Pos is a location in a file. A negative one is a
// token from a macro expansion; the table of expansions gives both where the macro was used and
// where the token was written. Positions are therefore not ordered: compare them only for equality,
// and call Resolve before comparing locations.
//
// A message is one sentence in lower case without a full stop, in clang's wording if clang has the
// diagnostic. A code never changes its meaning, because tools and people refer to it. For
// unsupported features, codes begin with U and messages with "not supported", so that users do not
// look for a mistake in a correct program.
package diag
