package mtl

// encoding is an encoder or a command buffer. begin checks that it accepts messages, and it stays
// so until end.
type encoding interface {
	begin(check) error
	end()
}

// encode sends a message to an encoder or a command buffer that accepts it. err is the result of
// earlier checks.
func encode[E encoding](o E, c check, err error, send func()) error {
	return tryEncode(o, c, err, func() error {
		send()
		return nil
	})
}

// tryEncode is encode for a message whose last check depends on what has been encoded, or that not
// every macOS has.
func tryEncode[E encoding](o E, c check, err error, send func() error) error {
	if err == nil {
		err = o.begin(c)
	}
	if err != nil {
		return err
	}
	defer o.end()
	return send()
}
