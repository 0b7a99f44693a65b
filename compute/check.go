package compute

// A handle is missing if it is nil or the zero value of its type, which no constructor made. Every
// exported method and function asks its handles before it uses them.

// isMissing reports whether a value is a missing handle.
func isMissing(v any) bool {
	h, ok := v.(interface{ missing() bool })
	return ok && h.missing()
}

func (a *Accelerator) missing() bool  { return a == nil || a.log == nil }
func (b *Buffer[T]) missing() bool    { return b == nil || b.owner.Mem == nil }
func (c *Commands) missing() bool     { return c == nil || c.acc == nil }
func (e *Event) missing() bool        { return e == nil || e.acc == nil }
func (g *Graph) missing() bool        { return g == nil || g.acc == nil }
func (g *StreamGroup) missing() bool  { return g == nil || g.ctx == nil }
func (i *Instance) missing() bool     { return i == nil || i.acc == nil }
func (k *Kernel) missing() bool       { return k == nil || k.acc == nil }
func (l *Launch) missing() bool       { return l == nil || l.kernel == nil }
func (t *LaunchTree) missing() bool   { return t == nil || t.acc == nil }
func (p *Program) missing() bool      { return p == nil || p.acc == nil }
func (s *Sampler) missing() bool      { return s == nil || s.acc == nil }
func (s *Stream) missing() bool       { return s == nil || s.acc == nil }
func (g *TaskGraph) missing() bool    { return g == nil || g.acc == nil }
func (r *TaskRun) missing() bool      { return r == nil || r.acc == nil }
func (t *Texture[T]) missing() bool   { return t == nil || t.surface.mem == nil }
func (r *TreeRun) missing() bool      { return r == nil || r.run == nil }
func (q *WorkQueue[T]) missing() bool { return q == nil || q.acc == nil }
