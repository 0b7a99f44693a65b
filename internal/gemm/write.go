package gemm

import (
	"encoding/binary"
	"math"
)

// write writes a tile to C, which has rows and columns of it, from row and column on.
func (b *blocks) write(w *work, acc []uint32, batch, row, column, rows, columns int) {
	p, c := b.p, &b.p.C
	size := c.Type.Size()
	at := (batch*c.BatchStride + row*c.RowStride + column*c.ColumnStride) * size
	integer := p.A.Type == I8
	if store := b.store[c.Type]; store != nil {
		if integer && c.Type != I32 {
			b.convert(&acc[0])
		}
		if columns == b.body.columns && c.ColumnStride == 1 {
			store(&c.Data[at], c.RowStride*size, &acc[0], rows, p.Alpha, p.Beta)
			return
		}
		tile, stride := bytes(w.lines), b.body.columns*size
		if p.Beta != 0 {
			move(tile, b.body.columns, 1, c.Data[at:], c.RowStride, c.ColumnStride, rows, columns, size)
		}
		store(&tile[0], stride, &acc[0], rows, p.Alpha, p.Beta)
		move(c.Data[at:], c.RowStride, c.ColumnStride, tile, b.body.columns, 1, rows, columns, size)
		return
	}
	for r := range rows {
		for i, word := range acc[r*b.body.columns:][:columns] {
			to := c.Data[at+(r*c.RowStride+i*c.ColumnStride)*size:]
			if c.Type == I32 {
				if p.Beta != 0 {
					word += binary.NativeEndian.Uint32(to)
				}
				binary.NativeEndian.PutUint32(to, word)
				continue
			}
			x := math.Float32frombits(word)
			if integer {
				x = float32(int32(word))
			}
			p.writeFloat(to, x)
		}
	}
}

// move copies elements of a size between layouts, whose strides count elements.
func move(dst []byte, dstRow, dstColumn int, src []byte, srcRow, srcColumn, rows, columns, size int) {
	for r := range rows {
		to, from := dst[r*dstRow*size:], src[r*srcRow*size:]
		if dstColumn == 1 && srcColumn == 1 {
			copy(to[:columns*size], from)
			continue
		}
		for i := range columns {
			to, from := to[i*dstColumn*size:], from[i*srcColumn*size:]
			if size == 4 {
				binary.NativeEndian.PutUint32(to, binary.NativeEndian.Uint32(from))
			} else {
				binary.NativeEndian.PutUint16(to, binary.NativeEndian.Uint16(from))
			}
		}
	}
}

// writeFloat applies alpha and beta to an accumulator and writes an element.
func (p *Product) writeFloat(to []byte, x float32) {
	if p.Beta != 0 {
		x = FMA(p.Alpha, x, float32(p.Beta*p.C.Type.Load(to)))
	} else {
		x *= p.Alpha
	}
	p.C.Type.Store(to, x)
}
