// Package parse turns the tokens of a translation unit into a syntax tree.
//
// C++ cannot be parsed without knowing which names are types and templates, so the parser keeps
// scopes with just that information. Declarations add to them, using declarations and directives
// are followed, and classes and namespaces keep their scopes for qualified names. The names of the
// standard library come from a built-in list or from [Options]. C++'s rules for dependent names
// apply in templates. An unknown name is an error that the checker reports later; the parser picks
// the interpretation that fits the tokens that follow.
//
// Where only parsing can decide what a construct is, the parser tries one alternative
// speculatively: no diagnostics are reported, the first error ends the attempt, and failures are
// memoized so that nested attempts do not multiply. The tree of a successful attempt is kept.
//
// Each mistake is reported once. After an error the parser stays silent until it has
// resynchronized: after the bracket that closes the current construct, after the next semicolon, or
// at a line that begins like a declaration or statement.
package parse
