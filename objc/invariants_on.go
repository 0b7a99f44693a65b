//go:build invariants || race

package objc

// expensiveChecks reports whether this build runs checks that are too expensive for every user: who
// allocated an object that leaked, which pool was left on another thread. It is a constant, so code
// under it disappears from an ordinary build. It is true with `-tags invariants` and with the race
// detector, which is slow already and runs in every check.
//
// A check belongs here if its failure means a bug in this project, or a misuse that an ordinary
// build cannot afford to detect. Misuse that is cheap to detect is an error in every build.
const expensiveChecks = true
