package diag

// typesCodes documents the codes of types.

var typesCodes = []Info{}
