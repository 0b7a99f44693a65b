package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
)

// Event describes a kind of log record. Records have its ID in the attribute "event".
type Event struct {
	ID         string
	Level      slog.Level
	Message    string
	Attributes []string // besides "event"
}

// Events returns all kinds of records that [Options].Logger gets. IDs and attributes do not change.
func Events() []Event { return slices.Clone(events[:]) }

// The kinds of records, as indices of events.
const (
	eventFailure = iota
	eventCompile
	eventAllocation
	eventPressure
	eventRecovery
	eventSlow
	eventWell
	eventRaised
	eventCleared
	eventHealth
	eventFunction
)

var events = [...]Event{
	eventFailure:    {"PM101", slog.LevelError, "command buffer failed", []string{"stream", "class", "error"}},
	eventCompile:    {"PM201", slog.LevelWarn, "compilation failed", []string{"program", "kernel", "error"}},
	eventAllocation: {"PM301", slog.LevelWarn, "allocation failed", []string{"label", "bytes", "allocated", "error"}},
	eventPressure:   {"PM302", slog.LevelInfo, "memory pressure changed", []string{"before", "after", "allocated"}},
	eventRecovery: {"PM401", slog.LevelInfo, "something was done about a failure",
		[]string{"kind", "what", "attempt", "delay", "details", "error"}},
	eventSlow: {"PM501", slog.LevelWarn, "kernel has become slow", []string{"kernel", "threads", "baseline", "now"}},
	eventWell: {"PM502", slog.LevelInfo, "kernel is as fast as before",
		[]string{"kernel", "threads", "baseline", "now"}},
	eventRaised:   {"PM601", slog.LevelWarn, "alert raised", []string{"alert", "severity", "value", "limit"}},
	eventCleared:  {"PM602", slog.LevelInfo, "alert cleared", []string{"alert", "severity", "value", "limit"}},
	eventHealth:   {"PM603", slog.LevelWarn, "health changed", []string{"before", "after", "reasons"}},
	eventFunction: {"PM701", slog.LevelError, "a function of the program failed", []string{"function", "error"}},
}

// log writes a record of a kind. The context is that of the call that caused it, so that handlers
// can add its trace and span.
func (m *Monitor) log(ctx context.Context, kind int, attrs ...slog.Attr) {
	e := &events[kind]
	if ctx == nil {
		ctx = context.Background()
	}
	attrs = append([]slog.Attr{slog.String("event", e.ID)}, attrs...)
	m.o.Logger.LogAttrs(ctx, e.Level, "puremetal: "+e.Message, attrs...)
}

// eventTable returns the documentation of the records, in Markdown.
func eventTable() string {
	var b strings.Builder
	b.WriteString("| event | level | message | attributes |\n|---|---|---|---|\n")
	for _, e := range events {
		fmt.Fprintf(&b, "| `%s` | %v | %s | %s |\n", e.ID, e.Level, e.Message, strings.Join(e.Attributes, ", "))
	}
	return b.String()
}
