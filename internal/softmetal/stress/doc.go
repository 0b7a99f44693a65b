// Package stress has tests that drive the software device hard through the bindings: many
// goroutines at once, and random programs against a model while the device fails on demand. They
// are short unless flags ask for more:
//
//	go test ./internal/softmetal/stress -race -run TestHammer -hammer.rounds 200
//	go test ./internal/softmetal/stress -run TestSoak -soak.for 30m -soak.seed 1 -timeout 0 -v
package stress
