package objcsoft

import "errors"

// ErrDepth: messages sent inside messages have used up the stack they may use;
// most often a collection contains itself.
var ErrDepth = errors.New("recursion too deep")

// maxStack is how much of a goroutine's stack nested messages may use. Go ends
// the program at 1 GB, and that cannot be recovered from.
const maxStack = 16 << 20

// onNewStack runs f on a goroutine of its own, with an autorelease pool, and
// waits for it: a chain of a million objects that own one another can be freed.
func (rt *Runtime) onNewStack(f func() error) error {
	done := make(chan error)
	go func() {
		token := rt.PushPool()
		err := f()
		done <- errors.Join(err, rt.PopPool(token))
	}()
	return <-done
}
