// Package capture implements the capture manager and capture scopes, and writes the traces that
// they record.
//
// The package may import internal/softmetal/metal4 and everything below it.
package capture
