package plan

import "fmt"

// Unable is why a range cannot be compiled: what Fail panics with, and Attempt returns.
type Unable struct{ Why string }

func (u Unable) Error() string { return "jit: " + u.Why }

// Fail gives the range up.
func Fail(format string, args ...any) { panic(Unable{fmt.Sprintf(format, args...)}) }

// Attempt calls f and returns why it has failed.
func Attempt(f func()) (err error) {
	defer func() {
		if e := recover(); e != nil {
			x, ok := e.(Unable)
			if !ok {
				panic(e)
			}
			err = x
		}
	}()
	f()
	return nil
}
