package diag

// The codes of parser stand here, as constants and in the table.

var parseCodes = []Info{}
