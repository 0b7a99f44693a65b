//go:build !invariants && !race

package objc

// expensiveChecks reports whether this build runs the expensive checks.
const expensiveChecks = false
