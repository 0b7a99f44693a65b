// Package cookbook holds the recipes of docs/cookbook.md as examples that go test runs: the text of
// the one is the code of the other, which a test in internal/docs compares.
package cookbook
