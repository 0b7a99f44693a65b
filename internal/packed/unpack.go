package packed

import "github.com/puremetal/puremetal/internal/gemm"

// unpack writes elements of a row to dst, from a column on that is a multiple of [chunk]; zeros
// follow the row's last one.
func (y *body) unpack(c *codes, dst []float32, w *Weights, row, from int) {
	n := min(len(dst), w.Columns-from)
	clear(dst[n:])
	dst = dst[:n]
	switch {
	case w.Format.plain() != 0:
		typ := w.Format.plain()
		size := typ.Size()
		gemm.Widen(dst, typ, w.Data[row*w.RowBytes()+from*size:])
	case w.Format == I2_S:
		y.unpackI2S(c, dst, w, row*w.Columns+from)
	case w.Group > 0:
		y.unpackMLX(c, dst, w, row, from)
	default:
		block, bytes := w.Block()
		src := w.Data[row*w.RowBytes()+from/block*bytes:][:n/block*bytes]
		if read := y.blocks[w.Format]; read != nil {
			read(&dst[0], &src[0], n/block)
			return
		}
		for ; len(dst) > 0; dst, src = dst[block:], src[bytes:] {
			w.Format.block(c, src)
			y.float(c, dst[:block])
		}
	}
}

// Block returns the format's.
func (l Layout) Block() (elements, bytes int) { return l.Format.Block() }

// plain returns the type of weights that are numbers, or 0.
func (f Format) plain() gemm.Type {
	switch f {
	case PackedF32:
		return gemm.F32
	case PackedF16:
		return gemm.F16
	case PackedBF16:
		return gemm.BF16
	}
	return 0
}

// float makes floats of codes, a multiple of 16.
func (y *body) float(c *codes, dst []float32) {
	y.linear(&dst[0], byteOf(&c.code[0]), len(dst)/16, &c.scale[0], &c.added[0])
}

// unpackI2S writes elements of the tensor, multiples of 128, from a multiple of 128 on.
func (y *body) unpackI2S(c *codes, dst []float32, w *Weights, from int) {
	c.fill(0, 16, gemm.F32.Load(w.Data[w.Rows*w.Columns/4:]), 0)
	for n := 0; len(dst) > 0; dst, from = dst[n:], from+n {
		n = min(len(dst), len(c.code))
		src := w.Data[from/4:][:n/4]
		if y.codesI2S != nil {
			y.codesI2S(byteOf(&c.code[0]), &src[0], n/128)
		} else {
			c.i2s(src)
		}
		y.float(c, dst[:n])
	}
}

// unpackMLX writes elements of a row of one of MLX's formats.
func (y *body) unpackMLX(c *codes, dst []float32, w *Weights, row, from int) {
	data := w.Data[row*w.RowBytes():]
	firstScale := row * w.RowScales()
	for n := 0; len(dst) > 0; dst, from = dst[n:], from+n {
		n = min(len(dst), len(c.code))
		for g := range n / 16 {
			at := firstScale + (from+16*g)/w.Group
			switch w.Format {
			case Affine:
				size := w.ScaleType.Size()
				c.scale[g], c.added[g] = w.ScaleType.Load(w.Scales[at*size:]), w.ScaleType.Load(w.Biases[at*size:])
			case MLXNVFP4:
				c.scale[g], c.added[g] = 0.5*e4m3(w.Scales[at]), 0
			default:
				c.scale[g], c.added[g] = halfE8M0(w.Scales[at]), 0
			}
		}
		if w.Format == MLXFP8 {
			y.eights(&dst[0], &data[from], n/16, &c.scale[0])
			continue
		}
		y.spreadBits(c, data[from/8*w.Bits:], n, w.Bits)
		if w.Format == Affine {
			y.linearUnsigned(&dst[0], byteOf(&c.code[0]), n/16, &c.scale[0], &c.added[0])
			continue
		}
		if y.look != nil {
			y.look(byteOf(&c.code[0]), (n+31)/32, byteOf(&e2m1[0])) // n is a multiple of 16, what follows is free
		} else {
			c.look(0, n, &e2m1)
		}
		y.float(c, dst[:n])
	}
}

// spreadBits reads n codes, a multiple of 8, from a stream of bits.
func (y *body) spreadBits(c *codes, b []byte, n, bits int) {
	done := 0
	if groups := min(n/8, (len(b)-8)/bits+1); y.stream != nil && len(b) >= 8 {
		const each = 0x0101010101010101 // a bit of each byte
		y.stream(byteOf(&c.code[0]), &b[0], groups, bits, each*(1<<bits-1))
		done = 8 * groups
	}
	c.stream(done, b[done/8*bits:], n-done, bits)
}

// stream reads n codes, a multiple of 8, from a stream of bits that begins with the lowest bits of
// its first byte.
func (c *codes) stream(to int, b []byte, n, bits int) {
	mask := uint64(1)<<bits - 1
	for at := to; at < to+n; at += 8 {
		var v uint64
		for i, x := range b[:bits] {
			v |= uint64(x) << (8 * i)
		}
		b = b[bits:]
		for i := range 8 {
			c.code[at+i] = int8(v >> (bits * i) & mask)
		}
	}
}
