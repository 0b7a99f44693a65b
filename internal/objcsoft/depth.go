package objcsoft

import "errors"

// ErrDepth: nested messages have exceeded their stack limit, usually because a collection contains
// itself.
var ErrDepth = errors.New("recursion too deep")

// maxStack is how much of a goroutine's stack nested messages may use. Go ends the program at 1 GB,
// with no way to recover.
const maxStack = 16 << 20

// onNewStack runs f on its own goroutine, with an autorelease pool, and waits for it, so that a
// chain of a million objects that own one another can be freed.
func (rt *Runtime) onNewStack(f func() error) error {
	done := make(chan error)
	go func() {
		token := rt.PushPool()
		err := f()
		done <- errors.Join(err, rt.PopPool(token))
	}()
	return <-done
}
