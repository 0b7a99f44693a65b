package hook

// Both returns a hook that passes events to two hooks, first to a. Either may be nil. A [Sampler]
// among them gets only the events of the threadgroups that it wants.
func Both(a, b Hook) Hook {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return &both{a, b}
}

type both [2]Hook

// bothState has the states of a threadgroup.
type bothState struct {
	state [2]any
	on    [2]bool
}

func wants(h Hook, position [3]int) bool {
	s, ok := h.(Sampler)
	return !ok || s.Wants(position)
}

// Wants implements Sampler.
func (h *both) Wants(position [3]int) bool { return wants(h[0], position) || wants(h[1], position) }

// each calls f for the hooks that observe a threadgroup, with the group's state set to theirs.
func (h *both) each(g *Group, s *bothState, f func(Hook)) {
	for i := range h {
		if s.on[i] {
			g.State = s.state[i]
			f(h[i])
			s.state[i] = g.State
		}
	}
	g.State = s
}

// GroupBegin implements Hook.
func (h *both) GroupBegin(g *Group) {
	s := &bothState{}
	for i := range h {
		s.on[i] = wants(h[i], g.Position)
	}
	lean, texels := true, false
	h.each(g, s, func(h Hook) {
		g.Lean, g.Texels = false, false
		h.GroupBegin(g)
		lean, texels = lean && g.Lean, texels || g.Texels
	})
	g.Lean, g.Texels = lean, texels
}

// GroupEnd implements Hook.
func (h *both) GroupEnd(g *Group) { h.each(g, g.State.(*bothState), func(h Hook) { h.GroupEnd(g) }) }

// Instruction implements Hook.
func (h *both) Instruction(e *Event) {
	h.each(e.Group, e.Group.State.(*bothState), func(h Hook) { h.Instruction(e) })
}

// Load implements Hook.
func (h *both) Load(a *Access) {
	h.each(a.Group, a.Group.State.(*bothState), func(h Hook) { h.Load(a) })
}

// Store implements Hook.
func (h *both) Store(a *Access) {
	h.each(a.Group, a.Group.State.(*bothState), func(h Hook) { h.Store(a) })
}

// Atomic implements Hook.
func (h *both) Atomic(a *Access) {
	h.each(a.Group, a.Group.State.(*bothState), func(h Hook) { h.Atomic(a) })
}

// Barrier implements Hook.
func (h *both) Barrier(e []Event) {
	if len(e) > 0 {
		h.each(e[0].Group, e[0].Group.State.(*bothState), func(h Hook) { h.Barrier(e) })
	}
}

// Shuffle implements Hook.
func (h *both) Shuffle(s *Shuffle) {
	h.each(s.Group, s.Group.State.(*bothState), func(h Hook) { h.Shuffle(s) })
}

// Wrap implements Hook.
func (h *both) Wrap(w *Wrap) {
	h.each(w.Group, w.Group.State.(*bothState), func(h Hook) { h.Wrap(w) })
}

// Texel implements Hook.
func (h *both) Texel(t *Texel) {
	h.each(t.Group, t.Group.State.(*bothState), func(h Hook) { h.Texel(t) })
}

// Texels implements Hook.
func (h *both) Texels(t *Texels) {
	h.each(t.Group, t.Group.State.(*bothState), func(h Hook) { h.Texels(t) })
}

// Commands implements Hook.
func (h *both) Commands(c *Commands) {
	h.each(c.Group, c.Group.State.(*bothState), func(h Hook) { h.Commands(c) })
}
