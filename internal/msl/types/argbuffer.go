package types

// ArgumentIDs returns how many argument-buffer ids an object takes: one for a scalar, vector,
// matrix, pointer, texture or sampler; for an array or struct, the total of its parts, including
// gaps left by [[id(n)]].
func ArgumentIDs(t Type) int {
	switch t := t.(type) {
	case *Array:
		if n := ArgumentIDs(t.Elem); t.Len > 0 && n <= MaxSize/t.Len {
			return t.Len * n
		} else if t.Len > 0 {
			return MaxSize
		}
		return 0
	case *Struct:
		return t.ids
	}
	return 1
}

// ArgumentID returns the id of a member, relative to the id of the struct: the n of [[id(n)]], or
// one more than the highest id of the preceding members. Members of a union start at the same id.
func (s *Struct) ArgumentID(field int) int {
	next := 0
	for i := range s.Fields {
		f := &s.Fields[i]
		at := next
		if f.ID > 0 {
			at = f.ID - 1
		}
		if i == field {
			return at
		}
		if s.Kind != UnionRecord {
			next = max(next, at+ArgumentIDs(f.Type.Type))
		}
	}
	return next
}

// IsArgumentBuffer reports whether a struct contains something that only an argument buffer can: a
// pointer, texture, sampler or other handle, or a member with [[id(n)]], at any depth.
func (s *Struct) IsArgumentBuffer() bool { return s.handles }

// holdsHandles reports whether an object of type t makes the enclosing struct an argument buffer.
func holdsHandles(t Type) bool {
	switch t := t.(type) {
	case *Array:
		return holdsHandles(t.Elem)
	case *Struct:
		return t.handles
	case *Pointer, *Reference, *Texture, *Opaque:
		return true
	}
	return false
}

// number counts the ids of the members, whose types are complete.
func (s *Struct) number() {
	next := 0
	for i := range s.Fields {
		f := &s.Fields[i]
		at := next
		if s.Kind == UnionRecord {
			at = 0
		}
		if f.ID > 0 {
			at = f.ID - 1
		}
		next = min(max(next, at+ArgumentIDs(f.Type.Type)), MaxSize)
		s.handles = s.handles || f.ID > 0 || holdsHandles(f.Type.Type)
	}
	s.ids = next
}
