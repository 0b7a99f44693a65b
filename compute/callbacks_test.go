package compute

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
)

// TestCallbacksInOrder: callbacks run after start, in order and one at a time, also those that are
// queued while one runs; then the goroutine ends.
func TestCallbacksInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c callbacks
		var got []error // without a lock: the race detector sees callbacks that run concurrently
		errs := []error{errors.New("0"), nil, errors.New("2"), errors.New("3")}
		add := func(err error) { c.add(func(err error) { got = append(got, err) }, err) }
		gate := make(chan struct{})
		add(errs[0])
		c.add(func(err error) { <-gate; got = append(got, err) }, errs[1])
		add(errs[2])
		synctest.Wait()
		assert.Empty(t, got, "before start")
		c.start()
		synctest.Wait()
		assert.Equal(t, errs[:1], got, "the second one is running")
		add(errs[3])
		c.start()
		synctest.Wait()
		assert.Equal(t, errs[:1], got, "no second goroutine")
		close(gate)
		synctest.Wait()
		assert.Equal(t, errs, got)
		assert.False(t, c.running)
		c.start() // with nothing queued
		assert.False(t, c.running)
	})
}

// TestCallbackAdds: a callback may queue callbacks, as it may use its stream.
func TestCallbackAdds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c callbacks
		var got []string
		c.add(func(error) {
			got = append(got, "outer")
			c.add(func(error) { got = append(got, "inner") }, nil)
			c.start()
		}, nil)
		c.start()
		synctest.Wait()
		assert.Equal(t, []string{"outer", "inner"}, got)
	})
}
