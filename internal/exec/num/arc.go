package num

import "math"

// atanOf returns the arc tangent of t, which is not negative.
func atanOf(t float64) float64 {
	inverse := t > 1
	if inverse {
		t = 1 / t
	}
	add := 0.0
	if t > math.Sqrt2-1 {
		t = (t - 1) / (t + 1)
		add = math.Pi / 4
	}
	z := t * t
	p := -0.0845608946699897 + float64(z*0.0470712965525745)
	p = 0.11040471009581072 + float64(z*p)
	p = -0.1428158730709012 + float64(z*p)
	p = 0.19999883803853233 + float64(z*p)
	p = -0.33333332096926027 + float64(z*p)
	p = 0.9999999999783846 + float64(z*p)
	if p = add + float64(t*p); inverse {
		return math.Pi/2 - p
	}
	return p
}

// ATan returns the arc tangent.
func ATan(x float32) float32 {
	y := float64(x)
	return float32(math.Copysign(atanOf(math.Abs(y)), y))
}

// ATan2 returns the angle of the point (x, y).
func ATan2(y, x float32) float32 {
	v, h := math.Abs(float64(y)), math.Abs(float64(x))
	if !(v <= math.MaxFloat32 && h <= math.MaxFloat32) || v == 0 || h == 0 {
		return float32(math.Atan2(float64(y), float64(x))) // multiples of pi/4, zeros and NaNs
	}
	a := atanOf(v / h)
	if x < 0 {
		a = math.Pi - a
	}
	return float32(math.Copysign(a, float64(y)))
}

// asinNear returns the arc sine of x, which is from 0 to 1/2.
func asinNear(x float64) float64 {
	z := x * x
	p := 0.007401007239075378 + float64(z*0.0347484248080839)
	p = 0.024650862660604088 + float64(z*p)
	p = 0.03010250689966149 + float64(z*p)
	p = 0.04466113930866896 + float64(z*p)
	p = 0.07499941908754719 + float64(z*p)
	p = 0.16666667364186447 + float64(z*p)
	p = 0.9999999999863537 + float64(z*p)
	return float64(x * p)
}

// ASin returns the arc sine.
func ASin(x float32) float32 {
	y := math.Abs(float64(x))
	if y <= 0.5 {
		y = asinNear(y)
	} else {
		y = math.Pi/2 - float64(2*asinNear(math.Sqrt((1-y)/2)))
	}
	return float32(math.Copysign(y, float64(x)))
}

// ACos returns the arc cosine.
func ACos(x float32) float32 {
	y := float64(x)
	switch {
	case y > 0.5:
		return float32(2 * asinNear(math.Sqrt((1-y)/2)))
	case y < -0.5:
		return float32(math.Pi - float64(2*asinNear(math.Sqrt((1+y)/2))))
	}
	return float32(math.Pi/2 - math.Copysign(asinNear(math.Abs(y)), y))
}
