//go:build tools

// This file only keeps the generator's input in go.mod; nothing compiles it.
package bindgen

import (
	_ "github.com/progrium/darwinkit/macos/foundation"
	_ "github.com/progrium/darwinkit/macos/metal"
	_ "github.com/progrium/darwinkit/macos/mps"
	_ "github.com/progrium/darwinkit/macos/mpsgraph"
)
