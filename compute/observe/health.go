package observe

// Health is how well something does its work.
type Health string

// The states of health.
const (
	Healthy  Health = "healthy"
	Degraded Health = "degraded" // work is done, but slower, elsewhere, or not all of it
	Failing  Health = "failing"  // no work is done
)
