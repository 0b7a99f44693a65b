// Package parse turns the tokens of a translation unit into a syntax tree.
//
// C++ cannot be parsed without knowing which names are types and templates, so the parser keeps
// scopes of names with just that much knowledge: declarations enter them, using declarations and
// directives are followed, classes and namespaces keep theirs for qualified names. What the
// standard library declares comes from a built-in list or from [Options]. Where the language itself
// leaves a name open until a template is instantiated, the rules of C++ for dependent names hold;
// where a name is simply not known, which is an error that the checker will report, the parser
// takes the reading that makes sense of what follows.
//
// Where only trying shows what a construct is, the parser tries: quietly, with errors ending the
// attempt at once, and with what failed remembered, so that nested attempts do not multiply. A tree
// that a successful attempt built is kept.
//
// One mistake is reported once. After it the parser says nothing until it has found its feet again:
// behind the bracket that closes what it was in, behind the next semicolon, or at a line that
// begins like a declaration or statement.
package parse
