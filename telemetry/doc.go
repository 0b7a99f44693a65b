// Package telemetry says how the work of an accelerator goes: metrics, percentiles, health, alerts,
// log records, a report, and pages for a browser.
//
//	acc, err := compute.Open()
//	mon, err := telemetry.Watch(acc, telemetry.Options{})
//	defer mon.Close()
//	http.Handle("/", mon.Handler())
//
// A [Monitor] is an observer of the accelerator ([observe.Observer]). [Definitions] lists its
// metrics, and [Monitor.Snapshot] returns them as plain data, from which everything else is made.
// The modules telemetry/prometheus and telemetry/otel pass them on; expvar has them after
// [Monitor.Publish].
package telemetry
