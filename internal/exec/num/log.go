package num

import "math"

// split splits a positive number into 2**e and m from sqrt(1/2) to sqrt(2).
func split(x float64) (e, m float64) {
	const root = 0x3fe6a09e667f3bcd // the bits of sqrt(1/2)
	bits := math.Float64bits(x)
	n := int64(bits-root) >> 52
	return float64(n), math.Float64frombits(bits - uint64(n)<<52)
}

// logNear returns the logarithm of m, from sqrt(1/2) to sqrt(2), within 2^-44.
func logNear(m float64) float64 {
	s := (m - 1) / (m + 1)
	z := s * s
	p := 0.11087120001882952 + float64(z*0.09804122652852038)
	p = 0.14286083186247328 + float64(z*p)
	p = 0.19999997444874992 + float64(z*p)
	p = 0.33333333339792903 + float64(z*p)
	p = 0.9999999999999736 + float64(z*p)
	return float64(2 * s * p)
}

// ordinary reports whether x is positive and finite, so that its logarithms are finite.
func ordinary(x float32) bool { return x > 0 && x <= math.MaxFloat32 }

// logLimit returns the logarithm, to any base above 1, of a number that is not ordinary.
func logLimit(x float32) float32 {
	switch {
	case x == 0:
		return float32(math.Inf(-1))
	case x > 0:
		return x
	}
	return float32(math.NaN())
}

// log returns the natural logarithm of a positive number.
func log(x float64) float64 {
	e, m := split(x)
	return float64(e*math.Ln2) + logNear(m)
}

// log2 returns the logarithm to base 2 of a positive number.
func log2(x float64) float64 {
	e, m := split(x)
	return e + float64(logNear(m)*log2E)
}

// Log returns the natural logarithm.
func Log(x float32) float32 {
	if !ordinary(x) {
		return logLimit(x)
	}
	return float32(log(float64(x)))
}

// Log2 returns the logarithm to base 2.
func Log2(x float32) float32 {
	if !ordinary(x) {
		return logLimit(x)
	}
	return float32(log2(float64(x)))
}

// Log10 returns the logarithm to base 10.
func Log10(x float32) float32 {
	if !ordinary(x) {
		return logLimit(x)
	}
	return float32(log(float64(x)) * (1 / math.Ln10))
}

// Pow returns x**y.
func Pow(x, y float32) float32 {
	if x == 1 || y == 0 {
		return 1
	}
	if ordinary(x) && y-y == 0 {
		return float32(exp2(float64(float64(y) * log2(float64(x)))))
	}
	if x < 0 && x >= -math.MaxFloat32 && y-y == 0 {
		whole := float32(math.Trunc(float64(y)))
		if whole != y {
			return float32(math.NaN())
		}
		p := float32(exp2(float64(float64(y) * log2(-float64(x)))))
		if math.Abs(float64(y)) < 1<<24 && int64(y)&1 != 0 {
			return -p
		}
		return p
	}
	return float32(math.Pow(float64(x), float64(y))) // zeros, infinities and NaNs
}

// PowR returns x**y computed as exp2(y*log2(x)); its special values are those of that expression.
func PowR(x, y float32) float32 {
	switch {
	case x < 0 || x != x || y != y:
		return float32(math.NaN())
	case (x == 0 || math.IsInf(float64(x), 0)) && y == 0, x == 1 && math.IsInf(float64(y), 0):
		return float32(math.NaN())
	}
	return Pow(float32(math.Abs(float64(x))), y)
}

// ASinH returns the inverse of SinH.
func ASinH(x float32) float32 {
	y := math.Abs(float64(x))
	switch {
	case y < 1.0/64:
		z := y * y
		y *= 1 - float64(z*(1.0/6-float64(z*(3.0/40))))
	case y <= math.MaxFloat32:
		y = log(y + math.Sqrt(float64(y*y)+1))
	}
	return float32(math.Copysign(y, float64(x)))
}

// ACosH returns the inverse of CosH.
func ACosH(x float32) float32 {
	y := float64(x)
	switch {
	case !(y >= 1):
		return float32(math.NaN())
	case y > math.MaxFloat32:
		return x
	}
	return float32(log(y + math.Sqrt((y-1)*(y+1))))
}

// ATanH returns the inverse of TanH.
func ATanH(x float32) float32 {
	y := math.Abs(float64(x))
	switch {
	case y < 1.0/64:
		z := y * y
		y *= 1 + float64(z*(1.0/3+float64(z*(1.0/5+float64(z*(1.0/7))))))
	case y < 1:
		y = log((1+y)/(1-y)) / 2
	case y == 1:
		y = math.Inf(1)
	default:
		return float32(math.NaN())
	}
	return float32(math.Copysign(y, float64(x)))
}
