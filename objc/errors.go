package objc

import "fmt"

// Error is an NSError as a Go error.
type Error struct {
	Domain      string // "MTLLibraryErrorDomain"
	Code        int
	Description string // localized
	Reason      string // localized; may be empty
	Underlying  error  // the error that caused this one; may be nil
}

// Error returns the description, the reason if there is one, the domain and the code.
func (e *Error) Error() string {
	text := e.Description
	if e.Reason != "" {
		text += ": " + e.Reason
	}
	return fmt.Sprintf("%s (%s %d)", text, e.Domain, e.Code)
}

// Unwrap returns the underlying error.
func (e *Error) Unwrap() error { return e.Underlying }

// Is reports whether target is an *Error with the same domain and code, so that errors.Is matches
// an error by its code whatever its text.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Domain == e.Domain && t.Code == e.Code
}

// underlyingErrorKey is the key of the underlying error in an NSError's user info.
var underlyingErrorKey = Constant{Name: "NSUnderlyingErrorKey", Framework: "Foundation"}

var localizedDescriptionKey = Constant{Name: "NSLocalizedDescriptionKey", Framework: "Foundation"}

// maxErrorDepth limits how many underlying errors are followed.
const maxErrorDepth = 16

// ErrorFrom returns a copy of an NSError as an *[Error]. For a nil ID it returns nil.
func ErrorFrom(id ID) error {
	if id == 0 {
		return nil
	}
	p := pushPool()
	defer p.drain()
	return errorFrom(id, maxErrorDepth)
}

func errorFrom(id ID, depth int) error {
	e := &Error{
		Domain:      fn(fnErrorDomain).CallString(id),
		Code:        int(fn(fnErrorCode).Call(id)),
		Description: fn(fnErrorDescription).CallString(id),
		Reason:      fn(fnErrorReason).CallString(id),
	}
	if key, err := underlyingErrorKey.ID(); err == nil && depth > 0 {
		info := ID(fn(fnErrorUserInfo).Call(id))
		if cause := ID(fn(fnDictionaryObject).Call(info, uintptr(key))); cause != 0 {
			e.Underlying = errorFrom(cause, depth-1)
		}
	}
	return e
}

// NewError returns an NSError, +1. The description and the underlying error, which may be nil, go
// into its user info.
func NewError(e *Error) ID {
	info := map[string]ID{}
	defer func() {
		for _, v := range info {
			Release(v)
		}
	}()
	if key, err := localizedDescriptionKey.String(); err == nil && e.Description != "" {
		info[key] = NewString(e.Description)
	}
	if cause, ok := e.Underlying.(*Error); ok {
		if key, err := underlyingErrorKey.String(); err == nil {
			info[key] = NewError(cause)
		}
	}
	domain, dict := NewString(e.Domain), NewMap(info, func(id ID) ID { return id })
	defer Release(domain)
	defer Release(dict)
	return build(&classError, fnErrorInit, uintptr(domain), uintptr(e.Code), uintptr(dict))
}
