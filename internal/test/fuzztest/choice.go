package fuzztest

// choices turns fuzzer bytes into decisions, so that a small change of the bytes is a small change
// of the program. Once the bytes are used up, every decision is 0, which is always a terminating
// choice.
type choices struct{ rest []byte }

// n makes a decision among k options.
func (c *choices) n(k int) int {
	if len(c.rest) == 0 || k < 2 {
		return 0
	}
	b := int(c.rest[0])
	c.rest = c.rest[1:]
	if k > 256 && len(c.rest) > 0 {
		b |= int(c.rest[0]) << 8
		c.rest = c.rest[1:]
	}
	return b % k
}

// pick chooses an element of a list.
func pick[T any](c *choices, list []T) T { return list[c.n(len(list))] }

// rare is true once in k times, and never after the bytes are used up.
func (c *choices) rare(k int) bool { return c.n(k) == k-1 }
