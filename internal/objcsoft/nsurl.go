package objcsoft

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// urlValue is the payload of an NSURL.
type urlValue struct {
	text string // as absoluteString gives it
	url  *url.URL
}

func parseURL(text string) *urlValue {
	if text == "" {
		return nil
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil
	}
	return &urlValue{text, u}
}

// fileURL makes the URL of a path, which becomes absolute. isDir says whether it
// ends in a slash.
func fileURL(path string, isDir bool) *urlValue {
	if path == "" {
		return nil
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") { // C:/dir
		path = "/" + path
	}
	if isDir && !strings.HasSuffix(path, "/") {
		path += "/"
	}
	u := &url.URL{Scheme: "file", Path: path}
	return &urlValue{u.String(), u}
}

func looksLikeDirectory(path string) bool {
	if strings.HasSuffix(path, "/") {
		return true
	}
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func (u *urlValue) isFile() bool { return strings.EqualFold(u.url.Scheme, "file") }

// path returns the path without a trailing slash, and without the slash before a drive.
func (u *urlValue) path() string {
	p := u.url.Path
	if len(p) > 1 {
		p = strings.TrimSuffix(p, "/")
	}
	if u.isFile() && len(p) > 2 && p[0] == '/' && p[2] == ':' && filepath.VolumeName(p[1:]) != "" {
		p = p[1:]
	}
	return p
}

// with returns the URL with another path.
func (u *urlValue) with(path string, isDir bool) *urlValue {
	next := *u.url
	next.RawPath = ""
	next.Path = path
	if isDir && !strings.HasSuffix(path, "/") {
		next.Path += "/"
	}
	return &urlValue{next.String(), &next}
}

func nsURL() ClassSpec {
	part := func(f func(u *urlValue) string) Imp { // nil when empty
		return func(c *Call) {
			if s := f(c.selfURL()); s != "" {
				c.returnString(s)
			}
		}
	}
	edit := func(f func(path string) string) Imp {
		return func(c *Call) {
			u := c.selfURL()
			c.returnURL(u.with(f(u.url.Path), false))
		}
	}
	deleteLast := func(c *Call) {
		u := c.selfURL()
		c.returnURL(u.with(deleteLastComponent(u.url.Path), true))
	}
	return ClassSpec{
		Name:      "NSURL",
		Framework: foundationName,
		Protocols: []string{"NSCopying", "NSSecureCoding"},
		Methods: []MethodSpec{
			{"initWithString:", "@@:@", func(c *Call) { initURL(c, c.urlArg()) }},
			{"initFileURLWithPath:", "@@:@", func(c *Call) { initURL(c, c.fileArg()) }},
			{"initFileURLWithPath:isDirectory:", "@@:@B", func(c *Call) { initURL(c, c.fileArg(c.Bool(1))) }},
			{"absoluteString", "@@:", func(c *Call) { c.returnString(c.selfURL().text) }},
			{"relativeString", "@@:", func(c *Call) { c.returnString(c.selfURL().text) }},
			{"absoluteURL", "@@:", func(c *Call) { c.ReturnShared(c.Self.id) }},
			{"baseURL", "@@:", func(c *Call) { c.ReturnID(0) }},
			{"path", "@@:", part((*urlValue).path)},
			{"relativePath", "@@:", part((*urlValue).path)},
			{"scheme", "@@:", part(func(u *urlValue) string { return u.url.Scheme })},
			{"host", "@@:", part(func(u *urlValue) string { return u.url.Hostname() })},
			{"user", "@@:", part(func(u *urlValue) string { return u.url.User.Username() })},
			{"password", "@@:", part(func(u *urlValue) string { p, _ := u.url.User.Password(); return p })},
			{"query", "@@:", part(func(u *urlValue) string { return u.url.RawQuery })},
			{"fragment", "@@:", part(func(u *urlValue) string { return u.url.Fragment })},
			{"port", "@@:", func(c *Call) {
				if n := leadingInt(c.selfURL().url.Port()); n > 0 {
					c.ReturnAutoreleased(c.RT.NewInt(n))
				}
			}},
			{"isFileURL", "B@:", func(c *Call) { c.ReturnBool(c.selfURL().isFile()) }},
			{"hasDirectoryPath", "B@:", func(c *Call) { c.ReturnBool(strings.HasSuffix(c.selfURL().url.Path, "/")) }},
			{"fileSystemRepresentation", "r*@:", func(c *Call) {
				// The C string belongs to a string in the caller's pool.
				v := newString(c.selfURL().path())
				c.returnStringValue(v)
				c.Return(v.cString())
			}},
			{"lastPathComponent", "@@:", func(c *Call) { c.returnString(lastComponent(c.selfURL().url.Path)) }},
			{"pathExtension", "@@:", func(c *Call) { c.returnString(pathExtension(c.selfURL().url.Path)) }},
			{"URLByAppendingPathComponent:", "@@:@", func(c *Call) {
				if w := c.stringArg(0); w != nil {
					u := c.selfURL()
					c.returnURL(u.with(appendComponent(u.url.Path, w.goString()), false))
				}
			}},
			{"URLByAppendingPathComponent:isDirectory:", "@@:@B", func(c *Call) {
				if w := c.stringArg(0); w != nil {
					u := c.selfURL()
					c.returnURL(u.with(appendComponent(u.url.Path, w.goString()), c.Bool(1)))
				}
			}},
			{"URLByAppendingPathExtension:", "@@:@", func(c *Call) {
				if w := c.stringArg(0); w != nil {
					u := c.selfURL()
					c.returnURL(u.with(strings.TrimRight(u.url.Path, "/")+"."+w.goString(), false))
				}
			}},
			{"URLByDeletingLastPathComponent", "@@:", deleteLast},
			{"URLByDeletingPathExtension", "@@:", edit(deleteExtension)},
			{"isEqual:", "B@:@", func(c *Call) {
				u := urlOf(c.RT.table.get(c.ID(0)))
				c.ReturnBool(u != nil && u.text == c.selfURL().text)
			}},
			{"hash", "Q@:", func(c *Call) { c.ReturnUint(newString(c.selfURL().text).hash()) }},
			{"description", "@@:", func(c *Call) { c.returnString(c.selfURL().text) }},
			{"copyWithZone:", "@@:^{_NSZone=}", func(c *Call) { c.ReturnRetained(c.Self.id) }},
		},
		ClassMethods: []MethodSpec{
			{"URLWithString:", "@@:@", func(c *Call) { c.returnURL(c.urlArg()) }},
			{"fileURLWithPath:", "@@:@", func(c *Call) { c.returnURL(c.fileArg()) }},
			{"fileURLWithPath:isDirectory:", "@@:@B", func(c *Call) { c.returnURL(c.fileArg(c.Bool(1))) }},
		},
	}
}

func urlOf(o *Object) *urlValue {
	if o == nil {
		return nil
	}
	u, _ := o.Payload.(*urlValue)
	return u
}

func (c *Call) selfURL() *urlValue {
	if u := urlOf(c.Self); u != nil {
		return u
	}
	return &urlValue{"", new(url.URL)}
}

func (c *Call) urlArg() *urlValue {
	if s := c.stringArg(0); s != nil {
		return parseURL(s.goString())
	}
	return nil
}

// fileArg reads the path of argument 0. Without isDir, it checks the disk.
func (c *Call) fileArg(isDir ...bool) *urlValue {
	s := c.stringArg(0)
	if s == nil {
		return nil
	}
	path := s.goString()
	if len(isDir) == 0 {
		return fileURL(path, looksLikeDirectory(path))
	}
	return fileURL(path, isDir[0])
}

func initURL(c *Call, u *urlValue) {
	if u == nil || c.Failed() {
		c.initFailed()
		return
	}
	c.initialize(u)
}

func (c *Call) returnURL(u *urlValue) {
	if u == nil || c.Failed() {
		c.ReturnID(0)
		return
	}
	c.ReturnAutoreleased(c.RT.NewObject(c.RT.foundation.url, u))
}

// NewFileURL makes an NSURL of a path with a count of one, 0 for an empty path.
func (rt *Runtime) NewFileURL(path string) ID {
	u := fileURL(path, looksLikeDirectory(path))
	if u == nil {
		return 0
	}
	return rt.NewObject(rt.foundation.url, u)
}

// NewURL makes an NSURL with a count of one, or 0 if text is not a URL.
func (rt *Runtime) NewURL(text string) ID {
	u := parseURL(text)
	if u == nil {
		return 0
	}
	return rt.NewObject(rt.foundation.url, u)
}
