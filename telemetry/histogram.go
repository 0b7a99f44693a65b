package telemetry

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Times are kept in microseconds, from one to an hour, exact to a hundredth.
const (
	leastTime   = 1
	mostTime    = int64(time.Hour / time.Microsecond)
	timeDigits  = 2
	bucketCount = 14 // each four times as long as the one before, from 1 µs to 67 s
)

// histogram is a distribution of times.
type histogram struct {
	mu      sync.Mutex
	hdr     *hdrhistogram.Histogram // made with the first value
	sum     time.Duration
	buckets [bucketCount]uint64 // each without the ones before
	trends  []*trend

	exemplars [bucketCount + 1]Exemplar // the latest of each bucket, and of longer times
}

// exemplarEvery is how old the exemplar of a bucket gets at least: labels cost more than a count.
const exemplarEvery = time.Second

// bucketLimit returns the longest time of a bucket.
func bucketLimit(i int) time.Duration { return time.Microsecond << (2 * i) }

// add adds a time at a moment.
func (h *histogram) add(d time.Duration, now time.Time) {
	h.addFor(context.Background(), nil, d, now)
}

// addFor adds a time, and makes it an exemplar if labels returns any for its context. ctx is nil if
// it is unknown, and labels for no exemplars.
func (h *histogram) addFor(ctx context.Context, labels func(context.Context) map[string]string, d time.Duration,
	now time.Time) {
	d = max(d, 0)
	v := min(max(int64((d+time.Microsecond-1)/time.Microsecond), leastTime), mostTime)
	bucket := 0
	for bucket < bucketCount && d > bucketLimit(bucket) {
		bucket++
	}
	if due := h.record(d, v, bucket, now); !due || labels == nil || ctx == nil {
		return
	}
	l := labels(ctx) // a function of the program, which is called without the lock
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(l) > 0 {
		h.exemplars[bucket] = Exemplar{Labels: l, Value: d.Seconds(), At: now}
	}
}

// record adds a time, also in microseconds, that belongs to a bucket. It reports whether the bucket
// is due for an exemplar.
func (h *histogram) record(d time.Duration, v int64, bucket int, now time.Time) (due bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.hdr == nil {
		h.hdr = hdrhistogram.New(leastTime, mostTime, timeDigits)
	}
	_ = h.hdr.RecordValue(v) // which is within the limits
	h.sum += d
	if bucket < bucketCount {
		h.buckets[bucket]++
	}
	for _, t := range h.trends {
		t.rotate(now)
		_ = t.window.Current.RecordValue(v)
	}
	x := &h.exemplars[bucket]
	return x.Labels == nil || now.Sub(x.At) >= exemplarEvery
}

// distribution returns the distribution so far.
func (h *histogram) distribution() *Distribution {
	h.mu.Lock()
	defer h.mu.Unlock()
	d := describe(h.hdr)
	d.Sum = h.sum.Seconds()
	all := uint64(0)
	for i, n := range h.buckets {
		all += n
		d.Buckets = append(d.Buckets, Bucket{bucketLimit(i).Seconds(), all})
	}
	for _, x := range h.exemplars {
		if x.Labels != nil {
			d.Exemplars = append(d.Exemplars, x)
		}
	}
	return d
}

// describe returns count, percentiles and, to a hundredth, the sum, in seconds.
func describe(h *hdrhistogram.Histogram) *Distribution {
	d := &Distribution{}
	if h == nil || h.TotalCount() == 0 {
		return d
	}
	at := func(q float64) float64 { return float64(h.ValueAtQuantile(q)) / 1e6 }
	d.Count = uint64(h.TotalCount())
	d.Sum = h.Mean() * float64(d.Count) / 1e6
	d.P50, d.P90, d.P95, d.P99, d.Max = at(50), at(90), at(95), at(99), float64(h.Max())/1e6
	return d
}

// trendParts is how many parts a window has: it covers the last parts that are complete and the
// current one.
const trendParts = 6

// trend is the distribution of a histogram's latest values.
type trend struct {
	span   time.Duration
	window *hdrhistogram.WindowedHistogram
	part   time.Time // when the current part began
}

func newTrend(span time.Duration) *trend {
	return &trend{span: span, window: hdrhistogram.NewWindowed(trendParts, leastTime, mostTime, timeDigits)}
}

// rotate begins new parts until the current one is that of now.
func (t *trend) rotate(now time.Time) {
	part := t.span / trendParts
	if t.part.IsZero() {
		t.part = now
	}
	for n := 0; now.Sub(t.part) >= part; n++ {
		if n > trendParts { // all are empty
			t.part = now
			return
		}
		t.window.Rotate()
		t.part = t.part.Add(part)
	}
}

// Trend is a distribution over the latest time. It has no buckets, and its sum is exact to a
// hundredth.
type Trend struct {
	Span time.Duration `json:"span"`
	Distribution
}

// latest returns the trends of a histogram.
func (h *histogram) latest(now time.Time) (list []Trend) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, t := range h.trends {
		t.rotate(now)
		list = append(list, Trend{t.span, *describe(t.window.Merge())})
	}
	return list
}

// histograms are histograms by the value of a label.
type histograms struct {
	mu  sync.Mutex
	all map[string]*histogram
}

// of returns the histogram of a label's value; other for all values beyond the limit.
func (h *histograms) of(label string, limit int) *histogram {
	h.mu.Lock()
	defer h.mu.Unlock()
	if x := h.all[label]; x != nil {
		return x
	}
	if h.all == nil {
		h.all = map[string]*histogram{}
	}
	if len(h.all) >= limit {
		label = other
		if x := h.all[label]; x != nil {
			return x
		}
	}
	x := &histogram{}
	h.all[label] = x
	return x
}

// samples returns one sample for each.
func (h *histograms) samples() (list []Sample) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for label, x := range h.all {
		list = append(list, Sample{Labels: []string{label}, Distribution: x.distribution()})
	}
	slices.SortFunc(list, func(a, b Sample) int { return slices.Compare(a.Labels, b.Labels) })
	return list
}
