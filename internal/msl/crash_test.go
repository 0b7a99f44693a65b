package msl

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestCrashes compiles programs that once caused internal errors.
func TestCrashes(t *testing.T) {
	for _, c := range []struct {
		name, text string
		ok         bool
	}{
		{"a function of the global scope",
			"int f(int x);\nint ::f(int x) { return x; }\nkernel void k(device int *p [[buffer(0)]]) { *p = f(*p); }", true},
		{"a template of the global scope", "template <class T> T ::f(T x) { return x; }", false},
		{"an entry point of the global scope", "namespace n { kernel void ::k() {} }", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			failOnInternal(t)
			assert.Equal(t, c.ok, noInternal(t, c.text, Options{Verify: true}))
		})
	}
}
