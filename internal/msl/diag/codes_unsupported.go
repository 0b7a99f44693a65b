package diag

// The codes of what the compiler does not support stand here, as constants and in the table.

var unsupportedCodes = []Info{}
