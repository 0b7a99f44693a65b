package value

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/document"
)

// maxLayers is the largest number of files in a value.
const maxLayers = 2048

// layers reads the files of [@FILE;@FILE;...] as the layers of an array.
func layers(parts []string, dir string) (*Value, error) {
	names, list := make([]string, len(parts)), make([]*Value, len(parts))
	for i, p := range parts {
		names[i] = strings.TrimSpace(p)
		if !isFile(names[i]) {
			return nil, bad("element %d of the array is %q; want a file such as @a.png, as in element 0", i, clip(names[i]))
		}
		var err error
		if list[i], err = parse(names[i], dir, 0); err != nil {
			return nil, err
		}
	}
	return stack(list, names)
}

// readDirectory reads the images of a directory as layers, in the order of their names, where
// numbers count: 2.png comes before 10.png.
func readDirectory(dir string, as *Type) (*Value, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		switch strings.ToLower(filepath.Ext(e.Name())) {
		case ".png", ".jpg", ".jpeg":
			if !strings.HasPrefix(e.Name(), ".") {
				names = append(names, e.Name())
			}
		}
	}
	if len(names) < 1 || len(names) > maxLayers {
		return nil, bad("%s has %d files that end in .png, .jpg or .jpeg; want 1 to %d", dir, len(names), maxLayers)
	}
	slices.SortFunc(names, compareNames)
	list := make([]*Value, len(names))
	size := 0
	for i, name := range names {
		if list[i], err = readImage(filepath.Join(dir, name), as); err != nil {
			return nil, fileError(err)
		}
		if size += list[i].Len(); size > document.Image.Values {
			return nil, bad("%s: the images have more than %d pixels", dir, document.Image.Values)
		}
	}
	return stack(list, names)
}

// compareNames compares names as people do: runs of digits by their value.
func compareNames(a, b string) int {
	x, y := a, b
	for x != "" && y != "" {
		if n, m := digits(x), digits(y); n > 0 && m > 0 {
			v, w := strings.TrimLeft(x[:n], "0"), strings.TrimLeft(y[:m], "0")
			if len(v) != len(w) {
				return len(v) - len(w)
			}
			if c := strings.Compare(v, w); c != 0 {
				return c
			}
			x, y = x[n:], y[m:]
			continue
		}
		if x[0] != y[0] {
			return int(x[0]) - int(y[0])
		}
		x, y = x[1:], y[1:]
	}
	if len(x) != len(y) {
		return len(x) - len(y)
	}
	return strings.Compare(a, b)
}

// digits returns how many digits a text begins with.
func digits(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }

// stack returns values of one type and shape as the layers of one value.
func stack(list []*Value, names []string) (*Value, error) {
	first := list[0]
	if len(first.Shape)+1 > maxDims {
		return nil, bad("%s has %d dimensions; layers may have at most %d", names[0], len(first.Shape), maxDims-1)
	}
	out := &Value{Type: first.Type, Shape: slices.Concat([]int{len(list)}, first.Shape), Image: first.Image,
		source: fromMemory}
	if err := out.fits(); err != nil {
		return nil, err
	}
	out.data = make([]byte, out.Size())
	size := first.Size()
	for i, v := range list {
		if v.Type != first.Type || !slices.Equal(v.Shape, first.Shape) {
			return nil, bad("%s is %s, but %s is %s; layers must be equal in size and type", names[i], v.Describe(), names[0],
				first.Describe())
		}
		v.Fill(out.data[i*size:][:size], 0)
	}
	return out, nil
}

// Layer returns the type and shape of one layer: of an element of the first dimension.
func (v *Value) Layer() *Value { return &Value{Type: v.Type, Shape: v.Shape[1:]} }
