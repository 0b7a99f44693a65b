package softmetal

import "github.com/puremetal/puremetal/internal/objcsoft"

// background runs f on a goroutine of its own, inside an autorelease pool, and keeps the objects alive until it has ended. It is what
// methods with a completion handler do; the handler is one of the objects.
func background(c *objcsoft.Call, f func(rt *objcsoft.Runtime), keep ...objcsoft.ID) {
	rt := c.RT
	for i, id := range keep {
		if err := rt.Retain(id); err != nil {
			c.Fail(err)
			release(rt, keep[:i]...)
			return
		}
	}
	go func() {
		pool := rt.PushPool()
		f(rt)
		_ = rt.PopPool(pool)
		release(rt, keep...)
	}()
}

// release gives up references that nobody can be told about when they turn out to be wrong.
func release(rt *objcsoft.Runtime, ids ...objcsoft.ID) {
	for _, id := range ids {
		_ = rt.Release(id)
	}
}

// finish calls a completion handler with objects that the handler does not own, and gives up what is owned here. What the handler does
// wrong is told by the runtime (OnBlockPanic).
func finish(rt *objcsoft.Runtime, block objcsoft.ID, args ...objcsoft.ID) {
	words := make([]uintptr, len(args))
	for i, id := range args {
		words[i] = uintptr(id)
	}
	_, _ = rt.InvokeBlock(block, words)
	release(rt, args...)
}

// handlerArg returns a completion handler's block; nil is misuse, as in Metal.
func handlerArg(c *objcsoft.Call, arg int) (objcsoft.ID, bool) {
	if c.ID(arg) == 0 {
		misuse(c, "the completion handler is nil")
		return 0, false
	}
	return c.ID(arg), true
}
