package shader

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"slices"

	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/msl/lower"
)

// MathMode is an MTLMathMode.
type MathMode uint8

// The math modes.
const (
	MathSafe MathMode = iota
	MathRelaxed
	MathFast
)

// Options are the settings of a compilation that change what it gives: those of MTLCompileOptions.
type Options struct {
	Version int      `json:"version,omitempty"` // as __METAL_VERSION__ has it: 310; 0 for the newest
	Math    MathMode `json:"math"`
	// functions without namespace are those of metal::precise
	PreciseFunctions bool              `json:"precise,omitempty"`
	Macros           map[string]string `json:"macros,omitempty"`
	Dynamic          bool              `json:"dynamic,omitempty"` // MTLLibraryTypeDynamic
	InstallName      string            `json:"installName,omitempty"`
	// of a threadgroup, for kernels that do not say themselves; 0 for no limit
	MaxThreads int    `json:"maxThreads,omitempty"`
	Required   [3]int `json:"required,omitzero"` // the same for required threads
	Logging    bool   `json:"logging,omitempty"` // kernels write to the log
	// variables without an initializer stay in memory, where the sanitizer sees reads of them
	KeepUninitialized bool `json:"keepUninitialized,omitempty"`
}

// NewestVersion is the newest version of the language, as __METAL_VERSION__ has it.
const NewestVersion = 400

// compiler returns the compiler's settings. The faster modes allow more error in the mathematical
// functions and nothing else, so a program that asks for precise functions is compiled in the safe
// mode.
func (o *Options) compiler() msl.Options {
	c := msl.Options{Defines: o.Macros, MetalVersion: cmp.Or(o.Version, NewestVersion), Math: lower.Safe,
		Logging: o.Logging, KeepUninitialized: o.KeepUninitialized}
	if !o.PreciseFunctions {
		switch o.Math {
		case MathRelaxed:
			c.Math = lower.Relaxed
		case MathFast:
			c.Math = lower.Fast
		}
	}
	return c
}

// Hash is the SHA-256 of the input that something was made from.
type Hash [sha256.Size]byte

// hash returns the hash of a compilation's input. Different inputs have different hashes: texts are
// hashed as they are, since JSON would replace all bytes that are not UTF-8 with the same
// character.
func (o *Options) hash(source string) Hash {
	rest := *o
	rest.Macros, rest.InstallName = nil, ""
	settings, _ := json.Marshal(rest) // no field can fail
	texts := []string{string(settings), o.InstallName}
	for _, name := range sortedKeys(o.Macros) {
		texts = append(texts, name, o.Macros[name])
	}
	h := sha256.New()
	for _, text := range append(texts, source) {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(text))))
		h.Write([]byte(text))
	}
	return Hash(h.Sum(nil))
}

// clone returns a copy that shares no map.
func (o Options) clone() Options {
	macros := make(map[string]string, len(o.Macros))
	for k, v := range o.Macros {
		macros[k] = v
	}
	o.Macros = macros
	return o
}

// sortedKeys returns a map's keys in order.
func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
