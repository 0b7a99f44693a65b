package objcsoft

import "sync"

// Sel is an interned selector; 0 is no selector. Inside a message it is the
// word of a `:` argument.
type Sel uint32

// selectors interns names. A reader holds the lock for one lookup; callers that care about speed
// keep the Sel.
type selectors struct {
	mu    sync.RWMutex
	byKey map[string]Sel
	names []string
}

// Sel interns a selector's name. The empty name is 0.
func (rt *Runtime) Sel(name string) Sel {
	s := &rt.selectors
	s.mu.RLock()
	sel, ok := s.byKey[name]
	s.mu.RUnlock()
	if ok {
		return sel
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if sel, ok := s.byKey[name]; ok {
		return sel
	}
	sel = Sel(len(s.names))
	s.names = append(s.names, name)
	s.byKey[name] = sel
	return sel
}

// SelName returns the name of an interned selector, or "" for one not from this runtime.
func (rt *Runtime) SelName(sel Sel) string {
	s := &rt.selectors
	s.mu.RLock()
	defer s.mu.RUnlock()
	if int64(sel) < int64(len(s.names)) {
		return s.names[sel]
	}
	return ""
}
