package resource

import (
	"math/bits"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
)

// Region is a part of one level of one slice.
type Region struct {
	Origin, Size [3]uint64
	Level, Slice uint64
}

func regionOf(w []uintptr) Region {
	return Region{Origin: [3]uint64{uint64(w[0]), uint64(w[1]), uint64(w[2])},
		Size: [3]uint64{uint64(w[3]), uint64(w[4]), uint64(w[5])}}
}

// Rows is the layout of pixels in memory: the bytes from one row, and one image, to the next.
type Rows struct{ Row, Image uint64 }

// Inside returns what is wrong with a region of the texture, "" if nothing is. The words name value
// and limit.
func (t *Texture) Inside(r *Region) (reason string, args []any) {
	switch {
	case r.Level >= t.Levels:
		return "mipmap level %d, there are %d", []any{r.Level, t.Levels}
	case r.Slice >= t.textureShape.Slices():
		return "slice %d, there are %d", []any{r.Slice, t.textureShape.Slices()}
	}
	size := t.LevelSize(r.Level)
	for i, axis := range [3]string{"x", "y", "z"} {
		if n := size[i]; r.Size[i] == 0 || r.Origin[i] > n || r.Size[i] > n-r.Origin[i] {
			return "%d pixels from %s %d on, level %d has %d", []any{r.Size[i], axis, r.Origin[i], r.Level, n}
		}
	}
	return "", nil
}

// Span returns how many bytes of memory rows take that hold a region.
func (t *Texture) Span(r *Region, m Rows) (n uint64, ok bool) {
	row := r.Size[0] * t.TexelBytes()
	switch {
	case r.Size[1] > 1 && m.Row < row, m.Row != 0 && m.Row < row, m.Row%uint64(t.Pixels.Size()) != 0:
		return 0, false
	case r.Size[2] > 1 && m.Image < m.Row*r.Size[1]:
		return 0, false
	}
	hi, images := bits.Mul64(m.Image, r.Size[2]-1)
	hi2, lines := bits.Mul64(m.Row, r.Size[1]-1)
	n = images + lines + row
	return n, hi == 0 && hi2 == 0 && n < 1<<46
}

// Each calls f with the texture's memory of each row of a region, and the row's place in memory.
func (t *Texture) Each(r *Region, m Rows, f func(texels []byte, at uint64)) {
	l := &t.Image.Levels[r.Level]
	n := r.Size[0] * t.TexelBytes()
	for z := range r.Size[2] {
		for y := range r.Size[1] {
			from := r.Slice*uint64(l.Layer) + (r.Origin[2]+z)*uint64(l.Plane) + (r.Origin[1]+y)*uint64(l.Row) +
				r.Origin[0]*t.TexelBytes()
			f(l.Data[from:from+n], z*m.Image+y*m.Row)
		}
	}
}

// transfer checks a copy between the CPU's memory and the texture, and returns the bytes that it
// spans.
func (t *Texture) transfer(c *objcsoft.Call, r *Region, m Rows) (n uint64, ok bool) {
	if !CPUReaches(t.Options) {
		adapter.Misuse(c, "storage mode %d: the CPU cannot reach the texture", StorageMode(t.Options))
		return 0, false
	}
	if reason, args := t.Inside(r); reason != "" {
		adapter.Misuse(c, reason, args...)
		return 0, false
	}
	if n, ok = t.Span(r, m); !ok {
		adapter.Misuse(c, "%d bytes per row and %d per image do not hold %d x %d x %d pixels of %d bytes", m.Row, m.Image,
			r.Size[0], r.Size[1], r.Size[2], t.TexelBytes())
	}
	return n, ok
}

func (t *Texture) getBytes(c *objcsoft.Call) {
	r := regionOf(c.Words(2))
	r.Level = c.Uint(3)
	t.read(c, r, Rows{Row: c.Uint(1)})
}

func (t *Texture) getBytesSlice(c *objcsoft.Call) {
	r := regionOf(c.Words(3))
	r.Level, r.Slice = c.Uint(4), c.Uint(5)
	t.read(c, r, Rows{c.Uint(1), c.Uint(2)})
}

// read copies row by row: the bytes between the rows belong to the caller.
func (t *Texture) read(c *objcsoft.Call, r Region, m Rows) {
	if _, ok := t.transfer(c, &r, m); !ok {
		return
	}
	t.Each(&r, m, func(texels []byte, at uint64) {
		if !c.Failed() {
			if err := objcsoft.WriteMemory(c.Word(0)+uintptr(at), texels); err != nil {
				c.Fail(err)
			}
		}
	})
}

func (t *Texture) replace(c *objcsoft.Call) {
	r := regionOf(c.Words(0))
	r.Level = c.Uint(1)
	t.write(c, r, 2, Rows{Row: c.Uint(3)})
}

func (t *Texture) replaceSlice(c *objcsoft.Call) {
	r := regionOf(c.Words(0))
	r.Level, r.Slice = c.Uint(1), c.Uint(2)
	t.write(c, r, 3, Rows{c.Uint(4), c.Uint(5)})
}

func (t *Texture) write(c *objcsoft.Call, r Region, arg int, m Rows) {
	n, ok := t.transfer(c, &r, m)
	if !ok {
		return
	}
	pixels := c.Bytes(arg, n)
	if c.Failed() {
		return
	}
	t.Each(&r, m, func(texels []byte, at uint64) { copy(texels, pixels[at:]) })
}
