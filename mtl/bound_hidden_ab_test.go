package mtl

// Written by TestBoundTable with -bound.write.

var boundHiddenAB = map[string]func(any) any{}
