package abort

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestWhen: a compilation stops when the last who wants it gives up, and is forgotten after the
// last message.
func TestWhen(t *testing.T) {
	k, other := Key{1, "f"}, Key{1, "g"}
	assert.NoError(t, Context(k).Err(), "nobody asks for it to stop")
	first, cancelFirst := context.WithCancel(t.Context())
	second, cancelSecond := context.WithCancel(t.Context())
	doneFirst, doneSecond, doneOther := When(first, k), When(second, k), When(t.Context(), other)
	ctx := Context(k)

	cancelFirst()
	doneFirst() // it has left already, or leaves now: not twice
	assert.NoError(t, ctx.Err(), "the second caller waits")
	cancelSecond()
	<-ctx.Done()
	assert.Error(t, Context(k).Err(), "as long as a message may be on its way")
	doneThird := When(t.Context(), k)
	assert.NoError(t, Context(k).Err(), "a later compilation is another")
	doneSecond()
	assert.NoError(t, Context(k).Err())
	doneThird()
	assert.NoError(t, Context(other).Err())

	doneOther()
	assert.Empty(t, jobs)

	done := When(first, k)
	assert.Error(t, Context(k).Err(), "its context had ended before")
	done()
	assert.Empty(t, jobs)
}
