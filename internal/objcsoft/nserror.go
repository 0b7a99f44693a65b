package objcsoft

import "fmt"

// errorValue is the payload of an NSError. It owns its user info.
type errorValue struct {
	domain   string
	code     int64
	userInfo ID // an NSDictionary, or nil
}

// Keys of an NSError's user info; the constants of these names have them as values.
const (
	localizedDescriptionKey = "NSLocalizedDescription"
	localizedFailureReason  = "NSLocalizedFailureReason"
	underlyingErrorKey      = "NSUnderlyingError"
)

// errorConstants are the exported constants and their values.
var errorConstants = [...][2]string{
	{"NSCocoaErrorDomain", "NSCocoaErrorDomain"},
	{"NSPOSIXErrorDomain", "NSPOSIXErrorDomain"},
	{"NSOSStatusErrorDomain", "NSOSStatusErrorDomain"},
	{"NSMachErrorDomain", "NSMachErrorDomain"},
	{"NSLocalizedDescriptionKey", localizedDescriptionKey},
	{"NSLocalizedFailureReasonErrorKey", localizedFailureReason},
	{"NSLocalizedRecoverySuggestionErrorKey", "NSLocalizedRecoverySuggestion"},
	{"NSLocalizedRecoveryOptionsErrorKey", "NSLocalizedRecoveryOptions"},
	{"NSLocalizedFailureErrorKey", "NSLocalizedFailure"},
	{"NSRecoveryAttempterErrorKey", "NSRecoveryAttempter"},
	{"NSHelpAnchorErrorKey", "NSHelpAnchor"},
	{"NSDebugDescriptionErrorKey", "NSDebugDescription"},
	{"NSUnderlyingErrorKey", underlyingErrorKey},
	{"NSMultipleUnderlyingErrorsKey", "NSMultipleUnderlyingErrorsKey"},
	{"NSFilePathErrorKey", "NSFilePath"},
	{"NSStringEncodingErrorKey", "NSStringEncoding"},
}

func nsError() ClassSpec {
	info := func(key string) Imp {
		return func(c *Call) { c.ReturnID(c.selfError().info(c.RT, key)) }
	}
	return ClassSpec{
		Name:      "NSError",
		Framework: foundationName,
		Protocols: []string{"NSCopying", "NSSecureCoding"},
		Methods: []MethodSpec{
			{"initWithDomain:code:userInfo:", "@@:@q@", func(c *Call) {
				e := c.errorArgs()
				if e == nil {
					c.initFailed()
					return
				}
				c.initialize(e)
				if c.Failed() {
					c.release(e.userInfo)
				}
			}},
			{"domain", "@@:", func(c *Call) { c.returnString(c.selfError().domain) }},
			{"code", "q@:", func(c *Call) { c.ReturnInt(c.selfError().code) }},
			{"userInfo", "@@:", func(c *Call) {
				if e := c.selfError(); e.userInfo != 0 {
					c.ReturnShared(e.userInfo)
				} else {
					c.returnDictionary(nil, nil)
				}
			}},
			{"localizedDescription", "@@:", func(c *Call) {
				e := c.selfError()
				if id := e.info(c.RT, localizedDescriptionKey); id != 0 {
					c.ReturnShared(id)
				} else {
					c.returnString(e.text(c.RT))
				}
			}},
			{"localizedFailureReason", "@@:", info(localizedFailureReason)},
			{"localizedRecoverySuggestion", "@@:", info("NSLocalizedRecoverySuggestion")},
			{"localizedRecoveryOptions", "@@:", info("NSLocalizedRecoveryOptions")},
			{"recoveryAttempter", "@@:", info("NSRecoveryAttempter")},
			{"helpAnchor", "@@:", info("NSHelpAnchor")},
			{"underlyingErrors", "@@:", func(c *Call) {
				e := c.selfError()
				var ids []ID
				if a := arrayOf(c.RT.table.get(e.info(c.RT, "NSMultipleUnderlyingErrorsKey"))); a != nil {
					ids = a.snapshot()
				}
				if id := e.info(c.RT, underlyingErrorKey); id != 0 {
					ids = append([]ID{id}, ids...)
				}
				c.returnArray(ids)
			}},
			{"isEqual:", "B@:@", func(c *Call) {
				e, f := c.selfError(), errorOf(c.RT.table.get(c.ID(0)))
				c.ReturnBool(f != nil && e.domain == f.domain && e.code == f.code && c.equal(e.userInfo, f.userInfo))
			}},
			{"hash", "Q@:", func(c *Call) {
				e := c.selfError()
				c.ReturnUint(newString(e.domain).hash() ^ uint64(e.code))
			}},
			{"description", "@@:", func(c *Call) {
				e := c.selfError()
				c.returnString(fmt.Sprintf("Error Domain=%s Code=%d %q", e.domain, e.code, e.text(c.RT)))
			}},
			{"copyWithZone:", "@@:^{_NSZone=}", func(c *Call) { c.ReturnRetained(c.Self.id) }},
		},
		ClassMethods: []MethodSpec{
			{"errorWithDomain:code:userInfo:", "@@:@q@", func(c *Call) {
				if e := c.errorArgs(); e != nil {
					c.ReturnAutoreleased(c.RT.NewObject(c.RT.foundation.err, e))
				}
			}},
		},
		Dealloc: func(o *Object) {
			if e, ok := o.Payload.(*errorValue); ok {
				o.Drop(e.userInfo)
			}
		},
	}
}

