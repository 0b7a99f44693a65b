package mtl

// Written by TestBoundTable with -bound.write.

var boundHiddenLZ = map[string]func(any) any{}
