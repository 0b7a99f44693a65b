// Package lint holds the rules of this project as tests: who may import whom, what may happen when
// a package is loaded, where unsafe may be used, what a generated file looks like, how long a file
// may be, what every exported name must have.
//
// The package has no code of its own. Each rule is a function from the source tree to the places
// that break it, in a test file named after the rule; one test runs it over the tree, another over
// a small invented tree that breaks it, so that a rule which no longer sees anything fails too.
// Rules read every file whatever its build constraints, so they also cover platforms that the tests
// do not run on.
//
// An exception is an entry in the rule's own table with its reason, never a comment in the code
// that breaks the rule.
package lint
