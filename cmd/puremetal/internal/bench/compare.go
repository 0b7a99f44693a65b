package bench

// Verdict is the comparison of a result with an older one.
type Verdict string

// The verdicts.
const (
	Same   Verdict = "same"
	Slower Verdict = "slower"
	Faster Verdict = "faster"
)

// margin is by which part a median must differ to count.
const margin = 0.1

// Compare compares two results of a case: it is slower or faster when the medians are more than a
// tenth apart and the spreads do not meet.
func Compare(old, now *Result) Verdict {
	switch {
	case now.MedianUS > (1+margin)*old.MedianUS && now.P10US > old.P90US:
		return Slower
	case old.MedianUS > (1+margin)*now.MedianUS && old.P10US > now.P90US:
		return Faster
	}
	return Same
}
