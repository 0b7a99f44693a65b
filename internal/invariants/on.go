//go:build invariants || race

package invariants

// Enabled reports whether this build runs the expensive checks.
const Enabled = true
