package gemm

import "encoding/binary"

// operand is A or B as packing sees it: lines, which are rows of A or columns of B, of k elements.
type operand struct {
	*Matrix
	lines       int
	step, kStep int // strides from line to line and along k
	batch       int
}

// depth is how many words of k are packed for all neighboring panels before the next ones: their
// rows are contiguous across panels, and a processor translates few addresses of pages at once.
const depth = 32

// pack writes the panels of lines from first to end, for count elements of k from k on.
func (y *body) pack(w *work, dst []uint32, width int, o *operand, first, end, k, count int) {
	per := 1
	if o.Type == I8 {
		per = 2
	}
	words := tiles(count, per)
	if words == 0 {
		return
	}
	switch {
	case o.Packer != nil:
		for ; first < end; first += width {
			n := min(width, end-first)
			if n < width {
				clear(dst[:words*width])
			}
			o.Packer.Pack(floats(dst[:words*width]), width, o.batch, first, n, k, count)
			dst = dst[words*width:]
		}
	case y.transpose != nil && o.step == 1:
		step := depth
		if width%8 != 0 {
			step = words // a panel's end overwrites the next one's beginning
		}
		for i := 0; i < words; i += step {
			for p := range tiles(end-first, width) {
				at := first + p*width
				y.packAlong(dst[(p*words+i)*width:], width, o, at, min(width, end-at), k+i*per, min(count-i*per, step*per))
			}
		}
	default:
		across := y.transpose != nil && o.kStep == 1
		for ; first < end; first += width {
			n := min(width, end-first)
			if across {
				y.packAcross(w, dst, width, o, first, n, k, count)
			} else {
				packAny(dst, width, o, first, n, k, count)
			}
			dst = dst[words*width:]
		}
	}
}

// Widen converts len(dst) elements of type F32, F16 or BF16 to floats, for packers.
func Widen(dst []float32, t Type, src []byte) {
	n := len(dst)
	src = src[:n*t.Size()]
	words := wordsOf(dst)
	if t == F32 {
		copy(bytes(words), src)
		return
	}
	i := 0
	if widen := fastest().widen[t]; widen != nil && n >= 32 {
		i = n / 32 * 32
		widen(&dst[0], &src[0], n/32)
	}
	if lines := fastest().lines[t]; lines != nil && n-i >= 8 {
		groups := (n - i) / 8
		lines(&words[i], 0, &src[i*t.Size()], 0, 1, groups)
		i += 8 * groups
	}
	o := operand{Matrix: &Matrix{Data: src, Type: t}, step: 1}
	for ; i < n; i++ {
		words[i] = o.word(i, 0, 1)
	}
}

// at returns where an element is in the matrix's memory.
func (o *operand) at(line, k int) int {
	return (o.batch*o.BatchStride + line*o.step + k*o.kStep) * o.Type.Size()
}

// readable returns how many of count values of k can be read for n neighboring lines from first on
// without leaving the memory, whether the lines belong to the matrix or not.
func (o *operand) readable(first, n, k, count int) int {
	size := o.Type.Size()
	spare := len(o.Data) - o.at(first, k) - n*size
	switch {
	case first+n <= o.lines:
		return count
	case spare < 0:
		return 0
	case o.kStep == 0:
		return count
	}
	return min(count, spare/(o.kStep*size)+1)
}

// packAlong packs a panel of an operand with neighboring lines, n of which matter. It reads and
// writes whole groups of 8, beyond the panel where memory permits it.
func (y *body) packAlong(dst []uint32, width int, o *operand, first, n, k, count int) {
	groups := tiles(width, 8)
	lines, per := y.lines[o.Type], 1
	if o.Type == I8 {
		lines, per = y.pairs, 2
	}
	rows := o.readable(first, 8*groups, k, count) / per
	if rows > 0 {
		lines(&dst[0], 4*width, &o.Data[o.at(first, k)], o.kStep*o.Type.Size(), rows, groups)
	}
	packAny(dst[rows*width:], width, o, first, n, k+rows*per, count-rows*per)
}

// packAcross packs a panel of n lines of neighboring k: it widens the lines and transposes them.
func (y *body) packAcross(w *work, dst []uint32, width int, o *operand, first, n, k, count int) {
	size := o.Type.Size()
	rows := max(width, 8) // that transpose reads
	words, stride := count, o.step*size
	src := o.Data[o.at(first, k):]
	if o.Type != F32 || first+rows > o.lines {
		group, per := 8, 1
		if o.Type == I8 {
			group, per, words = 16, 2, tiles(count, 2)
		}
		if groups := count / group; groups > 0 {
			y.lines[o.Type](&w.lines[0], 4*kc, &src[0], stride, n, groups)
		}
		for line := range n {
			for i := count / group * group; i < count; i += per {
				w.lines[line*kc+i/per] = o.word(first+line, k+i, k+count)
			}
		}
		for line := n; line < rows; line++ {
			clear(w.lines[line*kc:][:words])
		}
		src, stride = bytes(w.lines), 4*kc
	}
	for i := 0; i == 0 || i < width; i += 8 {
		i := max(0, min(i, width-8))
		if groups := words / 8; groups > 0 {
			y.transpose(&dst[i], 4*width, &src[i*stride], stride, groups)
		}
	}
	for i := words / 8 * 8; i < words; i++ {
		for line := range width {
			dst[i*width+line] = binary.NativeEndian.Uint32(src[line*stride+4*i:])
		}
	}
}

// packAny packs a panel of any operand, with zeros for the lines that it lacks.
func packAny(dst []uint32, width int, o *operand, first, n, k, count int) {
	per := 1
	if o.Type == I8 {
		per = 2
	}
	for i := 0; i < count; i += per {
		row := dst[i/per*width:][:width]
		for line := range n {
			row[line] = o.word(first+line, k+i, k+count)
		}
		clear(row[n:])
	}
}

// word returns the word of k: a float, or a pair of integers of which those from end on are 0.
func (o *operand) word(line, k, end int) uint32 {
	data := o.Data[o.at(line, k):]
	switch o.Type {
	case F32:
		return binary.NativeEndian.Uint32(data)
	case F16:
		return widenHalf(binary.NativeEndian.Uint16(data))
	case BF16:
		return uint32(binary.NativeEndian.Uint16(data)) << 16
	}
	pair := uint32(uint16(int8(data[0])))
	if k+1 < end {
		pair |= uint32(int8(data[o.kStep])) << 16
	}
	return pair
}
