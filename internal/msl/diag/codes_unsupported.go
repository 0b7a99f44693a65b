package diag

// unsupportedCodes documents further codes of unsupported features.

var unsupportedCodes = []Info{}
