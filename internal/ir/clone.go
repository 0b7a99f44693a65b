package ir

import "slices"

// Clone returns a copy of a function that can be rewritten without affecting the original. It
// belongs to the same module, but is not in the module's list of functions. Values keep their IDs.
func (f *Func) Clone() *Func {
	c := *f
	c.slab = slab{}
	c.Args, c.Constants, c.Inlined = slices.Clone(f.Args), slices.Clone(f.Constants), slices.Clone(f.Inlined)
	k := &Cloner{Func: &c, values: make([]*Value, f.nextValue), instrs: map[*Instr]*Instr{}, keepIDs: true}
	c.Body = k.Region(f.Body, nil)
	return &c
}

// Cloner copies regions, within one function or into another.
type Cloner struct {
	Func *Func // the function that owns the copies

	values  []*Value          // by ID of the original
	instrs  map[*Instr]*Instr // of loops and blocks
	keepIDs bool
}

// NewCloner returns a cloner of regions within a function.
func NewCloner(f *Func) *Cloner {
	return &Cloner{Func: f, values: make([]*Value, f.nextValue), instrs: map[*Instr]*Instr{}}
}

// Map makes copies use to instead of from.
func (c *Cloner) Map(from, to *Value) { c.values[from.ID] = to }

// Value returns the copy of a value, or the value itself if it has not been copied.
func (c *Cloner) Value(v *Value) *Value {
	if int(v.ID) < len(c.values) {
		if to := c.values[v.ID]; to != nil {
			return to
		}
	}
	return v
}

func (c *Cloner) value(v *Value) *Value {
	to := c.Func.newValue(v.Type)
	if c.keepIDs {
		c.Func.nextValue--
		to.ID = v.ID
	}
	to.Index = v.Index
	c.values[v.ID] = to
	return to
}

// Region copies a region. The copy's owner is owner.
func (c *Cloner) Region(r *Region, owner *Instr) *Region {
	to := &Region{Owner: owner, Instrs: make([]*Instr, 0, len(r.Instrs))}
	for _, p := range r.Params {
		v := c.value(p)
		v.Region = to
		to.Params = append(to.Params, v)
	}
	for _, in := range r.Instrs {
		to.Instrs = append(to.Instrs, c.Instr(in, to))
	}
	return to
}

// Instr copies an instruction with its regions. The copy's Parent is parent.
func (c *Cloner) Instr(in *Instr, parent *Region) *Instr {
	to := c.Func.slab.instr()
	*to = *in
	to.Parent = parent
	to.Args, to.Results, to.Regions = nil, nil, nil // an empty list may share spare capacity that both would append to
	if n := len(in.Args); n > 0 {
		to.Args = c.Func.slab.list(in.Args...)
		for i, a := range to.Args {
			to.Args[i] = c.Value(a)
		}
	}
	if t := c.instrs[in.Target]; in.Target != nil && t != nil {
		to.Target = t
	}
	if n := len(in.Results); n > 0 {
		to.Results = c.Func.slab.list(in.Results...)
		for i, r := range in.Results {
			v := c.value(r)
			v.Def = to
			to.Results[i] = v
		}
	}
	if len(in.Regions) > 0 {
		c.instrs[in] = to
		to.Regions = make([]*Region, len(in.Regions))
		for i, r := range in.Regions {
			to.Regions[i] = c.Region(r, to)
		}
	}
	return to
}
