package mtl

// Written by TestBoundTable with -bound.write.

var boundHiddenEH = map[string]func(any) any{}
