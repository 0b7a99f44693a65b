package mtl

// Written by TestBoundTable with -bound.write.

var boundHiddenIK = map[string]func(any) any{}
