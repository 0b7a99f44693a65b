package objcsoft

import "fmt"

// Bytes copies n bytes from an address argument. A fault fails the call.
func (c *Call) Bytes(i int, n uint64) []byte {
	b, err := ReadMemory(c.Word(i), n)
	if err != nil {
		c.Fail(fmt.Errorf("argument %d: %w", i, err))
	}
	return b
}

// IDs copies a C array of n objects from an address argument. A fault fails the
// call, and so does an entry that is nil or no live object.
func (c *Call) IDs(i int, n uint64) []ID {
	words, err := ReadWords(c.Word(i), n)
	if err != nil {
		c.Fail(fmt.Errorf("argument %d: %w", i, err))
		return nil
	}
	ids := make([]ID, len(words))
	for j, w := range words {
		ids[j] = ID(w)
		if w == 0 {
			c.Raise(invalidArgumentException, "object %d of %d is nil", j, n)
			return nil
		}
		if _, err := c.RT.Object(ids[j]); err != nil {
			c.Fail(fmt.Errorf("argument %d, object %d: %w", i, j, err))
			return nil
		}
	}
	return ids
}

// CString copies the C string at an address argument. A fault fails the call.
func (c *Call) CString(i int) string {
	s, err := ReadCString(c.Word(i))
	if err != nil {
		c.Fail(fmt.Errorf("argument %d: %w", i, err))
	}
	return s
}

// Store writes words through an address argument, if it is not nil. A fault
// fails the call.
func (c *Call) Store(i int, words ...uintptr) {
	addr := c.Word(i)
	if addr == 0 {
		return
	}
	if err := WriteWords(addr, words...); err != nil {
		c.Fail(fmt.Errorf("argument %d: %w", i, err))
	}
}

// StoreBytes writes bytes through an address argument. A fault fails the call.
func (c *Call) StoreBytes(i int, b []byte) {
	if err := WriteMemory(c.Word(i), b); err != nil {
		c.Fail(fmt.Errorf("argument %d: %w", i, err))
	}
}

// StoreError gives an error that the method owns to the caller's pool and
// writes it through an NSError ** argument. With a nil argument it is released.
func (c *Call) StoreError(i int, id ID) {
	if c.Word(i) == 0 {
		if err := c.RT.Release(id); err != nil {
			c.Fail(err)
		}
		return
	}
	if err := c.RT.Autorelease(id); err != nil {
		c.Fail(err)
		return
	}
	c.Store(i, uintptr(id))
}
