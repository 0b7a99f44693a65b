// Package invariants says whether this build includes checks that are too expensive for every user:
// who allocated an object that leaked, which pool was left on another thread, whether a table is
// still in order.
//
// [Enabled] is a constant, so code under `if invariants.Enabled` disappears from an ordinary build.
// It is true in a build with `-tags invariants` and in one with the race detector, which is slow
// already and runs in every check.
//
// A check belongs here if its failure means a bug in this project, or a misuse that an ordinary
// build cannot afford to detect. Misuse that is cheap to detect is an error in every build. Package
// objc turns its debug mode on when Enabled is true; PUREMETAL_OBJC_DEBUG=1 does the same in a
// build where it is false.
package invariants
