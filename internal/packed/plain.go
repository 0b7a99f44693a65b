package packed

import (
	"math"

	"github.com/puremetal/puremetal/internal/gemm"
)

// plain is the body in Go.
func plain() body {
	y := body{name: "plain", sums: plainSums, linear: plainLinear, linearUnsigned: plainLinearUnsigned,
		trits: plainTrits, tritsWhole: plainTritsWhole, spread: plainSpread, recode: plainRecode, eights: plainEights}
	for m := range y.rows {
		y.rows[m] = func(steps int, w *float32, wStride int, x *float32, xStride int, acc *float32, first bool) {
			plainRows(m+1, steps, w, wStride, x, xStride, acc, first)
		}
	}
	return y
}

func plainRows(m, steps int, w *float32, wStride int, x *float32, xStride int, acc *float32, first bool) {
	n := steps * lanes
	ws, xs := floatsFrom(w, (tile-1)*wStride/4+n), floatsFrom(x, (m-1)*xStride/4+n)
	sums := floatsFrom(acc, tile*m*lanes)
	if first {
		clear(sums)
	}
	for a := range tile {
		for b := range m {
			to, row, column := sums[(tile*b+a)*lanes:][:lanes], ws[a*wStride/4:][:n], xs[b*xStride/4:][:n]
			for i, v := range row {
				to[i%lanes] = gemm.FMA(column[i], v, to[i%lanes])
			}
		}
	}
}

func plainSums(fours int, acc, out *float32, stride int) {
	sums, to := floatsFrom(acc, fours*tile*lanes), floatsFrom(out, (fours-1)*stride/4+tile)
	for i := range fours * tile {
		s := sums[i*lanes:][:lanes]
		for d := lanes / 2; d > 0; d /= 2 {
			for l := range d {
				s[l] += s[l+d]
			}
		}
		x := s[0]
		if x != x {
			x = float32(math.NaN())
		}
		to[i/tile*stride/4+i%tile] = x
	}
}

func plainLinear(dst *float32, codes *byte, groups int, scales, added *float32) {
	to, scale, add := floatsFrom(dst, 16*groups), floatsFrom(scales, groups), floatsFrom(added, groups)
	for i, q := range bytesFrom(codes, 16*groups) {
		to[i] = times(scale[i/16], float32(int8(q))) + add[i/16]
	}
}

func plainLinearUnsigned(dst *float32, codes *byte, groups int, scales, added *float32) {
	to, scale, add := floatsFrom(dst, 16*groups), floatsFrom(scales, groups), floatsFrom(added, groups)
	for i, q := range bytesFrom(codes, 16*groups) {
		to[i] = times(scale[i/16], float32(q)) + add[i/16]
	}
}

func plainTrits(blocks int, w *byte, wStride int, x *byte, sums *int32, totals *float32) {
	rows, xs := bytesFrom(w, (tile-1)*wStride+blocks*scaledBytes), bytesFrom(x, blocks*codesBlock)
	for i := range floatsFrom(totals, tile) {
		for b, off := range int32sFrom(sums, blocks) {
			block := rows[i*wStride+b*scaledBytes:]
			sum := codesTimes(block, xs[b*codesBlock:]) - off
			floatsFrom(totals, tile)[i] += times(float32(sum), half(block[codesBytes:]))
		}
	}
}

func plainTritsWhole(blocks int, w *byte, wStride int, x *byte, sums *int32, totals *int32) {
	rows, xs := bytesFrom(w, (tile-1)*wStride+blocks*codesBytes), bytesFrom(x, blocks*codesBlock)
	for i := range int32sFrom(totals, tile) {
		for b, off := range int32sFrom(sums, blocks) {
			int32sFrom(totals, tile)[i] += codesTimes(rows[i*wStride+b*codesBytes:], xs[b*codesBlock:]) - off
		}
	}
}

// codesTimes returns the product of a block of codes with int8.
func codesTimes(codes, x []byte) (sum int32) {
	for i, v := range x[:codesBlock] {
		sum += int32(int8(v)) * int32(codes[i/128*32+i%32]>>(i%128/32*2)&3)
	}
	return sum
}

func plainSpread(dst, src *byte, groups int) {
	to := bytesFrom(dst, 32*groups)
	for i, b := range bytesFrom(src, 32*groups) {
		to[i] = 0
		for j := range 4 {
			q := b >> (6 - 2*j) & 3
			if q == 3 {
				q = 1
			}
			to[i] |= q << (2 * j)
		}
	}
}

func plainRecode(dst, src *byte, blocks int) {
	var c codes
	to, from := bytesFrom(dst, scaledBytes*blocks), bytesFrom(src, 54*blocks)
	for ; len(from) > 0; from, to = from[54:], to[scaledBytes:] {
		TQ1_0.block(&c, from)
		clear(to[:codesBytes])
		for i, q := range c.code {
			to[i/128*32+i%32] |= byte(q+1) << (i % 128 / 32 * 2)
		}
		copy(to[codesBytes:], from[52:54])
	}
}

func plainEights(dst *float32, src *byte, groups int, scales *float32) {
	to, scale := floatsFrom(dst, 16*groups), floatsFrom(scales, groups)
	for i, q := range bytesFrom(src, 16*groups) {
		to[i] = times(2*e4m3(q), scale[i/16])
	}
}
