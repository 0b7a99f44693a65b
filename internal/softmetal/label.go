package softmetal

import (
	"sync"

	"github.com/puremetal/puremetal/internal/objcsoft"
)

// label is the name that a program gives an object for people.
type label struct {
	labelLock sync.Mutex
	labelText string
}

func (l *label) labelled() *label { return l }

// text returns the label, "" for none.
func (l *label) text() string {
	l.labelLock.Lock()
	defer l.labelLock.Unlock()
	return l.labelText
}

// withReadOnlyLabel adds the property, which descriptors set, to the methods of a class whose payload embeds a label.
func withReadOnlyLabel[T interface{ labelled() *label }](m methods) methods {
	m["label"] = on(func(s T, c *objcsoft.Call) {
		if t := s.labelled().text(); t != "" {
			c.ReturnAutoreleased(c.RT.NewString(t))
		}
	})
	return m
}

// withLabel adds the property to the methods of a class whose payload embeds a label.
func withLabel[T interface{ labelled() *label }](m methods) methods {
	m = withReadOnlyLabel[T](m)
	m["setLabel:"] = on(func(s T, c *objcsoft.Call) {
		t, err := c.RT.GoString(c.ID(0))
		if err != nil {
			c.Fail(err)
			return
		}
		l := s.labelled()
		l.labelLock.Lock()
		l.labelText = t
		l.labelLock.Unlock()
	})
	return m
}
