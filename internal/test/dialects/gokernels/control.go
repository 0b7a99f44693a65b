package gokernels

import "github.com/puremetal/puremetal/kernel"

// Control has the statements that decide what runs.
//
//puremetal:kernel
func Control(t *kernel.Thread, x, out []int32) {
	i := int(t.Global.X)
	if i >= len(x) || i >= len(out) {
		return
	}
	v := x[i]
	s := int32(0)
	// Labels.
outer:
	for j := int32(0); j < 9; j++ {
		for k := int32(0); k < 9; k++ {
			switch {
			case k == v&7:
				continue outer
			case j*k > 30+v&15:
				break outer
			case k == 3:
				continue
			case k == 5:
				if j > 4 {
					break
				}
				s += 7
			default:
				s += j ^ k
			}
			s++
		}
		s += 100
	}
	// A switch without a constant, with fallthrough.
	switch w := v % 5; {
	case w == 0:
		s += 1
		fallthrough
	case w == 1:
		s += 2
	case w > 2:
		s += 4
		fallthrough
	default:
		s += 8
	}
	switch v & 7 {
	case 1, 3:
		s ^= 0x100
	case 2:
		if s > 5 {
			break
		}
		s ^= 0x200
		fallthrough
	case 4:
		s ^= 0x400
	default:
		s ^= 0x800
	}
	switch s {
	case v, 2 * v:
		s++
	case x[0]:
		s--
	}
	// Ranges.
	for range 3 {
		s = s*3 + 1
	}
	for k := range v & 7 {
		s += k
	}
	table := [5]int32{3, 1, 3: 9, 5}
	for k, w := range table {
		s += int32(k) * w
		table[4] = s // the loop has the old value: Go copies the array
	}
	for k := range table {
		table[k] += s
	}
	for k, w := range x {
		if k > 3 {
			break
		}
		s += w
	}
	for k := range x[:min(len(x), 4)] {
		s ^= int32(k)
	}
	// A variable in each iteration.
	sum := int32(0)
	for k := int32(0); k < 4; k++ {
		p := &k
		*p += 1
		sum += k
	}
	s += sum
	// Conditions with calls.
	n := int32(0)
	for next(&n) && n < 10 || n == 20 {
		s += n
	}
	for k, m := 0, 10; k < m; k, m = k+1, m-2 {
		s += int32(k * m)
	}
	if a := v * 2; a > 10 {
		s -= a
	} else if b := a + 1; b > 5 {
		s -= b * 2
	} else {
		s -= a + b
	}
	for {
		s++
		if s&3 == 0 {
			break
		}
	}
	// A range that assigns a variable from before.
	var last int8 = 1
	for last = range int8(100) {
	}
	s += int32(last + 100)
	out[i] = s
}

func next(n *int32) bool {
	*n += 3
	return *n != 7
}

// Scopes has variables that hide others.
//
//puremetal:kernel
func Scopes(t *kernel.Thread, x, out []int32) {
	i := int(t.Global.X)
	if i >= len(x) || i >= len(out) {
		return
	}
	v := x[i]
	{
		v := v + 1
		{
			v := v * 2
			out[i] = v
		}
		out[i] += v
	}
	for v := v; v > 100; v -= 100 {
		v := v / 2
		out[i] += v
	}
	if v := out[i]; v > 5 {
		v := v - 1
		out[i] = v
	}
	var float, half, device, thread, uint3, metal, kernel, array int32 = 1, 2, 3, 4, 5, 6, 7, 8
	out[i] += v + float + half + device + thread + uint3 + metal + kernel + array
}

// Order has assignments and calls whose order matters.
//
//puremetal:kernel
func Order(t *kernel.Thread, x, out []int32) {
	i := int(t.Global.X)
	if i >= len(x) || i*8+7 >= len(out) {
		return
	}
	a, b, c := x[i], int32(i), int32(5)
	a, b, c = b, c, a
	o := out[i*8:]
	o[0], o[1], o[2] = a, b, c
	var list [4]int32
	k := 1
	k, list[k] = 2, 7
	list[0], list[k] = list[1], list[0]+9
	o[3] = list[0] + 10*list[1] + 100*list[2]
	n := int32(1)
	o[4] = step(&n, 2)*1000 + step(&n, 3)*10 - step(&n, 5)
	o[5] = sub(step(&n, 1), sub(step(&n, 2), n))
	q, r := divide(x[i], 7)
	q, r = r, q
	o[6], o[7] = q, r
	list[pick(&k)] += 4
	list[pick(&k)]++
	o[7] += list[0] + 3*list[1] + 5*list[2] + 7*list[3] + int32(k)
	o[5] += count{step(&n, 1)}.minus(step(&n, 2)) // receivers come before arguments
	var counts [4]count
	counts[pick(&k)].add(int32(pick(&k)))
	o[6] += counts[0].n + 3*counts[1].n + 5*counts[2].n + 7*counts[3].n
}

type count struct{ n int32 }

func (c count) minus(d int32) int32 { return c.n - d }

func (c *count) add(d int32) { c.n += d }

func step(n *int32, d int32) int32 { *n = *n*3 + d; return *n }

func sub(a, b int32) int32 { return a - b }

func pick(k *int) int { *k = (*k + 1) & 3; return *k }

func divide(a, b int32) (quotient, remainder int32) {
	quotient = a / b
	remainder = a % b
	return
}
