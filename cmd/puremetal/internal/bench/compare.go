package bench

import (
	"fmt"
	"math"
	"time"
)

// Verdict is the comparison of a result with an older one.
type Verdict string

// The verdicts.
const (
	Same   Verdict = "same"
	Slower Verdict = "slower"
	Faster Verdict = "faster"
)

// margin is the smallest relative difference of medians that counts; smaller ones are often noise.
const margin = 0.1

// Change is the ratio of the new median to the old one, with its 95 % confidence interval.
type Change struct{ Ratio, Low, High float64 }

// Compare compares two results of a case. The interval combines those of the two medians, assuming
// that their logarithms are independent and normally distributed. The result is zero if a median is
// 0.
func Compare(old, now *Result) Change {
	if old.MedianUS <= 0 || now.MedianUS <= 0 || old.LowUS <= 0 || now.LowUS <= 0 {
		return Change{}
	}
	ratio := now.MedianUS / old.MedianUS
	down := math.Hypot(math.Log(now.MedianUS/now.LowUS), math.Log(old.HighUS/old.MedianUS))
	up := math.Hypot(math.Log(now.HighUS/now.MedianUS), math.Log(old.MedianUS/old.LowUS))
	return Change{Ratio: ratio, Low: ratio * math.Exp(-down), High: ratio * math.Exp(up)}
}

// String returns the change in the form "1.25 (1.19 to 1.31)", or "" for the zero Change.
func (c Change) String() string {
	if c.Ratio == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f (%.2f to %.2f)", c.Ratio, c.Low, c.High)
}

// Verdict returns Slower or Faster if the ratio differs from 1 by more than the margin and the
// whole interval is on the same side of 1.
func (c Change) Verdict() Verdict {
	switch {
	case c.Ratio > 1+margin && c.Low > 1:
		return Slower
	case c.Ratio > 0 && c.Ratio < 1/(1+margin) && c.High < 1:
		return Faster
	}
	return Same
}

// medianInterval returns the 95 % confidence interval of the median of times, which are sorted. Its
// ends are order statistics: the number of the n times below the true median is binomially
// distributed, approximately normal with standard deviation sqrt(n)/2. Fewer than six times cannot
// give 95 %; their interval is the whole range.
func medianInterval(times []time.Duration) (low, high time.Duration) {
	n := len(times)
	half := 1.96 * math.Sqrt(float64(n)) / 2
	below := max(int(math.Floor(float64(n)/2-half)), 0)
	return times[below], times[n-1-below]
}
