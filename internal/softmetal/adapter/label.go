package adapter

import (
	"sync"

	"github.com/puremetal/puremetal/internal/objcsoft"
)

// Label is the name that a program gives an object for debugging. Payloads embed it.
type Label struct {
	mu   sync.Mutex
	name string
}

// Labeled returns the label of a payload that embeds one.
func (l *Label) Labeled() *Label { return l }

// Text returns the label, "" for none.
func (l *Label) Text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.name
}

// SetText sets the label.
func (l *Label) SetText(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.name = text
}

// Labeled is a payload that embeds a label.
type Labeled interface{ Labeled() *Label }

// WithReadOnlyLabel adds the getter of the property to the methods of a class: its descriptor sets
// the label.
func WithReadOnlyLabel[T Labeled](m Methods) Methods {
	m["label"] = Method(func(s T, c *objcsoft.Call) {
		if t := s.Labeled().Text(); t != "" {
			c.ReturnAutoreleased(c.RT.NewString(t))
		}
	})
	return m
}

// WithLabel adds the property to the methods of a class.
func WithLabel[T Labeled](m Methods) Methods {
	m = WithReadOnlyLabel[T](m)
	m["setLabel:"] = Method(func(s T, c *objcsoft.Call) {
		t, err := c.RT.GoString(c.ID(0))
		if err != nil {
			c.Fail(err)
			return
		}
		s.Labeled().SetText(t)
	})
	return m
}
