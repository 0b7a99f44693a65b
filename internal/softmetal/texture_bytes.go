package softmetal

import (
	"math/bits"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
)

// region is a part of one level of one slice.
type region struct {
	origin, size [3]uint64
	level, slice uint64
}

func regionOf(w []uintptr) region {
	return region{origin: [3]uint64{uint64(w[0]), uint64(w[1]), uint64(w[2])}, size: [3]uint64{uint64(w[3]), uint64(w[4]), uint64(w[5])}}
}

// rows is how pixels lie in memory: bytes from one row, and one image, to the next.
type rows struct{ row, image uint64 }

// inside returns what is wrong with a region of the texture, "" if nothing is. The words name value and limit.
func (t *texture) inside(r *region) (reason string, args []any) {
	switch {
	case r.level >= t.levels:
		return "mipmap level %d, there are %d", []any{r.level, t.levels}
	case r.slice >= t.textureShape.slices():
		return "slice %d, there are %d", []any{r.slice, t.textureShape.slices()}
	}
	size := t.levelSize(r.level)
	for i, axis := range [3]string{"x", "y", "z"} {
		if n := size[i]; r.size[i] == 0 || r.origin[i] > n || r.size[i] > n-r.origin[i] {
			return "%d pixels from %s %d on, level %d has %d", []any{r.size[i], axis, r.origin[i], r.level, n}
		}
	}
	return "", nil
}

// span returns how many bytes of memory rows take that hold a region.
func (t *texture) span(r *region, m rows) (n uint64, ok bool) {
	row := r.size[0] * t.texelBytes()
	switch {
	case r.size[1] > 1 && m.row < row, m.row != 0 && m.row < row, m.row%uint64(t.pixels.Size()) != 0:
		return 0, false
	case r.size[2] > 1 && m.image < m.row*r.size[1]:
		return 0, false
	}
	hi, images := bits.Mul64(m.image, r.size[2]-1)
	hi2, lines := bits.Mul64(m.row, r.size[1]-1)
	n = images + lines + row
	return n, hi == 0 && hi2 == 0 && n < 1<<46
}

// each calls f with the texture's memory of each row of a region, and the row's place in memory.
func (t *texture) each(r *region, m rows, f func(texels []byte, at uint64)) {
	l := &t.image.Levels[r.level]
	n := r.size[0] * t.texelBytes()
	for z := range r.size[2] {
		for y := range r.size[1] {
			from := r.slice*uint64(l.Layer) + (r.origin[2]+z)*uint64(l.Plane) + (r.origin[1]+y)*uint64(l.Row) + r.origin[0]*t.texelBytes()
			f(l.Data[from:from+n], z*m.image+y*m.row)
		}
	}
}

// transfer checks a copy between the CPU's memory and the texture, and returns the bytes that it spans.
func (t *texture) transfer(c *objcsoft.Call, r *region, m rows) (n uint64, ok bool) {
	if !cpuReaches(t.options) {
		adapter.Misuse(c, "storage mode %d: the CPU cannot reach the texture", storageMode(t.options))
		return 0, false
	}
	if reason, args := t.inside(r); reason != "" {
		adapter.Misuse(c, reason, args...)
		return 0, false
	}
	if n, ok = t.span(r, m); !ok {
		adapter.Misuse(c, "%d bytes per row and %d per image do not hold %d x %d x %d pixels of %d bytes", m.row, m.image, r.size[0], r.size[1], r.size[2], t.texelBytes())
	}
	return n, ok
}

func (t *texture) getBytes(c *objcsoft.Call) {
	r := regionOf(c.Words(2))
	r.level = c.Uint(3)
	t.read(c, r, rows{row: c.Uint(1)})
}

func (t *texture) getBytesSlice(c *objcsoft.Call) {
	r := regionOf(c.Words(3))
	r.level, r.slice = c.Uint(4), c.Uint(5)
	t.read(c, r, rows{c.Uint(1), c.Uint(2)})
}

// read copies row by row: what lies between the rows is the caller's.
func (t *texture) read(c *objcsoft.Call, r region, m rows) {
	if _, ok := t.transfer(c, &r, m); !ok {
		return
	}
	t.each(&r, m, func(texels []byte, at uint64) {
		if !c.Failed() {
			if err := objcsoft.WriteMemory(c.Word(0)+uintptr(at), texels); err != nil {
				c.Fail(err)
			}
		}
	})
}

func (t *texture) replace(c *objcsoft.Call) {
	r := regionOf(c.Words(0))
	r.level = c.Uint(1)
	t.write(c, r, 2, rows{row: c.Uint(3)})
}

func (t *texture) replaceSlice(c *objcsoft.Call) {
	r := regionOf(c.Words(0))
	r.level, r.slice = c.Uint(1), c.Uint(2)
	t.write(c, r, 3, rows{c.Uint(4), c.Uint(5)})
}

func (t *texture) write(c *objcsoft.Call, r region, arg int, m rows) {
	n, ok := t.transfer(c, &r, m)
	if !ok {
		return
	}
	pixels := c.Bytes(arg, n)
	if c.Failed() {
		return
	}
	t.each(&r, m, func(texels []byte, at uint64) { copy(texels, pixels[at:]) })
}
