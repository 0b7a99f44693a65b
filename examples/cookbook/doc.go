// Package cookbook holds the recipes of docs/cookbook.md as examples that go test runs. A test in
// internal/docs checks that the page shows the same code.
package cookbook

//go:generate go tool puremetal generate saxpy.metal
