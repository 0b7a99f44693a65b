package compute

// A handle is missing if it is nil or the zero value of its type, which no constructor made. Every
// exported method and function asks its handles before it uses them.

// isMissing reports whether a value is a missing handle.
func isMissing(v any) bool {
	h, ok := v.(interface{ missing() bool })
	return ok && h.missing()
}

func (a *Accelerator) missing() bool { return a == nil || a.log == nil }
func (b *Buffer[T]) missing() bool   { return b == nil || b.owner.Mem == nil }

func (e *Event) missing() bool { return e == nil || e.acc == nil }

func (g *StreamGroup) missing() bool { return g == nil || g.ctx == nil }

func (k *Kernel) missing() bool { return k == nil || k.acc == nil }
func (l *Launch) missing() bool { return l == nil || l.kernel == nil }

func (p *Program) missing() bool { return p == nil || p.acc == nil }
func (s *Sampler) missing() bool { return s == nil || s.acc == nil }
func (s *Stream) missing() bool  { return s == nil || s.acc == nil }

func (t *Texture[T]) missing() bool { return t == nil || t.surface.mem == nil }