func errorOf(o *Object) *errorValue {
	if o == nil {
		return nil
	}
	e, _ := o.Payload.(*errorValue)
	return e
}

func (c *Call) selfError() *errorValue {
	if e := errorOf(c.Self); e != nil {
		return e
	}
	return &errorValue{}
}

// errorArgs reads domain, code and user info.
func (c *Call) errorArgs() *errorValue {
	domain := c.stringArg(0)
	info := c.Object(2)
	if domain == nil || c.Failed() {
		return nil
	}
	if info != nil && dictionaryOf(info) == nil {
		c.Raise(invalidArgumentException, "the user info is %s, not a dictionary", className(info))
		return nil
	}
	e := &errorValue{domain: domain.goString(), code: c.Int(1)}
	if info != nil {
		copied, err := c.RT.Message(info.id, "copy", "@@:")
		if err != nil {
			c.Fail(err)
			return nil
		}
		e.userInfo = ID(copied)
	}
	return e
}

// info returns an entry of the user info, nil without one.
func (e *errorValue) info(rt *Runtime, key string) ID {
	d := dictionaryOf(rt.table.get(e.userInfo))
	if d == nil {
		return 0
	}
	wanted := newString(key)
	found, _, _ := d.candidates(wanted.hash())
	for _, entry := range found {
		if v := stringOf(rt.table.get(entry.key)); v != nil && v.equal(wanted) {
			return entry.value
		}
	}
	return 0
}

// text is the localized description.
func (e *errorValue) text(rt *Runtime) string {
	if v := stringOf(rt.table.get(e.info(rt, localizedDescriptionKey))); v != nil {
		return v.goString()
	}
	base := "The operation couldn’t be completed."
	if v := stringOf(rt.table.get(e.info(rt, localizedFailureReason))); v != nil {
		return base + " " + v.goString()
	}
	return fmt.Sprintf("%s (%s error %d.)", base, e.domain, e.code)
}

// NewError makes an NSError with a count of one. An empty description and a nil underlying error
// are omitted; the underlying error is retained.
func (rt *Runtime) NewError(domain string, code int64, description string, underlying ID) ID {
	info := map[string]ID{}
	if description != "" {
		text := rt.NewString(description)
		defer rt.mustRelease(text)
		info[localizedDescriptionKey] = text
	}
	if underlying != 0 {
		info[underlyingErrorKey] = underlying
	}
	return rt.NewErrorInfo(domain, code, info)
}

// NewErrorInfo makes an NSError with a count of one and the given user info, whose values are
// retained. Values that are nil or not live objects are omitted, so that the error being reported
// is not lost to another one.
func (rt *Runtime) NewErrorInfo(domain string, code int64, info map[string]ID) ID {
	e := &errorValue{domain: validUTF8(domain), code: code}
	live := make(map[string]ID, len(info))
	for key, id := range info {
		if rt.IsLive(id) {
			live[key] = id
		}
	}
	if len(live) > 0 {
		e.userInfo, _ = rt.NewDictionary(live) // nil if an object dies in the meantime
	}
	return rt.NewObject(rt.foundation.err, e)
}

// ErrorInfo returns the contents of an NSError; ok is false if id is not one. The underlying error
// is returned at +0.
func (rt *Runtime) ErrorInfo(id ID) (domain string, code int64, description string, underlying ID, ok bool) {
	e := errorOf(rt.table.get(id))
	if e == nil {
		return "", 0, "", 0, false
	}
	return e.domain, e.code, e.text(rt), e.info(rt, underlyingErrorKey), true
}
