// Package docs holds the tests of README.md and of docs/: what they show as code is code of the
// tree, what they quote as errors are errors that arise, and what they link to is there.
package docs
