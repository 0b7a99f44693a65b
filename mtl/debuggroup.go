package mtl

// debugGroups counts open debug groups. A nil pointer belongs to an object whose state is unknown.
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

// popGroup closes the innermost open group.
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
