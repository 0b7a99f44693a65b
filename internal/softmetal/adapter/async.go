package adapter

import "github.com/puremetal/puremetal/internal/objcsoft"

// Background runs f on a new goroutine, inside an autorelease pool, and keeps the objects alive
// until f has returned. Methods with a completion handler do their work in it; the handler is one
// of the objects.
func Background(c *objcsoft.Call, f func(rt *objcsoft.Runtime), keep ...objcsoft.ID) {
	rt := c.RT
	for i, id := range keep {
		if err := rt.Retain(id); err != nil {
			c.Fail(err)
			Release(rt, keep[:i]...)
			return
		}
	}
	go func() {
		pool := rt.PushPool()
		f(rt)
		_ = rt.PopPool(pool)
		Release(rt, keep...)
	}()
}

// Release releases references. It ignores errors: use it where no call could report them.
func Release(rt *objcsoft.Runtime, ids ...objcsoft.ID) {
	for _, id := range ids {
		_ = rt.Release(id)
	}
}

// Complete calls a completion handler and then releases its arguments, which the caller owns. The
// runtime reports a handler that panics (OnBlockPanic).
func Complete(rt *objcsoft.Runtime, block objcsoft.ID, args ...objcsoft.ID) {
	words := make([]uintptr, len(args))
	for i, id := range args {
		words[i] = uintptr(id)
	}
	_, _ = rt.InvokeBlock(block, words)
	Release(rt, args...)
}

// HandlerArg returns the block of a completion handler argument. Nil is misuse.
func HandlerArg(c *objcsoft.Call, arg int) (objcsoft.ID, bool) {
	if c.ID(arg) == 0 {
		Misuse(c, "the completion handler is nil")
		return 0, false
	}
	return c.ID(arg), true
}

// InPool runs f in its own autorelease pool, as handlers expect.
func InPool(rt *objcsoft.Runtime, f func()) {
	pool := rt.PushPool()
	f()
	// This goroutine pushed the pool, so an error comes from a release in f, which the runtime has
	// reported.
	_ = rt.PopPool(pool)
}

// ReturnObjects returns an array of n objects, which create makes with a count of one.
func ReturnObjects(c *objcsoft.Call, n int, create func(i int) objcsoft.ID) {
	ids := make([]objcsoft.ID, n)
	for i := range ids {
		ids[i] = create(i)
	}
	array, err := c.RT.NewArray(ids)
	Release(c.RT, ids...)
	if err != nil {
		c.Fail(err)
		return
	}
	c.ReturnAutoreleased(array)
}
