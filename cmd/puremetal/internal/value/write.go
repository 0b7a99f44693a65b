package value

import (
	"encoding/csv"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/puremetal/puremetal/npy"
)

// Writable checks that a file of that name can hold the value: .npy, .png, .csv, .raw, - for a
// table, or a name with / at the end for a directory of one .png for each layer.
func Writable(name string, v *Value) error {
	switch ext := strings.ToLower(filepath.Ext(name)); {
	case name == "-", ext == ".npy", ext == ".csv", ext == ".raw":
		return nil
	case ext == ".png":
		_, err := pictureOf(v)
		return err
	}
	if strings.HasSuffix(name, "/") {
		if len(v.Shape) < 3 || v.Struct {
			return bad("%s has no layers; %s takes three dimensions, such as uchar4[8,480,640]", v.Describe(),
				clip(name))
		}
		_, err := pictureOf(v.Layer())
		return err
	}
	return bad("%q: output files must end in .npy, .png, .csv or .raw; - prints a table, and a name that ends in / is a "+
		"directory for layers", clip(name))
}

// Write writes a value's bytes after the run, in the format of the file name's extension.
func Write(w io.Writer, name string, v *Value, data []byte) error {
	if err := Writable(name, v); err != nil {
		return err
	}
	switch strings.ToLower(filepath.Ext(name)) {
	case ".npy":
		return npy.Write(w, array(v, data))
	case ".csv":
		return writeCSV(w, v, data)
	case ".raw":
		_, err := w.Write(data)
		return err
	}
	return writePNG(w, v, data)
}

// lanes returns the numbers without the padding of three-component vectors.
func lanes(v *Value, data []byte) []byte {
	out := make([]byte, 0, len(data))
	v.each(data, func(_ int, at []byte) { out = append(out, at...) })
	return out
}

// array returns the value as a NumPy array: vector lanes become the last dimension, and bfloat,
// which NumPy lacks, becomes float.
func array(v *Value, data []byte) *npy.Array {
	a := &npy.Array{Shape: slices.Clone(v.Shape), Data: lanes(v, data)}
	if v.Type.Lanes > 1 {
		a.Shape = append(a.Shape, v.Type.Lanes)
	}
	a.Type = [...]npy.Type{Bool: npy.Bool, Char: npy.Int8, UChar: npy.Uint8, Short: npy.Int16, UShort: npy.Uint16,
		Int: npy.Int32, UInt: npy.Uint32,
		Long: npy.Int64, ULong: npy.Uint64, Half: npy.Float16, BFloat: npy.Float32, Float: npy.Float32}[v.Type.Scalar]
	if v.Type.Scalar == BFloat {
		wide := make([]byte, 0, 2*len(a.Data))
		for i := 0; i < len(a.Data); i += 2 {
			wide = append(wide, 0, 0, a.Data[i], a.Data[i+1]) // the upper half of a float
		}
		a.Data = wide
	}
	return a
}

// rows returns how many lines a value has and how long they are. The last dimension is a line.
func rows(v *Value) (lines, length int) {
	if len(v.Shape) == 0 {
		return 1, 1
	}
	length = v.Shape[len(v.Shape)-1]
	return v.Len() / length, length
}

// element returns the text of each lane of element i.
func (v *Value) element(data []byte, i int) []string {
	size, from := v.Type.Scalar.Size(), i*v.Type.Size()
	out := make([]string, v.Type.Lanes)
	for l := range out {
		_, out[l] = Number(v.Type.Scalar, data[from+l*size:])
	}
	return out
}

