package mtl

// Written by TestBoundTable with -bound.write.

var boundHiddenCC = map[string]func(any) any{}
