package diag

// The codes of lowering stand here, as constants and in the table.

var lowerCodes = []Info{}
