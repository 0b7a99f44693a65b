package vouch

import (
	"crypto/sha256"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestVouch: content is vouched for until the last who does so is done.
func TestVouch(t *testing.T) {
	content := []byte("content")
	assert.False(t, Has(content))
	one, two := For(sha256.Sum256(content)), For(sha256.Sum256(content))
	assert.True(t, Has(content))
	assert.False(t, Has([]byte("Content")))
	one()
	assert.True(t, Has(content))
	two()
	assert.False(t, Has(content))
	assert.Empty(t, known)
}
