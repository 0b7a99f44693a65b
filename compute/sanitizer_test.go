package compute

import (
	"sync"
	"testing"

	"github.com/puremetal/puremetal/sanitizer"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSanitizer: findings reach the function, name the source and the buffer, and use the length of
// the program's buffer, which the pool rounds up.
func TestSanitizer(t *testing.T) {
	plantsMistakes(t)
	if !accelerator(t).Info().Software {
		_, err := Open(WithSanitizer(sanitizer.All, nil))
		require.ErrorIs(t, err, ErrNoDevice)
		return
	}
	var mu sync.Mutex
	var found []*sanitizer.Finding
	a := accelerator(t, WithSanitizer(sanitizer.All, func(f *sanitizer.Finding) {
		mu.Lock()
		defer mu.Unlock()
		found = append(found, f)
	}))
	p, err := a.Compile(t.Context(), `#include <metal_stdlib>
using namespace metal;
kernel void reverse(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                    uint t [[thread_index_in_threadgroup]]) {
    threadgroup uint s[64];
    s[t] = i;
    out[i] = s[63 - t];
}`, CompileOptions{})
	require.NoError(t, err)
	defer p.Close()
	k, err := p.Kernel("reverse")
	require.NoError(t, err)
	out, err := NewBuffer[uint32](a, 100, BufferOptions{})
	require.NoError(t, err)
	defer out.Close()
	s, err := a.NewStream(StreamOptions{})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close(t.Context())) }()
	require.NoError(t, s.Launch(t.Context(), k, Threads1D(128).In(Extent{X: 64}), out))
	require.NoError(t, s.Sync(t.Context()))
	mu.Lock()
	defer mu.Unlock()
	kinds := map[sanitizer.Kinds]*sanitizer.Finding{}
	for _, f := range found {
		kinds[f.Kind] = f
	}
	require.Contains(t, kinds, sanitizer.Race)
	assert.Equal(t, []int{7, 6}, []int{kinds[sanitizer.Race].Line, kinds[sanitizer.Race].Other.Line})
	require.Contains(t, kinds, sanitizer.Bounds)
	assert.Equal(t, `buffer 0 "out"`, kinds[sanitizer.Bounds].Memory)
	assert.GreaterOrEqual(t, kinds[sanitizer.Bounds].Offset, uint64(400))
}

func TestSanitizerOption(t *testing.T) {
	_, err := Open(WithSanitizer(0, nil))
	require.ErrorIs(t, err, ErrOption)
}
