package main

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestTimedOut: an error that --timeout caused names what the command was doing then, and no other
// error is taken for one.
func TestTimedOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &app{ctx: t.Context()}
		ctx, cancel := a.limit(time.Second)
		defer cancel()
		other := errors.New("other")
		assert.Equal(t, other, timedOut(ctx, time.Second, "running kernel spin", other))
		time.Sleep(time.Second)
		synctest.Wait()
		assert.NoError(t, timedOut(ctx, time.Second, "running kernel spin", nil))
		assert.Equal(t, other, timedOut(ctx, time.Second, "running kernel spin", other))
		assert.EqualError(t, timedOut(ctx, time.Second, "running kernel spin", ctx.Err()),
			"stopped after --timeout 1s, running kernel spin; allow more time, or give it less work")
	})
}
