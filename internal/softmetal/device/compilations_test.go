package device

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/puremetal/puremetal/internal/softmetal/extension"

	"github.com/stretchr/testify/assert"
)

// TestCompilations: a compilation stops when the last who wants it gives up, and is forgotten after
// the last message.
func TestCompilations(t *testing.T) {
	var d Device
	c := &d.compilations
	err := func(what string) error { return d.CompilationContext(1, what).Err() }
	f, g := extension.CompilationKey(1, "f"), extension.CompilationKey(1, "g")
	assert.NoError(t, err("f"), "nobody asks for it to stop")
	first, second, other := c.begin(f), c.begin(f), c.begin(g)
	ctx := d.CompilationContext(1, "f")

	assert.True(t, c.cancel(first))
	assert.True(t, c.cancel(first), "not counted twice")
	assert.True(t, c.end(first))
	assert.NoError(t, ctx.Err(), "the second caller waits")
	assert.True(t, c.cancel(second))
	assert.Error(t, ctx.Err())
	assert.Error(t, err("f"), "as long as a message may be on its way")
	third := c.begin(f)
	assert.NoError(t, err("f"), "a later compilation is another")
	assert.True(t, c.end(second))
	assert.NoError(t, err("f"))
	assert.True(t, c.end(third))
	assert.NoError(t, err("g"))

	assert.True(t, c.end(other))
	assert.False(t, c.end(other))
	assert.False(t, c.cancel(other))
	assert.Empty(t, c.jobs)
	assert.Empty(t, c.tickets)
}

// TestTrusts: content is trusted until the last who does so is done.
func TestTrusts(t *testing.T) {
	var d Device
	content := []byte("content")
	sum := sha256.Sum256(content)
	name := hex.EncodeToString(sum[:])
	assert.False(t, d.Trusts(content))
	d.trusted.add(name, 1)
	d.trusted.add(name, 1)
	assert.True(t, d.Trusts(content))
	assert.False(t, d.Trusts([]byte("Content")))
	assert.True(t, d.trusted.add(name, -1))
	assert.True(t, d.Trusts(content))
	assert.True(t, d.trusted.add(name, -1))
	assert.False(t, d.Trusts(content))
	assert.False(t, d.trusted.add(name, -1))
	assert.Empty(t, d.trusted.known)
}
