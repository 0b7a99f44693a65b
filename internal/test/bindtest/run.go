package bindtest

import "testing"

// Run tests everything that the bindings generate, against their recording device.
func Run(t *testing.T, b *Bindings) {
	b.prepare()
	for _, test := range []struct {
		name string
		run  func(*testing.T, *Bindings)
	}{
		{"All", allTest}, {"Methods", methodsTest}, {"Functions", functionsTest}, {"Constructors", constructorsTest},
		{"Constants", constantsTest}, {"Missing", missingTest}, {"Blocks", blocksTest},
		{"Declarations", declarationsTest}, {"Comments", commentsTest}, {"NilReceivers", nilReceiversTest},
		{"ReleasedReceivers", releasedReceiversTest}, {"Unavailable", unavailableTest}, {"Errors", errorsTest},
		{"WithoutPool", withoutPoolTest}, {"ByHand", byHandTest}, {"ZeroArguments", zeroArgumentsTest},
		{"NoURL", noURLTest}, {"NUL", nulTest},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, b) })
	}
}