// writeCSV writes one line per row. A one-dimensional array becomes a column. Vector lanes are
// separate columns. Structures are rows, whose columns are the members' numbers.
func writeCSV(w io.Writer, v *Value, data []byte) error {
	c := csv.NewWriter(w)
	if v.Struct {
		for _, e := range v.elements() {
			if err := c.Write(strings.Split(strings.Join(e.value.texts(data[e.at:]), ","), ",")); err != nil {
				return err
			}
		}
		c.Flush()
		return c.Error()
	}
	lines, length := rows(v)
	if len(v.Shape) == 1 {
		lines, length = length, 1
	}
	for y := range lines {
		record := make([]string, 0, length*v.Type.Lanes)
		for x := range length {
			record = append(record, v.element(data, y*length+x)...)
		}
		if err := c.Write(record); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

const (
	tableLines   = 32 // in a table; of more, the middle is omitted
	tableColumns = 16 // in a table of two dimensions
	tableLine    = 8  // numbers on a line of a one-dimensional array
)

// Table writes the value as a table. The middle of a large value is replaced by an ellipsis.
func Table(w io.Writer, v *Value, data []byte) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
	if v.Struct { // a line for each
		list := v.elements()
		for i, e := range list {
			if len(list) > tableLines && i >= tableLines/2 && i < len(list)-tableLines/2 {
				if i == tableLines/2 {
					fmt.Fprintf(t, "...\t\n")
				}
				continue
			}
			fmt.Fprintf(t, "[%d]\t%s\t\n", i, strings.Join(e.value.texts(data[e.at:]), "\t"))
		}
		return t.Flush()
	}
	lines, length := rows(v)
	per := length
	if len(v.Shape) == 1 { // broken into lines
		per = tableLine
		lines = (length + per - 1) / per
	}
	for y := range lines {
		if lines > tableLines && y == tableLines/2 {
			fmt.Fprintf(t, "...\t\n")
		}
		if lines > tableLines && y >= tableLines/2 && y < lines-tableLines/2 {
			continue
		}
		from := y * per
		fmt.Fprintf(t, "%s\t", label(v, from))
		for x := range min(per, v.Len()-from) {
			if per > tableColumns && x >= tableColumns/2 && x < per-tableColumns/2 {
				if x == tableColumns/2 {
					fmt.Fprint(t, "...\t")
				}
				continue
			}
			fmt.Fprintf(t, "%s\t", strings.Join(v.element(data, from+x), ","))
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}

// Ends returns the first and last elements as text. If there are few, first has all of them and
// last is nil. Lanes and members are in parentheses.
func (v *Value) Ends(data []byte) (first, last []string) {
	const few, ends = 16, 4
	n := v.Len()
	at := func(i int) []string { return v.element(data, i) }
	if v.Struct {
		list := v.elements()
		n, at = len(list), func(i int) []string { return list[i].value.texts(data[list[i].at:]) }
	}
	text := func(i int) string {
		parts := at(i)
		if len(parts) > few {
			parts = append(parts[:few:few], "...")
		}
		if len(parts) == 1 {
			return parts[0]
		}
		return "(" + strings.Join(parts, ", ") + ")"
	}
	for i := range n {
		switch {
		case n <= few || i < ends:
			first = append(first, text(i))
		case i >= n-ends:
			last = append(last, text(i))
		}
	}
	return first, last
}

// elements returns the structures of an array of structures, or the one structure.
func (v *Value) elements() []member {
	if v.array {
		return v.members
	}
	return []member{{0, v}}
}

// texts returns the numbers of a value, and of a structure's members, as text.
func (v *Value) texts(data []byte) (all []string) {
	for _, m := range v.members {
		all = append(all, m.value.texts(data[m.at:])...)
	}
	if v.Struct {
		return all
	}
	for i := range v.Len() {
		all = append(all, strings.Join(v.element(data, i), ","))
	}
	return all
}

// label returns the index of a line's first element. With more than one dimension, the last index
// is omitted.
func label(v *Value, i int) string {
	if len(v.Shape) < 2 {
		return fmt.Sprintf("[%d]", i)
	}
	var at []string
	i /= v.Shape[len(v.Shape)-1]
	for d := len(v.Shape) - 2; d >= 0; d-- {
		at = append(at, fmt.Sprint(i%v.Shape[d]))
		i /= v.Shape[d]
	}
	slices.Reverse(at)
	return "[" + strings.Join(at, ",") + "]"
}

// maxPixels is the maximum size of an image that is written.
const maxPixels = 1 << 28

// picture is the size of the image made from a value.
type picture struct {
	width, height, channels int
}

// pictureOf returns the size of the image made from a value: rows and columns of uchar or
// floating-point scalars or vectors, or an array whose last dimension of 1, 3 or 4 is the channels.
func pictureOf(v *Value) (p picture, err error) {
	s := v.Shape
	switch {
	case v.Struct, v.Type.Scalar != UChar && !v.Type.Scalar.Floating():
		return p, bad("%s cannot be an image; .png takes rows and columns of uchar, uchar4 or floating-point numbers",
			v.Describe())
	case len(s) == 2:
		p = picture{s[1], s[0], v.Type.Lanes}
	case len(s) == 3 && v.Type.Lanes == 1:
		p = picture{s[1], s[0], s[2]}
	default:
		return p, bad("%s does not have two dimensions; .png takes rows and columns, such as uchar4[480,640], "+
			"and a directory, such as layers/, three", v.Describe())
	}
	if p.channels < 1 || p.channels > 4 || p.channels == 2 {
		return p, bad("%s has %d channels; .png takes 1, 3 or 4", v.Describe(), p.channels)
	}
	if p.width > maxPixels/p.height {
		return p, bad("%s has more than %d pixels", v.Describe(), maxPixels)
	}
	return p, nil
}

// writePNG writes an image. Floating-point numbers are clamped to 0 to 1 and scaled to 0 to 255;
// NaN becomes 0.
func writePNG(w io.Writer, v *Value, data []byte) error {
	p, err := pictureOf(v)
	if err != nil {
		return err
	}
	b := lanes(v, data)
	size := v.Type.Scalar.Size()
	at := func(i int) byte {
		if v.Type.Scalar == UChar {
			return b[i]
		}
		f, _ := Number(v.Type.Scalar, b[i*size:])
		if !(f > 0) {
			return 0
		}
		return byte(math.Round(255 * min(f, 1)))
	}
	if p.channels == 1 {
		m := image.NewGray(image.Rect(0, 0, p.width, p.height))
		for i := range m.Pix {
			m.Pix[i] = at(i)
		}
		return png.Encode(w, m)
	}
	m := image.NewNRGBA(image.Rect(0, 0, p.width, p.height))
	for i := range p.width * p.height {
		c := color.NRGBA{at(i * p.channels), at(i*p.channels + 1), at(i*p.channels + 2), 255}
		if p.channels == 4 {
			c.A = at(i*4 + 3)
		}
		m.SetNRGBA(i%p.width, i/p.width, c)
	}
	return png.Encode(w, m)
}
