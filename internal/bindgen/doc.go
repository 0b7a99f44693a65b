// Package bindgen generates the typed bindings (z*.go).
package bindgen

import _ "github.com/BurntSushi/toml"
