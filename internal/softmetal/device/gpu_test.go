package device

import (
	"testing"
	"time"

	"github.com/puremetal/puremetal/internal/schedule"
	"github.com/puremetal/puremetal/internal/softmetal/command"

	"github.com/stretchr/testify/assert"
)

// TestLimitsFromEnvironment: the variables set the limits; what is none of their values leaves the
// default.
func TestLimitsFromEnvironment(t *testing.T) {
	for _, c := range []struct {
		fuel, timeout, events, schedule string
		want                            command.Limits
	}{
		{"", "", "", "", command.Limits{}},
		{"1000", "90s", "5s", "7", command.Limits{Fuel: 1000, Timeout: 90 * time.Second, EventTimeout: 5 * time.Second,
			Schedule: schedule.Seed(7)}},
		{"0", "0", "0", "0", command.Limits{Timeout: -1}},
		{"-5", "-5s", "-5s", "-5", command.Limits{}},
		{"many", "long", "long", "some", command.Limits{}},
	} {
		t.Setenv("PUREMETAL_SOFTWARE_FUEL", c.fuel)
		t.Setenv("PUREMETAL_SOFTWARE_TIMEOUT", c.timeout)
		t.Setenv("PUREMETAL_SOFTWARE_EVENT_TIMEOUT", c.events)
		t.Setenv("PUREMETAL_SOFTWARE_SCHEDULE", c.schedule)
		assert.Equal(t, c.want, limitsFromEnvironment(), "%+v", c)
	}
}
