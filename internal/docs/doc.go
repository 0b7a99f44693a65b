// Package docs tests README.md and docs/: the code they show is code from the tree, the errors they
// quote are real errors, and the targets of their links exist.
package docs
