package mtl

// encoding is an encoder or a command buffer: begin checks that it takes messages, and keeps it so
// until end.
type encoding interface {
	begin(check) error
	end()
}

// encode sends a message to an encoder or a command buffer that takes it. err is what the checks
// before it found.
func encode[E encoding](o E, c check, err error, send func()) error {
	return tryEncode(o, c, err, func() error {
		send()
		return nil
	})
}

// tryEncode is encode where what is checked last depends on what has been encoded, or the message
// is not in every macOS.
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
