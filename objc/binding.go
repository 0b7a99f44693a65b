package objc

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/typeenc"
)

// maxWords is the maximum number of argument words after _cmd.
const maxWords = 24

// binding is a Method resolved for the driver in use. It is immutable once published.
type binding struct {
	words     int  // argument words after _cmd
	retObject bool // the result is an object or a class

	soft *objcsoft.Runtime // nil with Apple's driver
	sel  objcsoft.Sel
	enc  objcsoft.Enc

	apple appleBinding
}

// bind resolves the method. Concurrent calls may resolve it twice, with the same result.
func (m *Method) bind() (*binding, error) {
	if b := m.bound.Load(); b != nil {
		return b, nil
	}
	d, err := current()
	if err != nil {
		return nil, err
	}
	sig, err := typeenc.ParseMethod(m.Encoding)
	if err != nil {
		return nil, fmt.Errorf("encoding %q: %w", m.Encoding, err)
	}
	b := &binding{retObject: isObject(sig.Ret.Kind), words: argWords(sig.Args[2:])}
	if b.words > maxWords {
		return nil, fmt.Errorf("encoding %q: %d argument words exceed the limit of %d: %w", m.Encoding, b.words, maxWords,
			ErrArguments)
	}
	if d.soft != nil {
		b.soft = d.soft
		b.sel = d.soft.Sel(m.Selector)
		b.enc, err = d.soft.Encoding(m.Encoding)
	} else {
		b.apple, err = d.apple.bind(m, sig)
	}
	if err != nil {
		return nil, err
	}
	m.bound.Store(b)
	return b, nil
}

// argWords returns how many words arguments of these types take.
func argWords(args []typeenc.Type) int {
	n := 0
	for _, a := range args {
		n += typeenc.Words(a)
	}
	return n
}

func isObject(k typeenc.Kind) bool {
	return k == typeenc.Object || k == typeenc.Class || k == typeenc.Block
}

func (b *binding) wrongWords(m *Method, args []uintptr) error {
	return fmt.Errorf("%d argument words given, %q takes %d: %w", len(args), m.Encoding, b.words, ErrArguments)
}

// responds reports whether recv responds to the method's selector.
func (b *binding) responds(recv ID) (bool, error) {
	if b.soft != nil {
		if _, err := b.soft.Object(objcsoft.ID(recv)); err != nil {
			return false, err
		}
		return b.soft.RespondsTo(objcsoft.ID(recv), b.sel), nil
	}
	return b.apple.responds(recv)
}
