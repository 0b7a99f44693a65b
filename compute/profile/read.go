package profile

import (
	"encoding/json"
	"fmt"

	"github.com/puremetal/puremetal/internal/document"
)

// traceReader reads a trace one event at a time. Decoding the file at once would hold all of it in
// memory, and an event of two bytes would become one of two hundred.
type traceReader struct {
	*json.Decoder
	left int // events that the trace may still have
}

// file reads a trace, and returns the profile in it, or nil.
func (r *traceReader) file() (p *Profile, err error) {
	err = r.object(func(key string) error {
		switch key {
		case "traceEvents":
			return r.list(func() error { return r.Decode(new(json.RawMessage)) })
		case profileKey:
			p, err = r.profile()
			return err
		}
		return r.Decode(new(json.RawMessage))
	})
	return p, err
}

// profile reads a profile.
func (r *traceReader) profile() (*Profile, error) {
	p, rest := new(Profile), map[string]json.RawMessage{}
	err := r.object(func(key string) error {
		switch key {
		case "commands":
			return events(r, &p.Commands)
		case "buffers":
			return events(r, &p.Buffers)
		case "compiles":
			return events(r, &p.Compiles)
		case "lookups":
			return events(r, &p.Lookups)
		case "transfers":
			return events(r, &p.Transfers)
		case "memory":
			return events(r, &p.Memory)
		case "operations":
			return events(r, &p.Operations)
		case "recoveries":
			return events(r, &p.Recoveries)
		}
		var value json.RawMessage
		err := r.Decode(&value)
		rest[key] = value
		return err
	})
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(rest)
	if err != nil {
		return nil, err
	}
	return p, document.Trace.JSON(text, p)
}

// events reads a list of events.
func events[T any](r *traceReader, to *[]T) error {
	return r.list(func() error {
		if r.left--; r.left < 0 {
			return document.Trace.Structure(0, document.Trace.Values+1)
		}
		var e T
		err := r.Decode(&e)
		*to = append(*to, e)
		return err
	})
}

// object calls member for each member of an object, which reads its value.
func (r *traceReader) object(member func(key string) error) error {
	if err := r.want('{'); err != nil {
		return err
	}
	for r.More() {
		key, err := r.Token()
		if err != nil {
			return err
		}
		if err := member(key.(string)); err != nil {
			return err
		}
	}
	return r.want('}')
}

// list calls element for each element of a list, which reads it. The list may be null.
func (r *traceReader) list(element func() error) error {
	t, err := r.Token()
	if err != nil || t == nil {
		return err
	}
	if t != json.Delim('[') {
		return fmt.Errorf("%v instead of a list", t)
	}
	for r.More() {
		if err := element(); err != nil {
			return err
		}
	}
	return r.want(']')
}

// want reads a bracket.
func (r *traceReader) want(bracket json.Delim) error {
	t, err := r.Token()
	if err == nil && t != bracket {
		err = fmt.Errorf("%v instead of %v", t, bracket)
	}
	return err
}
