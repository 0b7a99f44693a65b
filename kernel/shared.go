package kernel

import "reflect"

// object is one in the shared memory of a threadgroup.
type object struct {
	value any // a pointer or a slice
	site  site
}

// Shared returns an object in the memory of the thread's threadgroup, which is zero when the
// threadgroup begins. All its threads get the same object: the first call of each returns one, the
// second call another one, and so on. All must therefore make the same calls in the same order,
// though a thread may return before. A call may not be repeated in a loop.
//
// A threadgroup has 32 KiB of shared memory.
//
//go:noinline
func Shared[T any](t *Thread) *T {
	return t.running().object(reflect.TypeFor[*T](), false, func(int) any { return new(T) }).(*T)
}

// SharedSlice is like [Shared], but returns a slice. [Run] gets the lengths: the first for the
// first call, and so on.
//
//go:noinline
func SharedSlice[T any](t *Thread) []T {
	return t.running().object(reflect.TypeFor[[]T](), true, func(n int) any { return make([]T, n) }).([]T)
}

// object returns the object of the thread's next call, a pointer or a slice, which it creates
// unless another thread has called before.
func (f *fiber) object(typ reflect.Type, slice bool, create func(n int) any) any {
	f.site.stack = callers(&f.site.pcs, root.known())
	g := f.group
	g.lock()
	defer g.unlock()
	i := f.objects
	f.objects++
	for _, o := range g.shared[:min(i, len(g.shared))] {
		if o.site.stack == f.site.stack {
			f.stop("shared memory is requested twice at this place; request it once, before the loop")
		}
	}
	if i == len(g.shared) {
		n := 1
		if slice {
			if g.sliced == len(g.launch.slices) {
				f.stop("shared slice %d has no length; Run has lengths of %d", g.sliced, len(g.launch.slices))
			}
			n = g.launch.slices[g.sliced]
		}
		size := typ.Elem().Size()
		if size > maxSharedBytes || g.bytes+n*int(size) > maxSharedBytes {
			f.stop("%d bytes of shared memory for %d of %v exceed the limit %d of a threadgroup, of which %d are in use",
				uint64(n)*uint64(size), n, typ.Elem(), maxSharedBytes, g.bytes)
		}
		g.bytes += n * int(size)
		if slice {
			g.sliced++
		}
		g.shared = append(g.shared, object{create(n), f.site})
	}
	o := &g.shared[i]
	if o.site.stack != f.site.stack {
		f.stop("shared object %d of the thread would be of type %v; another thread requested it at %s as %T; all "+
			"threads must make the same calls in the same order", i, typ, o.site.where(), o.value)
	}
	return o.value
}
