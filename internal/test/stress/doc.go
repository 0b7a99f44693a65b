// Package stress contains stress tests of the software device through the bindings: many concurrent
// goroutines, and random programs compared with a model while faults are injected. They are short
// unless flags make them longer:
//
//	go test ./internal/test/stress -race -run TestHammer -hammer.rounds 200
//	go test ./internal/test/stress -run TestSoak -soak.for 30m -soak.seed 1 -timeout 0 -v
package stress
