package mtl

// Written by TestBoundTable with -bound.write.

var boundHiddenDD = map[string]func(any) any{}
