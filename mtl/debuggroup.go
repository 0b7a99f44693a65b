package mtl

// debugGroups is how many debug groups are open; a nil one belongs to an object without memory.
type debugGroups int

// pushGroup opens a debug group of an encoder or a command buffer.
func pushGroup[E encoding](o E, c check, open *debugGroups, send func()) error {
	return encode(o, c, nil, func() {
		send()
		if open != nil {
			*open++
		}
	})
}

// popGroup closes the group opened last.
func popGroup[E encoding](o E, c check, open *debugGroups, send func()) error {
	return tryEncode(o, c, nil, func() error {
		if open != nil {
			if *open == 0 {
				return c.fail(ErrState, "no debug group is open")
			}
			*open--
		}
		send()
		return nil
	})
}
